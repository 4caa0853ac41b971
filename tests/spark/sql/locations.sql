-- catalogs: managed
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'home');
INSERT OVERWRITE DIRECTORY '${dir}/one day' USING parquet SELECT 2 AS id;
INSERT OVERWRITE DIRECTORY '${dir}/other' USING parquet SELECT id FROM VALUES (3), (4) AS v(id);
-- A location is an absolute URI, percent escapes are decoded once, and it is stored in one spelling.
ALTER TABLE t ADD PARTITION (dt = 'a') LOCATION 'FILE://${dir}//one%20day/' PARTITION (dt = 'b');
ALTER TABLE t ADD PARTITION (dt = 'c') LOCATION 'file:${dir}/other';
SELECT partition, location FROM `t$$partitions`;
-- > dt=a | file:${dir}/one day
-- > dt=b | NULL
-- > dt=c | file:${dir}/other
-- > dt=home | NULL
SELECT * FROM t;
-- > 1 | home
-- > 2 | a
-- > 3 | c
-- > 4 | c
SELECT id FROM t WHERE dt = 'c' AND id > 3;
-- > 4
SELECT count(*) FROM t WHERE dt = 'a';
-- > 1
SELECT DISTINCT partition FROM `t$$files`;
-- > dt=a
-- > dt=c
-- > dt=home
SHOW PARTITIONS t;
-- > dt=a
-- > dt=b
-- > dt=c
-- > dt=home
-- Refused before anything happens: what is no absolute URI, lies in the table, or overlaps with another partition's.
ALTER TABLE t ADD PARTITION (dt = 'x') LOCATION '${dir}/x';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID ADD PARTITION ... LOCATION is invalid for partition dt=x of Format Table ${db}.t
ALTER TABLE t ADD PARTITION (dt = 'x') LOCATION 'file:${tables}/t/elsewhere';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID overlaps with the directory of the table
ALTER TABLE t ADD PARTITION (dt = 'x') LOCATION 'file:${tables}';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID overlaps with the directory of the table
ALTER TABLE t ADD PARTITION (dt = 'x') LOCATION 'file:${dir}/other/below';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID overlaps with the location of partition dt=c
ALTER TABLE t ADD PARTITION (dt = 'y') PARTITION (dt = 'x') LOCATION 'file:${dir}';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID overlaps with the location of partition
ALTER TABLE t ADD PARTITION (dt = 'x') LOCATION 'file:${dir}/%2e%2e/x';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID '..'
ALTER TABLE t ADD PARTITION (dt = 'x') LOCATION 's3://key:secret@bucket/x';
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID credentials
SHOW PARTITIONS t PARTITION (dt = 'y');
-- > none
-- A partition keeps its location; the same one again is fine, another one is not.
ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'a') LOCATION 'file:${dir}/one day';
ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'a') LOCATION 'file:${dir}/moved';
-- ! * PARTITION_LOCATION_DIFFERS dt=a
ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'a');
SELECT location FROM `t$$partitions` WHERE partition = 'dt=a';
-- > file:${dir}/one day
CALL sys.alter_partition('t', 'dt=a', map('location', 'file:${dir}/moved'));
-- ! UnsupportedOperationException PARTITION_LOCATION_FIXED dt=a
-- Appends and measurements are refused, and MSCK leaves the partition as it is.
INSERT INTO t VALUES (5, 'a'), (6, 'home');
-- ! UnsupportedOperationException APPEND_CUSTOM_LOCATION dt=a
ANALYZE TABLE t COMPUTE STATISTICS NOSCAN;
-- ! UnsupportedOperationException ANALYZE_CUSTOM_LOCATION
ANALYZE TABLE t PARTITION (dt = 'home') COMPUTE STATISTICS;
MSCK REPAIR TABLE t SYNC PARTITIONS;
SELECT * FROM t;
-- > 1 | home
-- > 2 | a
-- > 3 | c
-- > 4 | c
-- Overwrite and truncate move a partition home, and leave the data where it was.
INSERT OVERWRITE t PARTITION (dt = 'a') VALUES (7);
TRUNCATE TABLE t PARTITION (dt = 'c');
SELECT partition, location, record_count FROM `t$$partitions`;
-- > dt=a | NULL | 1
-- > dt=b | NULL | NULL
-- > dt=c | NULL | 0
-- > dt=home | NULL | 1
SELECT * FROM t;
-- > 1 | home
-- > 7 | a
SELECT id FROM parquet.`${dir}/one day`;
-- > 2
SELECT id FROM parquet.`${dir}/other`;
-- > 3
-- > 4
-- DROP only unregisters; another format than the table's is said with the location.
CALL sys.add_partition('t', 'dt=d', location => 'file:${dir}/other', options => map('file.format', 'parquet', 'mine', '1'));
-- > dt=d
ALTER TABLE t DROP PARTITION (dt = 'd'), PARTITION (dt = 'b');
SELECT count(*) FROM parquet.`${dir}/other`;
-- > 2
CALL sys.add_partition('t', 'dt=d', location => 'file:${dir}/other', options => map('path', 'file:${dir}/x'));
-- ! IllegalArgumentException PARTITION_OPTIONS_INVALID dt=d
-- The directory is neither made nor looked at.
ALTER TABLE t ADD PARTITION (dt = 'later') LOCATION 'file:${dir}/later';
SELECT * FROM t WHERE dt = 'later';
-- > none
INSERT OVERWRITE DIRECTORY '${dir}/later' USING parquet SELECT 8 AS id;
SELECT * FROM t WHERE dt = 'later';
-- > 8 | later
