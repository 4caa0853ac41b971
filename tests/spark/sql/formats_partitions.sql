-- catalogs: managed
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- A partition has the format that it was given, otherwise that of the table.
CALL sys.add_partition(table => 't', partition => 'dt=o', options => map('file.format', 'ORC', 'mine', 'x'));
-- > dt=o
SELECT partition, file_format FROM `t$$partitions`;
-- > dt=a | parquet
-- > dt=b | parquet
-- > dt=o | orc
SHOW TABLE EXTENDED LIKE 't' PARTITION (dt = 'o');
-- ~ file.format: orc
-- ~ mine: x
SHOW TABLE EXTENDED LIKE 't' PARTITION (dt = 'a');
-- ~ file.format: parquet
-- Only partitions that exist are altered, and only to formats that can hold the columns.
CALL sys.alter_partition(table => 't', partition => 'dt=nope', options => map('file.format', 'orc'));
-- ! AnalysisException PARTITIONS_NOT_FOUND dt=nope
CALL sys.alter_partition('t', 'dt=a', map('file.format', 'avro'));
-- ! IllegalArgumentException PARTITION_FORMAT_INVALID avro
CALL sys.alter_partition('t', 'dt=a', map('file.format', ''));
-- ! IllegalArgumentException PARTITION_FORMAT_INVALID dt=a
CALL sys.alter_partition('t', 'dt=a', map('file.format', 'text'));
-- ! IllegalArgumentException PARTITION_FORMAT_INVALID TEXT
CALL sys.alter_partition('t', 'dt=a', map('path', '${dir}'));
-- ! UnsupportedOperationException PARTITION_LOCATION_FIXED dt=a
CALL sys.alter_partition('t', 'dt=a', map());
-- ! IllegalArgumentException PARTITION_OPTIONS_INVALID nothing would change
CALL sys.alter_partition('t', 'dt=a');
-- ! AnalysisException * options
CALL sys.add_partition(table => 't', partition => 'dt=a', options => map('file.format', 'orc'));
-- ! AnalysisException * dt=a
SELECT partition, file_format FROM `t$$partitions`;
-- > dt=a | parquet
-- > dt=b | parquet
-- > dt=o | orc
-- An append to a partition of another format is refused before anything changes.
INSERT INTO t VALUES (3, 'a'), (4, 'o');
-- ! UnsupportedOperationException APPEND_FORMAT_MISMATCH dt=o
SELECT * FROM t WHERE dt <> 'o';
-- > 1 | a
-- > 2 | b
-- An overwrite stores the format that it wrote, and keeps the other options.
INSERT OVERWRITE t PARTITION (dt = 'o') VALUES (4);
SELECT partition, file_format, record_count FROM `t$$partitions`;
-- > dt=a | parquet | 1
-- > dt=b | parquet | 1
-- > dt=o | parquet | 1
SHOW TABLE EXTENDED LIKE 't' PARTITION (dt = 'o');
-- ~ mine: x
INSERT INTO t VALUES (5, 'o');
SELECT * FROM t;
-- > 1 | a
-- > 2 | b
-- > 4 | o
-- > 5 | o
-- Another format of the table is that of partitions that inherit it, until they are told what they are.
ALTER TABLE t SET TBLPROPERTIES ('file.format' = 'orc');
SELECT partition, file_format FROM `t$$partitions`;
-- > dt=a | orc
-- > dt=b | orc
-- > dt=o | parquet
CALL sys.alter_partition(table => '${db}.t', partition => 'dt=a', options => map('file.format', 'parquet'));
-- > dt=a
CALL ${catalog}.sys.alter_partition('t', 'dt=b', map('file.format', 'Parquet'));
-- > dt=b
SELECT partition, file_format, record_count FROM `t$$partitions`;
-- > dt=a | parquet | 1
-- > dt=b | parquet | 1
-- > dt=o | parquet | 2
INSERT INTO t VALUES (6, 'a');
-- ! UnsupportedOperationException APPEND_FORMAT_MISMATCH dt=a
SELECT * FROM t WHERE dt = 'a';
-- > 1 | a
-- TRUNCATE and ANALYZE keep it.
TRUNCATE TABLE t;
ANALYZE TABLE t COMPUTE STATISTICS;
SELECT partition, file_format, record_count FROM `t$$partitions`;
-- > dt=a | parquet | 0
-- > dt=b | parquet | 0
-- > dt=o | parquet | 0
-- Columns follow the formats of all partitions.
CALL sys.alter_partition('t', 'dt=b', map('file.format', 'csv'));
-- > dt=b
ALTER TABLE t ADD COLUMN a ARRAY<INT>;
-- ! UnsupportedOperationException FORMAT_TYPE_UNSUPPORTED CSV
