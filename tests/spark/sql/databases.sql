-- catalogs: managed
-- A database keeps its comment and its properties.
CREATE DATABASE ${catalog}.${db}_a COMMENT 'it''s one' WITH DBPROPERTIES ('k' = 'v');
DESCRIBE DATABASE EXTENDED ${catalog}.${db}_a;
-- ~ Comment | it's one
-- ~ ((k,v))
-- Creating it again fails, unless IF NOT EXISTS says that this is fine.
CREATE DATABASE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_ALREADY_EXISTS ${db}_a
CREATE DATABASE IF NOT EXISTS ${catalog}.${db}_a;
-- Properties, comment and owner can be changed.
ALTER DATABASE ${catalog}.${db}_a SET DBPROPERTIES ('k' = 'w', 'k2' = 'v2');
ALTER DATABASE ${catalog}.${db}_a UNSET DBPROPERTIES ('k2');
COMMENT ON DATABASE ${catalog}.${db}_a IS 'two';
DESCRIBE DATABASE EXTENDED ${catalog}.${db}_a;
-- ~ Comment | two
-- ~ ((k,w))
-- SHOW DATABASES takes a pattern.
SHOW DATABASES IN ${catalog} LIKE '${db}_*';
-- > ${db}_a
-- The database 'default' is always there.
SHOW DATABASES IN ${catalog} LIKE 'def*';
-- > default
DROP DATABASE ${catalog}.default;
-- ! IllegalArgumentException DATABASE_DEFAULT_KEPT default
-- USE makes it the current one, in which names without a database are looked up.
USE ${catalog}.${db}_a;
SELECT current_catalog(), current_database();
-- > ${catalog} | ${db}_a
CREATE TABLE t (id INT) USING parquet;
SHOW TABLES;
-- > ${db}_a | t | false
SHOW TABLES IN ${catalog}.${db} LIKE 't*';
-- > none
-- A database with tables is dropped only with CASCADE.
USE ${catalog}.${db};
DROP DATABASE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_NOT_EMPTY ${db}_a
DROP DATABASE ${catalog}.${db}_a CASCADE;
SHOW DATABASES IN ${catalog} LIKE '${db}_*';
-- > none
-- One that is not there is an error, unless IF EXISTS says that this is fine.
DROP DATABASE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_NOT_FOUND ${db}_a
DROP DATABASE IF EXISTS ${catalog}.${db}_a;
DESCRIBE DATABASE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_NOT_FOUND ${db}_a
USE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_NOT_FOUND ${db}_a
CREATE TABLE ${catalog}.${db}_a.t (id INT) USING parquet;
-- ! AnalysisException SCHEMA_NOT_FOUND ${db}_a
SHOW TABLES IN ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_NOT_FOUND ${db}_a
-- Databases do not nest.
CREATE TABLE ${catalog}.${db}.deeper.t (id INT) USING parquet;
-- ! AnalysisException * deeper
-- LOCATION puts the tables of a database elsewhere.
CREATE DATABASE ${catalog}.${db}_b LOCATION '${dir}/b';
CREATE TABLE ${catalog}.${db}_b.t (id INT) USING parquet;
DESCRIBE EXTENDED ${catalog}.${db}_b.t;
-- ~ Location | file:${dir}/b/t
DROP DATABASE ${catalog}.${db}_b CASCADE;
