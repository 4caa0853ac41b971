-- catalogs: managed
-- Files of other formats come into a table by the registration of their partition.
CREATE TABLE t (id BIGINT, s STRING, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=orc' USING orc SELECT id, 'o' AS s FROM range(7);
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=csv' USING csv SELECT id, 'c' AS s FROM range(5);
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=json' USING json SELECT id, 'j' AS s FROM range(3);
CALL sys.add_partition(table => 't', partition => 'dt=orc', options => map('file.format', 'orc'));
CALL sys.add_partition(table => 't', partition => 'dt=csv', options => map('file.format', 'csv'));
CALL sys.add_partition(table => 't', partition => 'dt=json', options => map('file.format', 'json'));
CALL sys.add_partition(table => 't', partition => 'dt=none', options => map('file.format', 'text2'));
-- ! IllegalArgumentException PARTITION_FORMAT_INVALID text2
CALL sys.add_partition(table => 't', partition => 'dt=none', options => map('file.format', 'csv'));
INSERT INTO t VALUES (1, 'p', 'parquet');
SELECT dt, count(*), min(s) FROM t GROUP BY dt;
-- > csv | 5 | c
-- > json | 3 | j
-- > orc | 7 | o
-- > parquet | 1 | p
-- Each partition is measured by the reader of its own format; formats without footers have no row count.
ANALYZE TABLE t COMPUTE STATISTICS;
SELECT partition, file_format, record_count, file_count > 0 FROM `t$$partitions`;
-- > dt=csv | csv | NULL | true
-- > dt=json | json | NULL | true
-- > dt=none | csv | 0 | false
-- > dt=orc | orc | 7 | true
-- > dt=parquet | parquet | 1 | true
-- A registration that says something wrong costs the row count of that partition only, and no rows are made up.
CALL sys.alter_partition('t', 'dt=parquet', map('file.format', 'orc'));
ANALYZE TABLE t COMPUTE STATISTICS;
SELECT partition, record_count FROM `t$$partitions` WHERE record_count > 0;
-- > dt=orc | 7
-- > dt=parquet | 1
SELECT * FROM t WHERE dt = 'parquet';
-- ! SparkRuntimeException FILE_FORMAT_MISMATCH should be ORC, but is PARQUET
CALL sys.alter_partition('t', 'dt=parquet', map('file.format', 'parquet'));
SELECT * FROM t WHERE dt = 'parquet';
-- > 1 | p | parquet
