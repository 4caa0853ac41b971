-- catalogs: managed
-- Tables of other catalogs keep Spark's own statements, with our extension loaded (P97).
CREATE TABLE spark_catalog.default.${db}_p (id INT, dt STRING) USING parquet PARTITIONED BY (dt);
INSERT INTO spark_catalog.default.${db}_p VALUES (1, 'a'), (2, 'b');
USE spark_catalog.default;
ALTER TABLE ${db}_p ADD PARTITION (dt = 'c') LOCATION '${dir}/c';
ALTER TABLE ${db}_p ADD PARTITION (dt = 'c');
-- ! AnalysisException PARTITIONS_ALREADY_EXIST c
ALTER TABLE ${db}_p ADD IF NOT EXISTS PARTITION (dt = 'c');
ALTER TABLE ${db}_p PARTITION (dt = 'c') RENAME TO PARTITION (dt = 'd');
SHOW PARTITIONS ${db}_p;
-- > dt=a
-- > dt=b
-- > dt=d
ALTER TABLE ${db}_p DROP PARTITION (dt = 'd');
ALTER TABLE ${db}_p DROP PARTITION (dt = 'd');
-- ! AnalysisException PARTITIONS_NOT_FOUND d
MSCK REPAIR TABLE ${db}_p;
ANALYZE TABLE ${db}_p COMPUTE STATISTICS;
ANALYZE TABLE ${db}_p COMPUTE STATISTICS FOR ALL COLUMNS;
ANALYZE TABLE ${db}_p PARTITION (dt = 'a') COMPUTE STATISTICS NOSCAN;
DESCRIBE EXTENDED ${db}_p;
-- ~ 2 rows
INSERT OVERWRITE ${db}_p PARTITION (dt = 'a') SELECT 3;
TRUNCATE TABLE ${db}_p PARTITION (dt = 'b');
SELECT * FROM ${db}_p;
-- > 3 | a
-- So do they when our catalog is the current one.
USE ${catalog}.${db};
MSCK REPAIR TABLE spark_catalog.default.${db}_p SYNC PARTITIONS;
ALTER TABLE spark_catalog.default.${db}_p DROP IF EXISTS PARTITION (dt = 'nope');
TRUNCATE TABLE spark_catalog.default.${db}_p;
-- Rows go from one catalog to the other, and a table of ours can be made like one of Spark's.
INSERT INTO spark_catalog.default.${db}_p VALUES (7, 'x');
CREATE TABLE mine LIKE spark_catalog.default.${db}_p USING parquet;
DESCRIBE mine;
-- > id | int | NULL
-- > dt | string | NULL
-- > # Partition Information |  | 
-- > # col_name | data_type | comment
-- > dt | string | NULL
INSERT INTO mine SELECT * FROM spark_catalog.default.${db}_p;
SELECT * FROM mine;
-- > 7 | x
SELECT a.id FROM mine a JOIN spark_catalog.default.${db}_p b ON a.id = b.id AND a.dt = b.dt;
-- > 7
INSERT INTO spark_catalog.default.${db}_p SELECT id + 1, dt FROM mine;
SELECT count(*) FROM spark_catalog.default.${db}_p;
-- > 2
DROP TABLE spark_catalog.default.${db}_p;
