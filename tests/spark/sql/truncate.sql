-- catalogs: every
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, NULL, 1);
-- TRUNCATE PARTITION empties a partition, which stays known.
TRUNCATE TABLE t PARTITION (dt = 'a', hh = '01');
SELECT * FROM t;
-- > 2 | a | 2
-- > 3 | b | 1
-- > 4 | NULL | 1
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=a/hh=2
-- > dt=b/hh=1
-- > dt=null/hh=1
-- A partial spec, leading or not, means every partition with these values; none is fine.
TRUNCATE TABLE t PARTITION (hh = 1);
SELECT * FROM t;
-- > 2 | a | 2
TRUNCATE TABLE t PARTITION (dt = 'nope');
-- A complete spec that is not there is an error.
TRUNCATE TABLE t PARTITION (dt = 'a', hh = 9);
-- ! AnalysisException * hh
-- A blank would silently mean the partition of NULL (P15).
TRUNCATE TABLE t PARTITION (dt = '', hh = 1);
-- ! IllegalArgumentException PARTITION_VALUE_BLANK dt
TRUNCATE TABLE t PARTITION (dt = ' ');
-- ! IllegalArgumentException PARTITION_VALUE_BLANK dt
-- TRUNCATE TABLE empties all of it.
INSERT INTO t VALUES (5, NULL, 1), (6, 'c', 1);
TRUNCATE TABLE t PARTITION (dt = null, hh = 1);
SELECT * FROM t;
-- > 2 | a | 2
-- > 6 | c | 1
TRUNCATE TABLE t;
SELECT * FROM t;
-- > none
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=a/hh=2
-- > dt=b/hh=1
-- > dt=c/hh=1
-- > dt=null/hh=1
CREATE TABLE u (id INT) USING parquet;
INSERT INTO u VALUES (1);
TRUNCATE TABLE u;
SELECT * FROM u;
-- > none
TRUNCATE TABLE u PARTITION (id = 1);
-- ! IllegalArgumentException TABLE_NOT_PARTITIONED ${db}.u
TRUNCATE TABLE nope;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
