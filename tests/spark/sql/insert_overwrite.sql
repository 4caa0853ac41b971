-- catalogs: every
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1), (4, NULL, 1);
-- A complete static partition is replaced and nothing else, whatever the overwrite mode.
INSERT OVERWRITE t PARTITION (dt = 'x', hh = 1) VALUES (10);
SELECT * FROM t;
-- > 10 | x | 1
-- > 2 | x | 2
-- > 3 | y | 1
-- > 4 | NULL | 1
-- STATIC mode, which is the default: a static prefix means all partitions below it.
INSERT OVERWRITE t PARTITION (dt = 'x', hh) VALUES (11, 3);
SELECT * FROM t;
-- > 11 | x | 3
-- > 3 | y | 1
-- > 4 | NULL | 1
INSERT OVERWRITE t PARTITION (dt = null, hh) VALUES (40, 9);
SELECT * FROM t WHERE dt IS NULL;
-- > 40 | NULL | 9
-- DYNAMIC mode: the partitions that are written are replaced, also below a static prefix.
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT INTO t VALUES (12, 'x', 4);
INSERT OVERWRITE t PARTITION (dt = 'x', hh) VALUES (13, 4);
INSERT OVERWRITE t VALUES (30, 'y', 1), (31, 'z', 1);
SELECT * FROM t;
-- > 11 | x | 3
-- > 13 | x | 4
-- > 30 | y | 1
-- > 31 | z | 1
-- > 40 | NULL | 9
-- A query without rows changes nothing then, except for a complete static partition, which it empties or makes (P49).
INSERT OVERWRITE t SELECT 1, 'x', 3 WHERE false;
INSERT OVERWRITE t PARTITION (dt = 'x', hh = 4) SELECT 1 WHERE false;
INSERT OVERWRITE t PARTITION (dt = 'new', hh = 1) SELECT 1 WHERE false;
SELECT * FROM t;
-- > 11 | x | 3
-- > 30 | y | 1
-- > 31 | z | 1
-- > 40 | NULL | 9
SHOW PARTITIONS t PARTITION (dt = 'new');
-- > dt=new/hh=1
-- STATIC mode without values replaces the whole table, also by no rows; every partition stays known.
SET spark.sql.sources.partitionOverwriteMode = static;
INSERT OVERWRITE t VALUES (50, 'w', 1);
SELECT * FROM t;
-- > 50 | w | 1
SHOW PARTITIONS t PARTITION (dt = 'x');
-- > dt=x/hh=1
-- > dt=x/hh=2
-- > dt=x/hh=3
-- > dt=x/hh=4
INSERT OVERWRITE t SELECT * FROM t WHERE false;
SELECT * FROM t;
-- > none
-- An overwrite may read what it replaces.
INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2);
INSERT OVERWRITE t PARTITION (dt = 'x', hh = 1) SELECT id + 100 FROM t WHERE dt = 'x';
SELECT * FROM t;
-- > 101 | x | 1
-- > 102 | x | 1
-- > 2 | x | 2
INSERT OVERWRITE t SELECT id + 1000, dt, hh FROM t;
SELECT * FROM t;
-- > 1002 | x | 2
-- > 1101 | x | 1
-- > 1102 | x | 1
-- A query that fails changes nothing.
INSERT OVERWRITE t SELECT if(id = 1102, raise_error('boom'), id), dt, hh FROM t;
-- ! SparkRuntimeException * boom
SELECT count(*) FROM t;
-- > 3
-- Static values are a leading run of the partition columns.
INSERT OVERWRITE t PARTITION (dt, hh = 1) VALUES (1, 'x');
-- ! IllegalArgumentException STATIC_PARTITION_GAP Static partition column 'hh' cannot be specified without its leading partition.
INSERT OVERWRITE t PARTITION (nope = 1) VALUES (1, 'x', 1);
-- ! AnalysisException * nope
-- Column lists and BY NAME.
INSERT OVERWRITE t PARTITION (dt = 'x', hh = 1) (id) VALUES (7);
INSERT OVERWRITE t BY NAME SELECT 1 AS hh, 'v' AS dt, 8 AS id;
SELECT * FROM t;
-- > 8 | v | 1
-- REPLACE WHERE takes values of leading partition columns, and no other condition.
INSERT INTO t REPLACE WHERE dt = 'v' SELECT 9, 'v', 2;
SELECT * FROM t;
-- > 9 | v | 2
INSERT INTO t REPLACE WHERE dt > 'a' SELECT 9, 'v', 2;
-- ! UnsupportedOperationException OVERWRITE_CONDITION_UNSUPPORTED ${db}.t
INSERT INTO t REPLACE WHERE id = 9 SELECT 9, 'v', 2;
-- ! IllegalArgumentException STATIC_PARTITION_UNKNOWN id
-- A table without partitions is replaced as a whole, also by no rows.
CREATE TABLE u (id INT) USING parquet;
INSERT INTO u VALUES (1), (2);
INSERT OVERWRITE u SELECT id * 10 FROM u;
SELECT * FROM u;
-- > 10
-- > 20
INSERT OVERWRITE u SELECT 1 WHERE false;
SELECT * FROM u;
-- > none
-- A table can forbid the overwrite that replaces all of it (P42).
ALTER TABLE t SET TBLPROPERTIES ('write.overwrite.require-partition' = 'true');
INSERT OVERWRITE t VALUES (1, 'x', 1);
-- ! UnsupportedOperationException OVERWRITE_NEEDS_PARTITION write.overwrite.require-partition
INSERT OVERWRITE t PARTITION (dt = 'v', hh = 2) VALUES (1);
SELECT * FROM t;
-- > 1 | v | 2
