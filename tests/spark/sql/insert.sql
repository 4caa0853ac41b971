-- catalogs: every
CREATE TABLE t (id INT, name STRING, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
-- Dynamic: the values of the rows say to which partitions they go.
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'b', 'y', 2);
-- Static: the clause says it for all rows; mixed: for the leading columns. INSERT INTO appends.
INSERT INTO t PARTITION (dt = 'x', hh = 1) VALUES (3, 'c');
INSERT INTO t PARTITION (dt = 'x', hh) SELECT 4, 'd', 2;
INSERT INTO t PARTITION (dt, hh) SELECT 5, 'e', 'z', 3;
-- A static value behind a dynamic column, too.
INSERT INTO t PARTITION (dt, hh = 4) SELECT 6, 'f', 'z';
SELECT * FROM t;
-- > 1 | a | x | 1
-- > 2 | b | y | 2
-- > 3 | c | x | 1
-- > 4 | d | x | 2
-- > 5 | e | z | 3
-- > 6 | f | z | 4
SHOW PARTITIONS t;
-- > dt=x/hh=1
-- > dt=x/hh=2
-- > dt=y/hh=2
-- > dt=z/hh=3
-- > dt=z/hh=4
-- A column list gives another order, and leaves columns out; those become NULL.
CREATE TABLE c (id INT, name STRING, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO c (dt, id) VALUES ('x', 1);
INSERT INTO c (name, dt, id) VALUES ('b', 'y', 2);
INSERT INTO c PARTITION (dt = 'z') (name, id) VALUES ('c', 3);
-- BY NAME takes the columns of the query by their names.
INSERT INTO c BY NAME SELECT 'w' AS dt, 4 AS id;
INSERT INTO c BY NAME SELECT 5 AS id, 'e' AS name, 'w' AS dt;
SELECT id, name, dt FROM c;
-- > 1 | NULL | x
-- > 2 | b | y
-- > 3 | c | z
-- > 4 | NULL | w
-- > 5 | e | w
INSERT INTO c BY NAME SELECT 5 AS id, 'w' AS dt, 1 AS nope;
-- ! AnalysisException * nope
INSERT INTO c (id, nope) VALUES (1, 2);
-- ! AnalysisException * nope
INSERT INTO c VALUES (1, 'a');
-- ! AnalysisException * c
INSERT INTO c PARTITION (nope = 'x') VALUES (1, 'a');
-- ! AnalysisException * nope
-- A static complete partition is made also by a query without rows; a dynamic one is not.
TRUNCATE TABLE c;
INSERT INTO c PARTITION (dt = 'empty') SELECT 1, 'a' WHERE false;
INSERT INTO c SELECT 1, 'a', 'dynamic' WHERE false;
SHOW PARTITIONS c PARTITION (dt = 'empty');
-- > dt=empty
SHOW PARTITIONS c PARTITION (dt = 'dynamic');
-- > none
-- A static value is read as its column's type, once and strictly, with and without rows (P21, P27).
CREATE TABLE typed (id INT, day DATE, n INT, d DECIMAL(10, 2)) USING parquet PARTITIONED BY (day, n, d) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO typed PARTITION (day = '2024-1-6', n = '00012', d = '1.5') SELECT 1 WHERE false;
INSERT INTO typed PARTITION (day = '2024-01-06', n = 12, d = 1.50) VALUES (1);
SHOW PARTITIONS typed;
-- > day=2024-01-06/n=12/d=1.50
INSERT INTO typed PARTITION (day = '2024-01-06', n = 'abc', d = '1.5') VALUES (1);
-- ! NumberFormatException CAST_INVALID_INPUT abc
-- NULL, the empty text and blanks go to the partition of NULL (P25); reading gives NULL.
CREATE TABLE n (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO n PARTITION (dt = null) SELECT 0 WHERE false;
SHOW PARTITIONS n;
-- > dt=null
INSERT INTO n VALUES (1, NULL), (2, ''), (3, '  '), (4, 'x');
SELECT id FROM n WHERE dt IS NULL;
-- > 1
-- > 2
-- > 3
SHOW PARTITIONS n;
-- > dt=null
-- > dt=x
-- A text that is the name of that partition would come back as NULL, so it is not written.
INSERT INTO n VALUES (5, '__DEFAULT_PARTITION__');
-- ! IllegalArgumentException PARTITION_VALUE_RESERVED dt
SELECT count(*) FROM n;
-- > 4
-- NULL in a NOT NULL column is refused, and nothing of the statement stays.
CREATE TABLE r (id INT NOT NULL, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO r SELECT if(id = 1, NULL, id), 'x' FROM range(3);
-- ! SparkRuntimeException * NULL
SELECT * FROM r;
-- > none
SHOW PARTITIONS r;
-- > none
-- INSERT reads the table it writes.
INSERT INTO n SELECT id + 10, 'again' FROM n WHERE dt = 'x';
SELECT id FROM n WHERE dt = 'again';
-- > 14
-- Without partitions it is the same.
CREATE TABLE u (id INT, name STRING) USING parquet;
INSERT INTO u VALUES (1, 'a');
INSERT INTO u SELECT id + 1, 'b' FROM u;
SELECT * FROM u;
-- > 1 | a
-- > 2 | b
INSERT INTO u PARTITION (id = 1) VALUES ('a');
-- ! AnalysisException * id
-- A table can ask for its rows to be brought together by partition before they are written.
EXPLAIN INSERT INTO n SELECT cast(id AS INT), 'x' FROM range(2);
-- ~ paimon ${catalog}.${db}.n [append
ALTER TABLE n SET TBLPROPERTIES ('partition.sink-strategy' = 'hash');
EXPLAIN INSERT INTO n SELECT cast(id AS INT), concat('x', id) FROM range(2);
-- ~ hashpartitioning(
INSERT INTO n SELECT cast(id AS INT), concat('x', id) FROM range(20, 22);
SELECT * FROM n WHERE id >= 20;
-- > 20 | x20
-- > 21 | x21
