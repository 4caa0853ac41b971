-- catalogs: every
-- USING names the file format; partition columns may be columns of the list …
CREATE TABLE a (id INT, dt STRING, price DOUBLE) USING parquet PARTITIONED BY (dt);
DESCRIBE a;
-- > id | int | NULL
-- > dt | string | NULL
-- > price | double | NULL
-- > # Partition Information |  | 
-- > # col_name | data_type | comment
-- > dt | string | NULL
-- … or be declared in PARTITIONED BY, which puts them behind the others.
CREATE TABLE b (id INT) USING parquet PARTITIONED BY (dt DATE COMMENT 'the day', hh INT);
DESCRIBE b dt;
-- ~ data_type | date
-- ~ comment | the day
INSERT INTO b VALUES (1, DATE'2025-01-01', 7);
SHOW PARTITIONS b;
-- > dt=2025-01-01/hh=7
-- TBLPROPERTIES say the same as USING.
CREATE TABLE c (id INT, dt STRING) PARTITIONED BY (dt) TBLPROPERTIES ('type' = 'format-table', 'file.format' = 'parquet');
DESCRIBE EXTENDED c;
-- ~ Provider | parquet
-- ~ Type | MANAGED
-- ~ Location | file:${tables}/c
-- Parquet is what a format table is made of when nothing names a format.
CREATE TABLE d (id INT) TBLPROPERTIES ('type' = 'format-table');
DESCRIBE EXTENDED d;
-- ~ Provider | parquet
-- Names of formats and options' values ignore case.
CREATE TABLE e (id INT) USING PARQUET TBLPROPERTIES ('metastore.partitioned-table' = 'TRUE');
SELECT * FROM e;
-- > none
-- Properties, comments of table and columns, NOT NULL and OPTIONS are kept.
CREATE TABLE f (id INT NOT NULL COMMENT 'it''s a key', s STRUCT<a: INT COMMENT 'inner', b: ARRAY<MAP<STRING, DECIMAL(10, 2)>>>) USING parquet OPTIONS ('mine' = 'x') COMMENT 'a "table"' TBLPROPERTIES ('yours' = 'it''s');
DESCRIBE EXTENDED f;
-- ~ id | int | it's a key
-- ~ Comment | a "table"
-- ~ yours=it's
-- ~ mine=x
-- Creating a table again fails, unless IF NOT EXISTS says that this is fine.
CREATE TABLE a (id INT) USING parquet;
-- ! AnalysisException TABLE_OR_VIEW_ALREADY_EXISTS a
CREATE TABLE IF NOT EXISTS a (id INT) USING parquet;
SHOW TABLES;
-- > ${db} | a | false
-- > ${db} | b | false
-- > ${db} | c | false
-- > ${db} | d | false
-- > ${db} | e | false
-- > ${db} | f | false
-- Snapshot tables are not made yet; the error says what to write instead.
CREATE TABLE s (id INT) USING paimon;
-- ! UnsupportedOperationException SNAPSHOT_TABLE_UNSUPPORTED USING parquet
CREATE TABLE s (id INT);
-- ! UnsupportedOperationException SNAPSHOT_TABLE_UNSUPPORTED USING parquet
CREATE TABLE s (id INT) USING avro;
-- ! UnsupportedOperationException PROVIDER_UNSUPPORTED parquet
CREATE TABLE s (id INT) USING parquet TBLPROPERTIES ('file.format' = 'orc');
-- ! IllegalArgumentException PROVIDER_CONFLICT orc
-- What a table cannot be is refused with the name of the column or the option.
CREATE TABLE s (id INT, f DOUBLE) USING parquet PARTITIONED BY (f);
-- ! UnsupportedOperationException PARTITION_TYPE_REFUSED f
CREATE TABLE s (id INT, f TIMESTAMP) USING parquet PARTITIONED BY (f);
-- ! UnsupportedOperationException PARTITION_TYPE_REFUSED TIMESTAMP_NTZ
CREATE TABLE s (id INT, f DATE) USING parquet PARTITIONED BY (years(f));
-- ! UnsupportedOperationException PARTITION_EXPRESSION_UNSUPPORTED years(f)
CREATE TABLE s (id INT, dt STRING) USING parquet PARTITIONED BY (id, dt);
-- ! IllegalArgumentException PARTITION_KEYS_INVALID
CREATE TABLE s (id INT) USING parquet PARTITIONED BY (nope);
-- ! AnalysisException * nope
CREATE TABLE s (id INT) USING parquet TBLPROPERTIES ('primary-key' = 'id');
-- ! IllegalArgumentException PRIMARY_KEY_REFUSED Cannot define primary-key for format table.
CREATE TABLE s (id INT) USING parquet TBLPROPERTIES ('auto-create' = 'true');
-- ! IllegalArgumentException AUTO_CREATE_REFUSED auto-create
CREATE TABLE s (id INT) USING parquet TBLPROPERTIES ('target-file-row-num' = 'many');
-- ! IllegalArgumentException OPTION_MALFORMED target-file-row-num
CREATE TABLE s (id INT) USING parquet TBLPROPERTIES ('metastore.partitioned-tabel' = 'true');
-- ! IllegalArgumentException OPTION_UNKNOWN metastore.partitioned-table
CREATE TABLE s (id INT, ID INT) USING parquet;
-- ! AnalysisException COLUMN_ALREADY_EXISTS id
SHOW TABLES LIKE 's';
-- > none
