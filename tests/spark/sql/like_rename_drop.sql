-- catalogs: every
-- LIKE copies columns, partition columns, comment and properties, and no rows.
CREATE TABLE t (id INT NOT NULL COMMENT 'key', dt STRING) USING parquet PARTITIONED BY (dt) COMMENT 'first' TBLPROPERTIES ('mine' = 'x', 'metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a');
CREATE TABLE l LIKE t;
DESCRIBE EXTENDED l;
-- ~ id | int | key
-- ~ Comment | first
-- ~ mine=x
-- ~ Provider | parquet
SELECT * FROM l;
-- > none
SHOW PARTITIONS l;
-- > none
INSERT INTO l VALUES (2, 'b');
SELECT * FROM t;
-- > 1 | a
-- What LIKE says itself comes before what it copies.
CREATE TABLE l2 LIKE t TBLPROPERTIES ('mine' = 'y');
SHOW TBLPROPERTIES l2 ('mine');
-- > mine | y
CREATE TABLE IF NOT EXISTS l LIKE t;
CREATE TABLE l LIKE t;
-- ! AnalysisException TABLE_OR_VIEW_ALREADY_EXISTS l
-- RENAME takes rows and partitions along.
ALTER TABLE l RENAME TO renamed;
SELECT * FROM renamed;
-- > 2 | b
SHOW PARTITIONS renamed;
-- > dt=b
SELECT * FROM l;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND l
INSERT INTO renamed VALUES (3, 'c');
ALTER TABLE renamed RENAME TO t;
-- ! AnalysisException TABLE_OR_VIEW_ALREADY_EXISTS t
ALTER TABLE nope RENAME TO nope2;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
SELECT * FROM renamed;
-- > 2 | b
-- > 3 | c
-- A new table may take the old name, and is empty.
CREATE TABLE l (x STRING) USING parquet;
SELECT * FROM l;
-- > none
-- DROP TABLE of a table of its own takes the rows along: the name can be used again.
DROP TABLE t;
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
SELECT * FROM t;
-- > none
SHOW PARTITIONS t;
-- > none
DROP TABLE nope;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
DROP TABLE IF EXISTS nope;
DROP TABLE t PURGE;
-- ! UnsupportedOperationException * Purge table
SHOW TABLES LIKE 't';
-- > ${db} | t | false
