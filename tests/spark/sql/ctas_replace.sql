-- catalogs: every
-- CREATE TABLE AS SELECT makes the table with its rows and partitions.
CREATE TABLE a USING parquet AS SELECT id AS n, cast(id AS STRING) AS s FROM range(3);
SELECT * FROM a;
-- > 0 | 0
-- > 1 | 1
-- > 2 | 2
CREATE TABLE b USING parquet PARTITIONED BY (s) COMMENT 'copied' TBLPROPERTIES ('metastore.partitioned-table' = 'true') AS SELECT s, n FROM a;
SHOW PARTITIONS b;
-- > s=0
-- > s=1
-- > s=2
SELECT n FROM b WHERE s = '2';
-- > 2
DESCRIBE EXTENDED b;
-- ~ Comment | copied
-- A query without rows makes an empty table.
CREATE TABLE c USING parquet PARTITIONED BY (s) AS SELECT * FROM a WHERE n > 10;
SELECT * FROM c;
-- > none
-- A query that fails makes no table, and leaves nothing in its directory.
CREATE TABLE d USING parquet PARTITIONED BY (s) AS SELECT n, s, if(n < 2, n, raise_error('boom')) AS x FROM a;
-- ! SparkRuntimeException * boom
SHOW TABLES LIKE 'd';
-- > none
CREATE TABLE d USING parquet AS SELECT 1 AS n;
SELECT * FROM d;
-- > 1
CREATE TABLE a USING parquet AS SELECT 1 AS n;
-- ! AnalysisException TABLE_OR_VIEW_ALREADY_EXISTS a
CREATE TABLE IF NOT EXISTS a USING parquet AS SELECT 1 AS n;
SELECT count(*) FROM a;
-- > 3
CREATE TABLE e USING paimon AS SELECT 1 AS n;
-- ! UnsupportedOperationException SNAPSHOT_TABLE_UNSUPPORTED USING parquet
-- CREATE OR REPLACE changes columns, partition columns and rows together.
CREATE OR REPLACE TABLE b USING parquet PARTITIONED BY (n) TBLPROPERTIES ('metastore.partitioned-table' = 'true') AS SELECT n * 10 AS n, s AS text FROM a WHERE n > 0;
SELECT * FROM b;
-- > 10 | 1
-- > 20 | 2
SHOW PARTITIONS b;
-- > n=10
-- > n=20
-- It may read the table that it replaces.
CREATE OR REPLACE TABLE b USING parquet AS SELECT text, n + 1 AS n FROM b;
SELECT text, n FROM b;
-- > 1 | 11
-- > 2 | 21
-- A query that fails leaves the old table as it was, rows and definition.
CREATE OR REPLACE TABLE b USING parquet AS SELECT text, if(n < 20, n, raise_error('boom')) AS x FROM b;
-- ! SparkRuntimeException * boom
SELECT text, n FROM b;
-- > 1 | 11
-- > 2 | 21
-- REPLACE wants a table to be there; without AS SELECT it leaves it empty.
REPLACE TABLE nope (id INT) USING parquet;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
REPLACE TABLE nope USING parquet AS SELECT 1 AS id;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
REPLACE TABLE b (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
SELECT * FROM b;
-- > none
SHOW PARTITIONS b;
-- > none
REPLACE TABLE b USING parquet AS SELECT 5 AS five;
SELECT * FROM b;
-- > 5
-- CREATE OR REPLACE of a table that is not there makes it.
CREATE OR REPLACE TABLE fresh (id INT) USING parquet;
CREATE OR REPLACE TABLE fresh2 USING parquet AS SELECT 1 AS id;
SELECT * FROM fresh2;
-- > 1
-- A replaced table has none of the old properties.
CREATE OR REPLACE TABLE fresh (id INT) USING parquet TBLPROPERTIES ('mine' = 'x');
CREATE OR REPLACE TABLE fresh (id INT) USING parquet;
SHOW TBLPROPERTIES fresh ('mine');
-- ~ does not have property: mine
