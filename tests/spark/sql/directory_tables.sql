-- catalogs: every
-- A table that does not ask for managed partitions has the partitions that are directories.
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=b/hh=2
-- A directory that somebody else makes is a partition at once, also with text that is no canonical number.
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=c/hh=03' USING parquet SELECT 3 AS id;
SELECT * FROM t;
-- > 1 | a | 1
-- > 2 | b | 2
-- > 3 | c | 3
SELECT id FROM t WHERE hh = 3;
-- > 3
-- Nothing can be registered, so that these statements say where partitions come from and what to do.
ALTER TABLE t ADD PARTITION (dt = 'd', hh = 1);
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ADD PARTITION works only with catalog-managed partitions, but the partitions of ${db}.t come from the filesystem
ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'a', hh = 1);
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ${db}.t
ALTER TABLE t DROP PARTITION (dt = 'a', hh = 1);
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED DROP PARTITION
ALTER TABLE t DROP IF EXISTS PARTITION (dt = 'a');
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ${db}.t
MSCK REPAIR TABLE t;
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED MSCK REPAIR TABLE
ANALYZE TABLE t COMPUTE STATISTICS;
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ANALYZE TABLE
ANALYZE TABLE t PARTITION (dt = 'a') COMPUTE STATISTICS NOSCAN;
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ${db}.t
CALL sys.repair('t');
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ${db}.t
CALL sys.analyze('t');
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ${db}.t
-- Reading, truncating and overwriting work as they do elsewhere.
TRUNCATE TABLE t PARTITION (dt = 'a');
SELECT * FROM t;
-- > 2 | b | 2
-- > 3 | c | 3
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=b/hh=2
-- > dt=c/hh=3
-- Numbers that nobody measured are unknown.
SELECT partition, record_count, file_count, location FROM `t$$partitions` WHERE partition LIKE 'dt=b%';
-- > dt=b/hh=2 | NULL | NULL | NULL
