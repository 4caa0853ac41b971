-- catalogs: every
-- The files of these tables come from Spark's own writers, below partitions that are found by their directories.
CREATE TABLE c (a INT, b INT, c INT, dt STRING) USING csv PARTITIONED BY (dt);
INSERT OVERWRITE DIRECTORY '${tables}/c/dt=x' USING csv SELECT 1, 2, 3;
CREATE TABLE j (a INT, b INT, c INT, dt STRING) USING json PARTITIONED BY (dt);
INSERT OVERWRITE DIRECTORY '${tables}/j/dt=x' USING json SELECT 1 AS a, 2 AS b, 3 AS c;
-- CSV goes by position: while there are files, columns come and go at the end only.
ALTER TABLE c DROP COLUMN a;
-- ! UnsupportedOperationException COLUMN_POSITION_WITH_DATA ${db}.c
ALTER TABLE c ADD COLUMN d INT AFTER a;
-- ! UnsupportedOperationException COLUMN_POSITION_WITH_DATA ${db}.c
ALTER TABLE c ADD COLUMN d INT FIRST;
-- ! UnsupportedOperationException COLUMN_POSITION_WITH_DATA ${db}.c
ALTER TABLE c ALTER COLUMN c FIRST;
-- ! UnsupportedOperationException COLUMN_POSITION_WITH_DATA ${db}.c
ALTER TABLE c ALTER COLUMN dt FIRST;
ALTER TABLE c RENAME COLUMN a TO first;
ALTER TABLE c ADD COLUMN d INT;
ALTER TABLE c ALTER COLUMN b TYPE BIGINT;
ALTER TABLE c DROP COLUMNS (c, d);
DESCRIBE c;
-- ~ dt | string | NULL
-- ~ first | int | NULL
-- ~ b | bigint | NULL
-- A column in the place of a dropped one would show its values.
ALTER TABLE c ADD COLUMN e INT;
-- ! UnsupportedOperationException COLUMN_NAME_REUSED dropped column c, d
TRUNCATE TABLE c;
ALTER TABLE c ADD COLUMN e INT;
ALTER TABLE c DROP COLUMN first;
-- The other formats go by name: columns come, go and move, but no name changes or comes back.
ALTER TABLE j ADD COLUMN d INT FIRST;
ALTER TABLE j ALTER COLUMN c FIRST;
ALTER TABLE j DROP COLUMN b;
ALTER TABLE j RENAME COLUMN a TO z;
-- ! UnsupportedOperationException RENAME_COLUMN_WITH_DATA JSON finds columns by name
ALTER TABLE j ADD COLUMN B STRING;
-- ! UnsupportedOperationException COLUMN_NAME_REUSED Column B
SHOW TBLPROPERTIES j ('spark_paimon.dropped-columns');
-- ~ does not have property
SELECT count(*) FROM `j$$options` WHERE key LIKE '%dropped%';
-- > 0
ALTER TABLE j SET TBLPROPERTIES ('spark_paimon.dropped-columns' = '[]');
-- ! UnsupportedOperationException OPTION_IMMUTABLE spark_paimon.dropped-columns
TRUNCATE TABLE j;
ALTER TABLE j RENAME COLUMN a TO z;
ALTER TABLE j ADD COLUMN b STRING;
-- REPLACE COLUMNS drops and adds, so it may not name a column that files have.
CREATE TABLE r (a INT, b STRING) USING parquet;
INSERT INTO r VALUES (1, 'x');
ALTER TABLE r REPLACE COLUMNS (a INT, c STRING);
-- ! UnsupportedOperationException COLUMN_NAME_REUSED Column a
SELECT * FROM r;
-- > 1 | x
ALTER TABLE r REPLACE COLUMNS (d INT, e STRING);
SELECT * FROM r;
-- > NULL | NULL
TRUNCATE TABLE r;
ALTER TABLE r REPLACE COLUMNS (a INT, c STRING);
-- Types grow as far as every reader follows.
CREATE TABLE w (i INT, n BIGINT, d DATE, f FLOAT, m DECIMAL(5, 2)) USING parquet;
ALTER TABLE w ALTER COLUMN n TYPE DOUBLE;
-- ! UnsupportedOperationException COLUMN_CHANGE_REFUSED column n
ALTER TABLE w ALTER COLUMN i TYPE STRING;
-- ! UnsupportedOperationException COLUMN_CHANGE_REFUSED column i
ALTER TABLE w ALTER COLUMN d TYPE TIMESTAMP;
-- ! UnsupportedOperationException COLUMN_CHANGE_REFUSED column d
ALTER TABLE w ALTER COLUMN i TYPE DOUBLE;
ALTER TABLE w ALTER COLUMN n TYPE DECIMAL(20, 0);
ALTER TABLE w ALTER COLUMN d TYPE TIMESTAMP_NTZ;
ALTER TABLE w ALTER COLUMN f TYPE DOUBLE;
ALTER TABLE w ALTER COLUMN m TYPE DECIMAL(7, 3);
DESCRIBE w;
-- > i | double | NULL
-- > n | decimal(20,0) | NULL
-- > d | timestamp_ntz | NULL
-- > f | double | NULL
-- > m | decimal(7,3) | NULL
