-- catalogs: managed
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=a/hh=1' USING parquet SELECT /*+ COALESCE(1) */ id FROM range(3);
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=a/hh=2' USING parquet SELECT /*+ COALESCE(1) */ id FROM range(4);
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=b/hh=1' USING parquet SELECT /*+ COALESCE(1) */ id FROM range(5);
MSCK REPAIR TABLE t;
ALTER TABLE t ADD PARTITION (dt = 'c', hh = 1);
-- NOSCAN stops at the listing: files, bytes and time, no rows.
ANALYZE TABLE t PARTITION (dt = 'a', hh = 1) COMPUTE STATISTICS NOSCAN;
SELECT partition, record_count, file_count, file_size_in_bytes > 0, last_file_creation_time IS NOT NULL FROM `t$$partitions`;
-- > dt=a/hh=1 | NULL | 1 | true | true
-- > dt=a/hh=2 | NULL | NULL | NULL | false
-- > dt=b/hh=1 | NULL | NULL | NULL | false
-- > dt=c/hh=1 | NULL | NULL | NULL | false
-- A leading run of the columns selects; a column that is named without a value means all of it.
ANALYZE TABLE t PARTITION (dt = 'a') COMPUTE STATISTICS;
SELECT partition, record_count FROM `t$$partitions`;
-- > dt=a/hh=1 | 3
-- > dt=a/hh=2 | 4
-- > dt=b/hh=1 | NULL
-- > dt=c/hh=1 | NULL
ANALYZE TABLE t PARTITION (dt = 'b', hh) COMPUTE STATISTICS;
SELECT record_count FROM `t$$partitions` WHERE partition = 'dt=b/hh=1';
-- > 5
ANALYZE TABLE t PARTITION (dt = 'a', hh = '01') COMPUTE STATISTICS NOSCAN;
ANALYZE TABLE t PARTITION (dt, hh) COMPUTE STATISTICS NOSCAN;
-- What NOSCAN does not measure stays as it was; no files are zero files.
SELECT partition, record_count, file_count FROM `t$$partitions`;
-- > dt=a/hh=1 | 3 | 1
-- > dt=a/hh=2 | 4 | 1
-- > dt=b/hh=1 | 5 | 1
-- > dt=c/hh=1 | NULL | 0
-- Without a clause it is every registered partition (P55); rows of no files are zero rows. Twice is once.
ANALYZE TABLE t COMPUTE STATISTICS;
ANALYZE TABLE t COMPUTE STATISTICS;
SELECT partition, record_count, file_count FROM `t$$partitions`;
-- > dt=a/hh=1 | 3 | 1
-- > dt=a/hh=2 | 4 | 1
-- > dt=b/hh=1 | 5 | 1
-- > dt=c/hh=1 | 0 | 0
-- It never adds a partition: that is MSCK's.
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=d/hh=1' USING parquet SELECT id FROM range(1);
ANALYZE TABLE t COMPUTE STATISTICS NOSCAN;
SHOW PARTITIONS t PARTITION (dt = 'd');
-- > none
-- A value behind a gap, a column that is none and a partition that is not registered are errors.
ANALYZE TABLE t PARTITION (hh = 1) COMPUTE STATISTICS;
-- ! IllegalArgumentException PARTITION_NOT_LEADING [hh] is not a leading prefix of partition keys [dt, hh]: values are needed for [dt, hh]
ANALYZE TABLE t PARTITION (dt, hh = 1) COMPUTE STATISTICS;
-- ! IllegalArgumentException PARTITION_NOT_LEADING [hh] is not a leading prefix
ANALYZE TABLE t PARTITION (id = 1) COMPUTE STATISTICS;
-- ! AnalysisException PARTITION_COLUMN_NOT_FOUND id
ANALYZE TABLE t PARTITION (dt = 'd') COMPUTE STATISTICS;
-- ! AnalysisException PARTITIONS_NOT_FOUND dt=d
ANALYZE TABLE t PARTITION (dt = 'a', hh = 'x') COMPUTE STATISTICS;
-- ! IllegalArgumentException PARTITION_VALUE_MALFORMED hh
ANALYZE TABLE nope COMPUTE STATISTICS;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
-- A format table has no column statistics.
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS id;
-- ! AnalysisException * ANALYZE TABLE
ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS;
-- ! AnalysisException * ANALYZE TABLE
-- A table without partitions registered is measured in no time; NULL has a partition.
CREATE TABLE n (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
ANALYZE TABLE n COMPUTE STATISTICS;
INSERT INTO n VALUES (1, NULL);
ANALYZE TABLE n PARTITION (dt = null) COMPUTE STATISTICS;
SELECT partition, record_count FROM `n$$partitions`;
-- > dt=__DEFAULT_PARTITION__ | 1
