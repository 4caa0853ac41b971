-- catalogs: every
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
SELECT sys.max_pt('t');
-- ! UnsupportedOperationException NO_PARTITION_WITH_DATA ${db}.t
INSERT INTO t VALUES (1, '20240101', 9), (2, '20240103', 10), (3, '20240102', 11), (4, NULL, 1);
SELECT sys.max_pt('t'), ${catalog}.sys.max_pt('${db}.t'), ${catalog}.SYS.MAX_PT('`${catalog}`.`${db}`.`t`');
-- > 20240103 | 20240103 | 20240103
SELECT id FROM t WHERE dt = sys.max_pt('t');
-- > 2
-- It is known before partitions are selected.
EXPLAIN SELECT id FROM t WHERE dt = sys.max_pt('${db}.t');
-- ~ partitions scanned: 1
-- Each query looks anew.
INSERT INTO t VALUES (5, '20240104', 1);
SELECT id FROM t WHERE dt = sys.max_pt('${db}.t') ORDER BY id;
-- > 5
TRUNCATE TABLE t PARTITION (dt = '20240104');
SELECT id FROM t WHERE dt = sys.max_pt('${db}.t');
-- > 2
SELECT sys.max_pt(CAST(NULL AS STRING));
-- > NULL
SELECT sys.max_pt('missing');
-- ! AnalysisException * missing
SELECT sys.max_pt(dt) FROM t;
-- ! SparkRuntimeException MAX_PT_NOT_CONSTANT constant
SELECT sys.max_pt('t', 't');
-- ! AnalysisException * max_pt
SELECT sys.max_pt(1);
-- ! AnalysisException * max_pt
SELECT sys.nothing('t');
-- ! AnalysisException UNRESOLVED_ROUTINE nothing
CREATE TABLE plain (id INT) USING parquet;
SELECT sys.max_pt('plain');
-- ! IllegalArgumentException TABLE_NOT_PARTITIONED plain
-- A column of another type is compared as its type.
CREATE TABLE n (id INT, k INT) USING parquet PARTITIONED BY (k) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO n VALUES (1, 9), (2, 10);
SELECT id FROM n WHERE k = sys.max_pt('n');
-- > 2
