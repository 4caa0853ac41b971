-- catalogs: managed
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
-- A directory that another program wrote is no partition until MSCK registers it; no keyword means ADD.
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=a/hh=07' USING parquet SELECT 1 AS id;
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=__DEFAULT_PARTITION__/hh=8' USING parquet SELECT 2 AS id;
SELECT * FROM t;
-- > none
MSCK REPAIR TABLE t;
SELECT * FROM t;
-- > 1 | a | 7
-- > 2 | NULL | 8
SHOW PARTITIONS t;
-- > dt=a/hh=7
-- > dt=null/hh=8
-- What is on disk keeps its spelling; statements find it by its value (P27).
SELECT partition FROM `t$$partitions`;
-- > dt=__DEFAULT_PARTITION__/hh=8
-- > dt=a/hh=07
SELECT id FROM t WHERE hh = 7;
-- > 1
-- MSCK measures nothing unless a setting asks for it.
SELECT record_count, file_count FROM `t$$partitions` WHERE partition = 'dt=a/hh=07';
-- > NULL | NULL
SET `spark.paimon.format-table.repair.collect-statistics` = true;
MSCK REPAIR TABLE t;
SELECT record_count, file_count FROM `t$$partitions` WHERE partition = 'dt=a/hh=07';
-- > NULL | 1
-- A second run finds nothing to do; rows are never touched.
MSCK REPAIR TABLE t ADD PARTITIONS;
MSCK REPAIR TABLE t DROP PARTITIONS;
MSCK REPAIR TABLE t SYNC PARTITIONS;
REPAIR TABLE t;
SELECT * FROM t;
-- > 1 | a | 7
-- > 2 | NULL | 8
-- Directories that are no partition are reported by the CALL form and skipped (P06, J3).
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=a/minute=3' USING parquet SELECT 3 AS id;
INSERT OVERWRITE DIRECTORY '${tables}/t/foo/bar' USING parquet SELECT 3 AS id;
INSERT OVERWRITE DIRECTORY '${tables}/t/_hidden/hh=1' USING parquet SELECT 3 AS id;
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=b/hh=9' USING parquet SELECT 4 AS id;
CALL sys.repair(table => 't', dry_run => true);
-- ~ dt=b/hh=9 | 
-- ~ foo
-- ~ minute=3
SHOW PARTITIONS t PARTITION (dt = 'b');
-- > none
MSCK REPAIR TABLE t SYNC PARTITIONS;
SELECT * FROM t;
-- > 1 | a | 7
-- > 2 | NULL | 8
-- > 4 | b | 9
MSCK REPAIR TABLE nope;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
-- In the value-only layout the partition of NULL is seen as well (P01).
CREATE TABLE v (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true', 'format-table.partition-path-only-value' = 'true');
INSERT INTO v VALUES (1, NULL), (2, 'x');
MSCK REPAIR TABLE v SYNC PARTITIONS;
SELECT * FROM v;
-- > 1 | NULL
-- > 2 | x
