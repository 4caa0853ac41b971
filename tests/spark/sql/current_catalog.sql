-- catalogs: every
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a');
-- A temporary view hides a table of its name where no database is given.
CREATE TEMPORARY VIEW t AS SELECT 'view' AS what;
SELECT * FROM t;
-- > view
SELECT * FROM ${db}.t;
-- > 1 | a
SELECT * FROM ${catalog}.${db}.t;
-- > 1 | a
ANALYZE TABLE t COMPUTE STATISTICS;
-- ! AnalysisException EXPECT_PERMANENT_VIEW_NOT_TEMP `t`
ALTER TABLE t DROP PARTITION (dt = 'a');
-- ! AnalysisException EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE t
INSERT INTO t VALUES (2, 'b');
-- ! AnalysisException * t
DROP VIEW t;
SELECT * FROM t;
-- > 1 | a
CREATE TEMPORARY VIEW v AS SELECT id FROM t WHERE dt = 'a';
SELECT * FROM v;
-- > 1
-- With USE, a name of two parts begins with a database of the current catalog; statements work from anywhere.
USE spark_catalog;
SELECT * FROM ${catalog}.${db}.t;
-- > 1 | a
INSERT INTO ${catalog}.${db}.t PARTITION (dt = 'b') SELECT 2;
SHOW PARTITIONS ${catalog}.${db}.t;
-- > dt=a
-- > dt=b
TRUNCATE TABLE ${catalog}.${db}.t PARTITION (dt = 'b');
SELECT * FROM ${db}.t;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND ${db}
USE ${catalog};
SELECT * FROM ${db}.t;
-- > 1 | a
SHOW TABLES IN ${db};
-- > ${db} | t | false
DESCRIBE ${db}.t id;
-- ~ data_type | int
-- What is temporary goes with the session; what is created from one catalog may go to another.
CREATE TABLE ${catalog}.${db}.copy USING parquet AS SELECT * FROM ${catalog}.${db}.t;
SELECT * FROM ${db}.copy;
-- > 1 | a
