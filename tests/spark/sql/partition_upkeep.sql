-- catalogs: managed
CREATE TABLE t (id INT, dt DATE) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true', 'partition.legacy-name' = 'true');
INSERT INTO t VALUES (1, DATE '2020-01-01'), (2, DATE '2020-01-02'), (3, current_date()), (4, NULL);
-- Partitions expire by the time that their values tell; one that tells none stays.
CALL sys.expire_partitions(table => '${catalog}.${db}.t', expiration_time => '30 d', max_expires => 1, dry_run => true);
-- > dt=18262
CALL sys.expire_partitions(table => 't', expiration_time => '30 d');
-- > dt=18262
-- > dt=18263
SELECT id FROM t;
-- > 3
-- > 4
CALL sys.expire_partitions(table => 't');
-- ! IllegalArgumentException PROCEDURE_ARGUMENT partition.expiration-time
CALL sys.expire_partitions(table => 't', expiration_time => '1 d', timestamp_formatter => 'QQ');
-- ! IllegalArgumentException PARTITION_TIME_PATTERN QQ
ALTER TABLE t SET TBLPROPERTIES ('partition.expiration-time' = '1 d', 'partition.expiration-strategy' = 'update-time');
CALL sys.expire_partitions(table => 't');
-- > none
ALTER TABLE t SET TBLPROPERTIES ('partition.expiration-strategy' = 'sometime');
-- ! IllegalArgumentException OPTION_MALFORMED sometime
-- mark_partition_done says in the catalog that partitions are complete.
CALL sys.mark_partition_done(table => 't', partitions => 'dt=__DEFAULT_PARTITION__');
-- > dt=__DEFAULT_PARTITION__
CALL sys.mark_partition_done(table => 't', partitions => 'dt=__DEFAULT_PARTITION__;dt=2020-01-01');
-- ! AnalysisException PARTITIONS_NOT_FOUND dt=18262
-- remove_orphan_files lists nothing that is younger than a day.
CALL sys.remove_orphan_files(table => 't');
-- > none
CALL sys.remove_orphan_files(table => 't', older_than => 'now');
-- ! IllegalArgumentException PROCEDURE_ARGUMENT older_than
-- The name of another catalog is none of this one's tables.
CALL sys.analyze(table => 'other.${db}.t');
-- ! IllegalArgumentException IDENTIFIER_MALFORMED other
