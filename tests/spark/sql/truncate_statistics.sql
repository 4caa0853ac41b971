-- catalogs: managed
-- TRUNCATE reports exact zeros for what it emptied, also where nothing was.
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
ALTER TABLE t ADD PARTITION (dt = 'c');
TRUNCATE TABLE t PARTITION (dt = 'a');
TRUNCATE TABLE t PARTITION (dt = 'c');
SELECT partition, record_count, file_size_in_bytes, file_count FROM `t$$partitions` WHERE partition <> 'dt=b';
-- > dt=a | 0 | 0 | 0
-- > dt=c | 0 | 0 | 0
-- An unregistered directory belongs to nobody: TRUNCATE TABLE leaves it alone.
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=d' USING parquet SELECT 4 AS id;
TRUNCATE TABLE t;
MSCK REPAIR TABLE t;
SELECT * FROM t;
-- > 4 | d
