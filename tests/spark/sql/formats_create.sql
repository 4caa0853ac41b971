-- catalogs: every
-- Every format makes a table; the name of the provider is the format.
CREATE TABLE p (id INT) USING PARQUET;
CREATE TABLE o (id INT) USING orc;
CREATE TABLE c (id INT) USING csv;
CREATE TABLE j (id INT, a ARRAY<INT>) USING json;
CREATE TABLE x (line STRING, dt STRING) USING text PARTITIONED BY (dt);
CREATE TABLE m (id INT) USING mosaic;
SHOW TBLPROPERTIES m ('file.format');
-- > file.format | mosaic
DESCRIBE EXTENDED o;
-- ~ Provider | orc
-- Columns that the format cannot store make no table, by CREATE, by a query, or as a replacement.
CREATE TABLE f (id INT, a ARRAY<INT>) USING csv;
-- ! UnsupportedOperationException FORMAT_TYPE_UNSUPPORTED column a of ${db}.f
CREATE TABLE f USING csv AS SELECT 1 AS id, map('a', 1) AS m;
-- ! UnsupportedOperationException FORMAT_TYPE_UNSUPPORTED column m of ${db}.f
CREATE TABLE f (id INT) USING text;
-- ! UnsupportedOperationException * TEXT
CREATE TABLE f (a STRING, b STRING) USING text;
-- ! UnsupportedOperationException FORMAT_COLUMNS_UNSUPPORTED ${db}.f
CREATE OR REPLACE TABLE p (a STRING, b STRING) USING text;
-- ! UnsupportedOperationException FORMAT_COLUMNS_UNSUPPORTED ${db}.p
REPLACE TABLE p USING csv AS SELECT struct(1) AS s;
-- ! UnsupportedOperationException FORMAT_TYPE_UNSUPPORTED column s of ${db}.p
DESCRIBE p;
-- > id | int | NULL
SHOW TABLES LIKE 'f';
-- > none
-- So do options that make no sense, under any spelling.
CREATE TABLE f (id INT) USING csv TBLPROPERTIES ('csv.quote-character' = '');
-- ! IllegalArgumentException OPTION_EMPTY csv.quote-character must not be empty
CREATE TABLE f (id INT) USING csv OPTIONS (quote '');
-- ! IllegalArgumentException OPTION_EMPTY csv.quote-character must not be empty
CREATE TABLE f (id INT) USING csv OPTIONS (sep '');
-- ! IllegalArgumentException OPTION_EMPTY csv.field-delimiter must not be empty
CREATE TABLE f (id INT) USING csv OPTIONS (mode 'sometimes');
-- ! IllegalArgumentException OPTION_MALFORMED sometimes
CREATE TABLE f (id INT) USING csv OPTIONS (header 'maybe');
-- ! IllegalArgumentException OPTION_MALFORMED csv.include-header
CREATE TABLE f (id INT) USING json TBLPROPERTIES ('json.line-delimiter' = '');
-- ! IllegalArgumentException OPTION_EMPTY json.line-delimiter must not be empty
CREATE TABLE f (line STRING) USING text OPTIONS (lineSep '');
-- ! IllegalArgumentException OPTION_EMPTY line-delimiter must not be empty
CREATE TABLE f (id INT) USING parquet TBLPROPERTIES ('file.compression' = 'lzo');
-- ! IllegalArgumentException OPTION_MALFORMED lzo
CREATE TABLE f (id INT) USING parquet OPTIONS (compression 'bzip2');
-- ! IllegalArgumentException OPTION_MALFORMED a codec of PARQUET
SHOW TABLES LIKE 'f';
-- > none
-- ALTER TABLE is checked in the same way, and against what the table is then.
ALTER TABLE c SET TBLPROPERTIES ('quote' = '');
-- ! IllegalArgumentException OPTION_EMPTY csv.quote-character must not be empty
ALTER TABLE c SET TBLPROPERTIES ('file.compression' = 'snappy7');
-- ! IllegalArgumentException OPTION_MALFORMED a codec of CSV
ALTER TABLE c SET TBLPROPERTIES ('sep' = '"');
-- ! IllegalArgumentException *
ALTER TABLE c ADD COLUMN a ARRAY<INT>;
-- ! UnsupportedOperationException FORMAT_TYPE_UNSUPPORTED column a of ${db}.c
ALTER TABLE x ADD COLUMN other STRING;
-- ! UnsupportedOperationException FORMAT_COLUMNS_UNSUPPORTED ${db}.x
ALTER TABLE j SET TBLPROPERTIES ('file.format' = 'csv');
-- ! UnsupportedOperationException FORMAT_TYPE_UNSUPPORTED column a of ${db}.j
ALTER TABLE j SET TBLPROPERTIES ('file.format' = 'avro');
-- ! UnsupportedOperationException FILE_FORMAT_UNSUPPORTED avro
ALTER TABLE j SET TBLPROPERTIES ('file.format' = 'ORC');
DESCRIBE EXTENDED j;
-- ~ Provider | orc
ALTER TABLE j UNSET TBLPROPERTIES ('file.format');
DESCRIBE EXTENDED j;
-- ~ Provider | parquet
