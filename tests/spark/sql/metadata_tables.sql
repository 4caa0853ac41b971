-- catalogs: managed
CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) TBLPROPERTIES ('metastore.partitioned-table' = 'true', 'mine' = 'x');
INSERT INTO t VALUES (1, 'a b/c', 1), (2, 'a b/c', 2), (3, NULL, 1);
ALTER TABLE t ADD PARTITION (dt = 'new', hh = 1);
-- $$partitions has a row for each partition; unknown numbers are NULL, and so is the default location.
DESCRIBE `t$$partitions`;
-- > partition | string | NULL
-- > record_count | bigint | NULL
-- > file_size_in_bytes | bigint | NULL
-- > file_count | bigint | NULL
-- > last_file_creation_time | timestamp | NULL
-- > file_format | string | NULL
-- > location | string | NULL
SELECT partition, record_count, file_count, file_format, location FROM `t$$partitions`;
-- > dt=__DEFAULT_PARTITION__/hh=1 | 1 | 1 | parquet | NULL
-- > dt=a b%2Fc/hh=1 | 1 | 1 | parquet | NULL
-- > dt=a b%2Fc/hh=2 | 1 | 1 | parquet | NULL
-- > dt=new/hh=1 | NULL | NULL | parquet | NULL
SELECT abs(unix_seconds(last_file_creation_time) - unix_seconds(now())) < 600 FROM `t$$partitions` WHERE record_count = 1;
-- > true
-- > true
-- > true
-- They are tables as others: conditions, joins and aggregates work.
SELECT count(*), sum(record_count) FROM ${catalog}.${db}.`t$$partitions` WHERE partition LIKE 'dt=a%';
-- > 2 | 2
-- $$files has a row for each data file.
SELECT partition, file_format, count(*), min(file_size_in_bytes) > 0 FROM `t$$files` GROUP BY ALL;
-- > dt=__DEFAULT_PARTITION__/hh=1 | parquet | 1 | true
-- > dt=a b%2Fc/hh=1 | parquet | 1 | true
-- > dt=a b%2Fc/hh=2 | parquet | 1 | true
SELECT count(*) FROM `t$$files` f JOIN `t$$partitions` p USING (partition);
-- > 3
-- $$options has the properties.
SELECT * FROM `t$$options`;
-- > file.format | parquet
-- > metastore.partitioned-table | true
-- > mine | x
-- > type | format-table
-- Nothing can be written to them.
INSERT INTO `t$$options` VALUES ('a', 'b');
-- ! AnalysisException * options
DROP TABLE `t$$options`;
-- ! UnsupportedOperationException METADATA_TABLE_FIXED t$$options
-- Others there are not.
SELECT * FROM `t$$snapshots`;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND t$$snapshots
SELECT * FROM `nope$$options`;
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope$$options
-- A table without partition columns has one group of files.
CREATE TABLE u (id INT) USING parquet;
INSERT INTO u VALUES (1);
SELECT partition, file_format FROM `u$$files`;
-- >  | parquet
SELECT count(*) FROM `u$$partitions`;
-- > 0
