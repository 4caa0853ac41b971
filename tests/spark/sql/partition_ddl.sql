-- catalogs: managed
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
-- ADD takes complete specs, several at once, with literals that are read as the columns' types.
ALTER TABLE t ADD PARTITION (dt = 'a', hh = 1) PARTITION (dt = 'a', hh = '02') PARTITION (hh = 3, dt = 'b');
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=a/hh=2
-- > dt=b/hh=3
SELECT * FROM t;
-- > none
-- One partition that exists fails the whole batch.
ALTER TABLE t ADD PARTITION (dt = 'new', hh = 1) PARTITION (dt = 'a', hh = 2);
-- ! AnalysisException PARTITIONS_ALREADY_EXIST hh=2
SHOW PARTITIONS t PARTITION (dt = 'new');
-- > none
-- With IF NOT EXISTS the others are added.
ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'new', hh = 1) PARTITION (dt = 'a', hh = 2);
SHOW PARTITIONS t PARTITION (dt = 'new');
-- > dt=new/hh=1
-- NULL is a value.
ALTER TABLE t ADD PARTITION (dt = null, hh = null);
SHOW PARTITIONS t PARTITION (dt = null);
-- > dt=null/hh=null
-- What ADD cannot take is refused before anything changes, with column and table in the error.
ALTER TABLE t ADD PARTITION (dt = 'c');
-- ! IllegalArgumentException PARTITION_VALUES_MISSING hh
ALTER TABLE t ADD PARTITION (dt = 'c', nope = 1);
-- ! AnalysisException PARTITION_COLUMN_NOT_FOUND nope
ALTER TABLE t ADD PARTITION (dt = 'c', hh = 1) PARTITION (dt = 'c', hh = 'abc');
-- ! IllegalArgumentException PARTITION_VALUE_MALFORMED 'abc' is not a INT value for partition column hh of table ${db}.t
ALTER TABLE t ADD PARTITION (dt = 'c', hh = 1) PARTITION (dt = '', hh = 1);
-- ! IllegalArgumentException PARTITION_VALUE_BLANK ADD PARTITION: partition column dt of table ${db}.t has a blank value
ALTER TABLE t ADD PARTITION (dt = ' ', hh = 1);
-- ! IllegalArgumentException PARTITION_VALUE_BLANK __DEFAULT_PARTITION__
ALTER TABLE t ADD PARTITION (dt = 'c', hh = 1) LOCATION '${dir}/c';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID dt=c/hh=1
SHOW PARTITIONS t PARTITION (dt = 'c');
-- > none
ALTER TABLE nope ADD PARTITION (dt = 'c', hh = 1);
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
-- SHOW PARTITIONS takes any of the columns.
SHOW PARTITIONS t PARTITION (hh = 1);
-- > dt=a/hh=1
-- > dt=new/hh=1
SHOW PARTITIONS t PARTITION (DT = 'a', hh = '2');
-- > dt=a/hh=2
SHOW PARTITIONS t PARTITION (nope = 1);
-- ! AnalysisException * nope
-- DROP takes complete specs and partial ones, leading or not, which may overlap.
INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 3);
ALTER TABLE t DROP PARTITION (dt = 'a', hh = 1);
SELECT * FROM t;
-- > 2 | a | 2
-- > 3 | b | 3
ALTER TABLE t DROP PARTITION (dt = 'a'), PARTITION (hh = 2), PARTITION (dt = 'new', hh = '01');
SHOW PARTITIONS t;
-- > dt=b/hh=3
-- > dt=null/hh=null
-- A complete spec that is not there is an error and nothing is dropped, unless IF EXISTS says that this is fine.
ALTER TABLE t DROP PARTITION (dt = 'b', hh = 3), PARTITION (dt = 'b', hh = 4);
-- ! AnalysisException PARTITIONS_NOT_FOUND hh=4
ALTER TABLE t DROP IF EXISTS PARTITION (dt = 'b', hh = 4);
SHOW PARTITIONS t;
-- > dt=b/hh=3
-- > dt=null/hh=null
-- A partial spec that matches nothing is no error.
ALTER TABLE t DROP PARTITION (dt = 'nope');
-- The partition of NULL is dropped as NULL or by its name, never by a blank (P15, P24).
ALTER TABLE t DROP PARTITION (dt = '');
-- ! IllegalArgumentException PARTITION_VALUE_BLANK dt
ALTER TABLE t DROP PARTITION (dt = null);
SHOW PARTITIONS t;
-- > dt=b/hh=3
INSERT INTO t VALUES (4, NULL, 4);
ALTER TABLE t DROP PARTITION (dt = '__DEFAULT_PARTITION__', hh = 4);
SHOW PARTITIONS t;
-- > dt=b/hh=3
ALTER TABLE t DROP PARTITION (dt = 'b', hh = 3) PURGE;
-- ! UnsupportedOperationException PURGE_UNSUPPORTED ${db}.t
ALTER TABLE t DROP PARTITION (nope = 'b');
-- ! AnalysisException PARTITION_COLUMN_NOT_FOUND nope
-- Partitions are not renamed and not moved.
ALTER TABLE t PARTITION (dt = 'b', hh = 3) RENAME TO PARTITION (dt = 'c', hh = 3);
-- ! UnsupportedOperationException PARTITION_METADATA_FIXED ${db}.t
ALTER TABLE t PARTITION (dt = 'b', hh = 3) SET LOCATION '${dir}/x';
-- ! AnalysisException * partition
SELECT * FROM t;
-- > 3 | b | 3
-- The numbers of a partition show in SHOW TABLE EXTENDED, those that nobody knows as well.
SHOW TABLE EXTENDED LIKE 't' PARTITION (dt = 'b', hh = 3);
-- ~ recordCount: 1
-- ~ fileCount: 1
ALTER TABLE t ADD PARTITION (dt = 'unwritten', hh = 1);
SHOW TABLE EXTENDED IN ${db} LIKE 't' PARTITION (dt = 'unwritten', hh = 1);
-- ~ recordCount: UNKNOWN
-- ~ fileSizeInBytes: UNKNOWN
-- ~ lastFileCreationTime: UNKNOWN
-- ~ done: false
ALTER TABLE t DROP PARTITION (dt = 'unwritten', hh = 1);
-- A table without partition columns has no partitions to work on.
CREATE TABLE u (id INT) USING parquet TBLPROPERTIES ('metastore.partitioned-table' = 'true');
SHOW PARTITIONS u;
-- ! AnalysisException * u
ALTER TABLE u ADD PARTITION (id = 1);
-- ! IllegalArgumentException TABLE_NOT_PARTITIONED ${db}.u
ALTER TABLE u DROP PARTITION (id = 1);
-- ! IllegalArgumentException TABLE_NOT_PARTITIONED ${db}.u
MSCK REPAIR TABLE u;
-- ! IllegalArgumentException TABLE_NOT_PARTITIONED ${db}.u
