-- catalogs: every
-- Columns can be added anywhere; rows that were written before have NULL there.
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t ADD COLUMN price DOUBLE COMMENT 'net';
ALTER TABLE t ADD COLUMNS (first INT FIRST, s STRUCT<x: INT> AFTER id);
DESCRIBE t;
-- ~ first | int | NULL
-- ~ price | double | net
SELECT * FROM t;
-- > NULL | 1 | NULL | a | NULL
INSERT INTO t VALUES (0, 2, struct(7), 'b', 2.5);
SELECT id, s.x, price FROM t;
-- > 1 | NULL | NULL
-- > 2 | 7 | 2.5
ALTER TABLE t ADD COLUMN s.y STRING;
SELECT s.x, s.y FROM t WHERE id = 2;
-- > 7 | NULL
ALTER TABLE t ADD COLUMN PRICE INT;
-- ! AnalysisException FIELD_ALREADY_EXISTS PRICE
-- Types can be widened, never narrowed.
ALTER TABLE t ALTER COLUMN id TYPE BIGINT;
SELECT id FROM t WHERE dt = 'b';
-- > 2
ALTER TABLE t ALTER COLUMN id TYPE INT;
-- ! AnalysisException NOT_SUPPORTED_CHANGE_COLUMN id
-- Comments, order and nullability can be changed.
ALTER TABLE t ALTER COLUMN price COMMENT 'gross';
ALTER TABLE t ALTER COLUMN first AFTER price;
DESCRIBE t price;
-- ~ comment | gross
SELECT * FROM t WHERE id = 2;
-- > 2 | Row(x=7, y=None) | b | 2.5 | 0
ALTER TABLE t ALTER COLUMN id SET NOT NULL;
-- ! AnalysisException * id
-- Columns can be dropped; IF EXISTS makes one that is not there fine.
ALTER TABLE t DROP COLUMN first;
ALTER TABLE t DROP COLUMNS (s);
ALTER TABLE t DROP COLUMN nope;
-- ! AnalysisException * nope
ALTER TABLE t DROP COLUMN IF EXISTS nope;
SELECT * FROM t;
-- > 1 | a | NULL
-- > 2 | b | 2.5
-- Files find their columns by name, so that a rename would lose what they hold: only an empty table allows it.
ALTER TABLE t RENAME COLUMN price TO cost;
-- ! UnsupportedOperationException RENAME_COLUMN_WITH_DATA ${db}.t
TRUNCATE TABLE t;
ALTER TABLE t RENAME COLUMN price TO cost;
INSERT INTO t VALUES (3, 'a', 9.5);
SELECT cost FROM t;
-- > 9.5
-- Partition columns are part of the directories: they stay as they are.
ALTER TABLE t RENAME COLUMN dt TO day;
-- ! UnsupportedOperationException PARTITION_COLUMN_CHANGE Cannot update partition column: [dt]
ALTER TABLE t DROP COLUMN dt;
-- ! UnsupportedOperationException PARTITION_COLUMN_CHANGE Cannot update partition column: [dt]
SELECT * FROM t;
-- > 3 | a | 9.5
