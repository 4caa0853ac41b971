-- catalogs: managed
-- A directory that Spark wrote becomes a table by LOCATION; its partitions are its directories.
INSERT OVERWRITE DIRECTORY '${dir}/x/dt=a' USING parquet SELECT 1 AS id;
CREATE TABLE x (id INT, dt STRING) USING parquet PARTITIONED BY (dt) LOCATION '${dir}/x';
DESCRIBE EXTENDED x;
-- ~ Type | EXTERNAL
-- ~ Location | file:${dir}/x
SELECT * FROM x;
-- > 1 | a
INSERT INTO x VALUES (2, 'b');
SHOW PARTITIONS x;
-- > dt=a
-- > dt=b
-- The option 'path' says the same as LOCATION; two tables may lie on one directory.
CREATE TABLE y (id INT, dt STRING) USING parquet PARTITIONED BY (dt) OPTIONS ('path' = '${dir}/x');
SELECT * FROM y;
-- > 1 | a
-- > 2 | b
-- DROP TABLE forgets an external table and keeps its files.
DROP TABLE x;
SELECT * FROM y;
-- > 1 | a
-- > 2 | b
DROP TABLE y;
SELECT * FROM parquet.`${dir}/x`;
-- > 1 | a
-- > 2 | b
-- The directory is made when it is missing.
CREATE TABLE z (id INT) USING parquet LOCATION '${dir}/new/z';
SELECT * FROM z;
-- > none
INSERT INTO z VALUES (1);
-- The catalog cannot manage the partitions of an external table; the error says what to remove.
CREATE TABLE m (id INT, dt STRING) USING parquet PARTITIONED BY (dt) LOCATION '${dir}/m' TBLPROPERTIES ('metastore.partitioned-table' = 'true');
-- ! IllegalArgumentException MANAGED_PARTITIONS_EXTERNAL Catalog-managed partitions are only supported for internal tables
-- Statements that change registered partitions name the table and the way out.
CREATE TABLE m (id INT, dt STRING) USING parquet PARTITIONED BY (dt) LOCATION '${dir}/m';
ALTER TABLE m ADD PARTITION (dt = 'a');
-- ! UnsupportedOperationException PARTITIONS_NOT_MANAGED ${db}.m
