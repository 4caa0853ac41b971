-- catalogs: every
-- P39: an upper-case partition column and a value with a dot, a slash and an equals sign.
CREATE TABLE t (id INT, DT STRING) USING parquet PARTITIONED BY (DT) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a.b'), (2, 'A=1/x.Y');
INSERT INTO t PARTITION (dt = 'c.D') VALUES (3);
SELECT id, dt FROM t WHERE Dt = 'A=1/x.Y' OR dT = 'c.D';
-- > 2 | A=1/x.Y
-- > 3 | c.D
SHOW PARTITIONS t;
-- > DT=A%3D1%2Fx.Y
-- > DT=a.b
-- > DT=c.D
INSERT OVERWRITE t PARTITION (dt = 'a.b') VALUES (4);
SELECT id FROM t WHERE DT = 'a.b';
-- > 4
-- P64: a file that holds a header only is no reason for LIMIT 1 to return nothing.
CREATE TABLE c (id INT, s STRING) USING csv TBLPROPERTIES ('csv.include-header' = 'true');
INSERT INTO c SELECT 1, 'x' WHERE rand() > 2;
INSERT OVERWRITE DIRECTORY '${tables}/c/1' USING csv OPTIONS ('header' = 'true') SELECT 1 AS id, 'x' AS s WHERE false;
INSERT OVERWRITE DIRECTORY '${tables}/c/2' USING csv OPTIONS ('header' = 'true') SELECT 2 AS id, 'y' AS s;
SELECT * FROM c LIMIT 1;
-- > 2 | y
SELECT count(*) FROM c;
-- > 1
