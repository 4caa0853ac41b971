-- catalogs: every
-- What holds for databases of every catalog, also of one that is nothing but directories.
CREATE DATABASE ${catalog}.${db}_a;
CREATE DATABASE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_ALREADY_EXISTS ${db}_a
SHOW DATABASES IN ${catalog} LIKE '${db}_*';
-- > ${db}_a
CREATE TABLE ${catalog}.${db}_a.t (id INT) USING parquet;
DROP DATABASE ${catalog}.${db}_a;
-- ! AnalysisException SCHEMA_NOT_EMPTY ${db}_a
DROP DATABASE ${catalog}.${db}_a CASCADE;
DROP DATABASE IF EXISTS ${catalog}.${db}_a;
SHOW DATABASES IN ${catalog} LIKE '${db}_*';
-- > none
