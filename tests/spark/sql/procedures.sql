-- catalogs: managed
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
-- Arguments may be named, or given in their order; a table without database is looked up in the current one.
CALL ${catalog}.sys.add_partition(table => '${db}.t', partition => 'dt=a/hh=1');
-- > dt=a/hh=1
CALL sys.add_partition('t', 'dt=b/hh=02');
-- > dt=b/hh=2
CALL sys.add_partition(partition => 'dt=b%2F1/hh=1', `table` => 't');
-- > dt=b%2F1/hh=1
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=b/hh=2
-- > dt=b%2F1/hh=1
CALL sys.add_partition('t', 'dt=c');
-- ! IllegalArgumentException PARTITION_VALUES_MISSING hh
CALL sys.add_partition('t', 'dt=a/hh=1', location => '${dir}');
-- ! IllegalArgumentException PARTITION_LOCATION_INVALID ${db}.t
INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 1), (3, 'b', 2);
-- analyze is ANALYZE TABLE, and answers with the rows of $$partitions that it measured.
CALL sys.analyze('t', 'dt=a');
-- ~ dt=a/hh=1 | 2 | 
-- ~ | 2 | 
CALL sys.analyze(table => 't', noscan => true, partition => 'dt=b/hh=2');
-- ~ dt=b/hh=2 | 1 | 
CALL sys.analyze(table => '${db}.t', partition => 'dt=nope');
-- ! AnalysisException PARTITIONS_NOT_FOUND dt=nope
CALL sys.analyze(table => 't', partition => 'hh=1');
-- ! IllegalArgumentException PARTITION_NOT_LEADING [hh]
-- repair is MSCK REPAIR TABLE, and tells what it did, or would do.
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=d/hh=1' USING parquet SELECT 4 AS id;
INSERT OVERWRITE DIRECTORY '${tables}/t/dt=e/hh=1' USING parquet SELECT 5 AS id;
CALL sys.repair('t', 'ADD', 'dt=d', true);
-- ~ dt=d/hh=1
CALL sys.repair(table => 't', partition => 'dt=d');
-- ~ dt=d/hh=1
SELECT * FROM t WHERE dt >= 'd';
-- > 4 | d | 1
CALL sys.repair(table => 't', mode => 'SYNC');
-- ~ dt=e/hh=1
CALL sys.repair('t');
-- > none
CALL sys.repair(table => 't', mode => 'sideways');
-- ! IllegalArgumentException REPAIR_MODE_INVALID sideways
-- drop_partitions drops by a condition.
CALL sys.drop_partitions(table => 't', where => "dt >= 'd' AND hh IN (1, 2)", dry_run => true);
-- > dt=d/hh=1
-- > dt=e/hh=1
CALL sys.drop_partitions('t', "dt >= 'd' OR dt = 'b/1'");
-- > dt=b%2F1/hh=1
-- > dt=d/hh=1
-- > dt=e/hh=1
SHOW PARTITIONS t;
-- > dt=a/hh=1
-- > dt=b/hh=2
CALL sys.drop_partitions('t', 'id = 1');
-- ! AnalysisException * id
CALL sys.drop_partitions('t', 'dt >');
-- ! IllegalArgumentException WHERE_MALFORMED position
-- Wrong calls say what is wrong.
CALL sys.analyze();
-- ! AnalysisException * table
CALL sys.analyze(nope => 1, table => 't');
-- ! AnalysisException * nope
CALL sys.analyze('t', 'dt=a', true, 'more');
-- ! AnalysisException * 4
CALL sys.analyze(table => 't', noscan => 'perhaps');
-- ! SparkRuntimeException CAST_INVALID_INPUT perhaps
CALL sys.analyze(table => 'nope');
-- ! AnalysisException TABLE_NOT_FOUND nope
CALL sys.analyse('t');
-- ! AnalysisException PROCEDURE_UNKNOWN analyze
CALL ${catalog}.elsewhere.analyze('t');
-- ! AnalysisException PROCEDURE_UNKNOWN namespace sys
SHOW PROCEDURES IN ${catalog}.sys;
-- ~ analyze
-- ~ repair
DESCRIBE PROCEDURE ${catalog}.sys.repair;
-- ~ repair
