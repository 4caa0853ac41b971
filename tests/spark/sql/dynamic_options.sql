-- catalogs: every
CREATE TABLE t (id INT, s STRING) USING csv;
INSERT INTO t VALUES (1, 'a'), (2, '-');
-- A setting of the session acts at once, on the tables that it names; the more exact one counts.
SET `spark.paimon.csv.null-literal`=a;
SELECT * FROM t ORDER BY id;
-- > 1 | NULL
-- > 2 | -
SET `spark.paimon.${catalog}.${db}.*.csv.null-literal`=-;
SET `spark.paimon.*.other.t.csv.null-literal`=x;
SELECT * FROM t ORDER BY id;
-- > 1 | a
-- > 2 | NULL
-- Options of a query count before it.
SELECT * FROM t WITH (`csv.null-literal` = 'a') ORDER BY id;
-- > 1 | NULL
-- > 2 | -
-- Options of this use are shown, and what is stored stays as it is.
SELECT value FROM `t$$options` WHERE key = 'csv.null-literal';
-- > -
RESET `spark.paimon.csv.null-literal`;
RESET `spark.paimon.${catalog}.${db}.*.csv.null-literal`;
SELECT count(s) FROM t;
-- > 2
SELECT value FROM `t$$options` WHERE key = 'csv.null-literal';
-- > none
-- Writes take them too.
INSERT INTO t WITH (`data-file.prefix` = 'mine-') VALUES (3, 'c');
SELECT count(*) FROM `t$$files` WHERE file_path LIKE '%/mine-%';
-- > 1
SET `spark.paimon.*.*.t.file.compression`=gzip;
INSERT INTO t VALUES (4, 'd');
SELECT count(*) FROM `t$$files` WHERE file_path LIKE '%.gz';
-- > 1
CREATE TABLE u USING csv AS SELECT 1 AS id;
SELECT count(*) FROM `u$$files` WHERE file_path LIKE '%.gz';
-- > 0
RESET `spark.paimon.*.*.t.file.compression`;
SELECT count(*) FROM t;
-- > 4
-- A value that does not parse is refused under its key; so is what no use can change, and what is about snapshots.
SET `spark.paimon.csv.include-header`=yes;
SELECT * FROM t;
-- ! IllegalArgumentException OPTION_MALFORMED spark.paimon.csv.include-header
RESET `spark.paimon.csv.include-header`;
SELECT * FROM t WITH (`file.format` = 'orc');
-- ! IllegalArgumentException OPTION_FIXED file.format
SELECT * FROM t WITH (`scan.snapshot-id` = '1');
-- ! UnsupportedOperationException SNAPSHOT_OPTION scan.snapshot-id
SELECT count(*) FROM t WITH (`no.option.of.ours` = '1');
-- > 4
