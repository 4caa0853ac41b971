-- catalogs: every
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a');
-- Rows of a format table cannot be changed one by one.
UPDATE t SET id = 2;
-- ! UnsupportedOperationException UNSUPPORTED_FEATURE.TABLE_OPERATION `t` does not support UPDATE
DELETE FROM t WHERE id = 1;
-- ! AnalysisException * Table does not support deletes: ${catalog}.${db}.t
MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE;
-- ! UnsupportedOperationException UNSUPPORTED_FEATURE.TABLE_OPERATION `t` does not support MERGE
-- What is no format of a format table makes none.
CREATE TABLE f (id INT) USING avro;
-- ! UnsupportedOperationException PROVIDER_UNSUPPORTED avro
CREATE TABLE f (id INT) USING delta;
-- ! UnsupportedOperationException PROVIDER_UNSUPPORTED delta
-- There are no views, no time travel and no bucketing.
CREATE VIEW v AS SELECT * FROM t;
-- ! AnalysisException * 
SELECT * FROM t VERSION AS OF 1;
-- ! AnalysisException * 
CREATE TABLE f (id INT) USING parquet CLUSTERED BY (id) INTO 4 BUCKETS;
-- ! UnsupportedOperationException PARTITION_EXPRESSION_UNSUPPORTED bucket
CREATE TABLE f (id INT DEFAULT 5) USING parquet;
-- ! AnalysisException * 
SELECT * FROM t;
-- > 1 | a
SHOW TABLES;
-- > ${db} | t | false
