-- catalogs: every
-- Partition columns may stand anywhere; rows are read and written in the declared order (P52).
CREATE TABLE t (ds STRING, age INT, ds1 STRING, name STRING, ds2 INT) USING parquet PARTITIONED BY (ds, ds1, ds2) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES ('a', 1, 'b', 'one', 7);
INSERT INTO t PARTITION (ds = 'c') VALUES (2, 'd', 'two', 8);
INSERT INTO t PARTITION (ds = 'e', ds1 = 'f', ds2 = 9) VALUES (3, 'three');
SELECT * FROM t;
-- > a | 1 | b | one | 7
-- > c | 2 | d | two | 8
-- > e | 3 | f | three | 9
SHOW PARTITIONS t;
-- > ds=a/ds1=b/ds2=7
-- > ds=c/ds1=d/ds2=8
-- > ds=e/ds1=f/ds2=9
SELECT ds FROM t;
-- > a
-- > c
-- > e
SELECT name, ds2, ds FROM t WHERE ds1 = 'd';
-- > two | 8 | c
SELECT age, name FROM t WHERE ds2 = 9 AND age = 3;
-- > 3 | three
INSERT OVERWRITE t PARTITION (ds = 'a', ds1) SELECT 4, 'g', 'four', 1;
SELECT * FROM t WHERE ds = 'a';
-- > a | 4 | g | four | 1
-- The order of PARTITIONED BY is the order of the directories, whatever the order of the columns.
CREATE TABLE o (hh INT, id INT, dt STRING) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO o VALUES (1, 2, 'x');
SHOW PARTITIONS o;
-- > dt=x/hh=1
SELECT * FROM o;
-- > 1 | 2 | x
-- Values go by the order of the table and never by a guess at what a query means (P51).
CREATE TABLE p (id STRING, dt STRING, value STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO p PARTITION (dt) SELECT 'id', 'dt', 'value' AS detail_ratio;
INSERT INTO p PARTITION (dt) SELECT 'id2', 'dt', 'value2' AS x UNION ALL SELECT 'id3', 'dt', 'value3';
SELECT * FROM p;
-- > id | dt | value
-- > id2 | dt | value2
-- > id3 | dt | value3
-- A table may consist of partition columns and one other.
CREATE TABLE one (a INT, b INT, c INT) USING parquet PARTITIONED BY (a, c) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO one VALUES (1, 2, 3), (1, 5, 3);
SELECT c, count(*) FROM one GROUP BY c;
-- > 3 | 2
