-- catalogs: every
-- Names of columns ignore case in statements, like Spark's; those of tables do, where the catalog does not say
-- case-sensitive = true (P40).
CREATE TABLE T1 (Id INT, DT STRING, Hh INT) USING parquet PARTITIONED BY (DT, Hh) TBLPROPERTIES ('METASTORE.partitioned-table' = 'true');
INSERT INTO t1 PARTITION (dt = 'x', HH = 1) VALUES (1);
INSERT OVERWRITE T1 PARTITION (Dt = 'x', hh) SELECT 2, 3;
SELECT ID, dt, hh FROM T1 WHERE dT = 'x' AND hH = 3;
-- > 2 | x | 3
SHOW PARTITIONS T1 PARTITION (dt = 'x');
-- > DT=x/Hh=1
-- > DT=x/Hh=3
TRUNCATE TABLE T1 PARTITION (dt = 'x', hh = 3);
SELECT * FROM T1;
-- > none
-- Two columns that differ by case only are refused.
CREATE TABLE two (a INT, A INT) USING parquet;
-- ! AnalysisException COLUMN_ALREADY_EXISTS a
-- Names may hold what needs quoting; so may columns that are directories (P09, P28).
CREATE TABLE `odd.na me` (`a b` INT, `_x` STRING, `p%q:r` STRING, `t``ick` INT) USING parquet PARTITIONED BY (`_x`, `p%q:r`) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO `odd.na me` VALUES (1, 'v', 'w/1', 7), (2, '_v', '.w', 8);
SELECT `a b`, `_x`, `p%q:r`, `t``ick` FROM `odd.na me`;
-- > 1 | v | w/1 | 7
-- > 2 | _v | .w | 8
SHOW PARTITIONS `odd.na me`;
-- > _x=_v/p%25q%3Ar=.w
-- > _x=v/p%25q%3Ar=w%2F1
SELECT `a b` FROM `odd.na me` WHERE `p%q:r` = 'w/1' AND `t``ick` > 1;
-- > 1
INSERT OVERWRITE `odd.na me` PARTITION (`_x` = 'v', `p%q:r` = 'w/1') SELECT 3, 9;
SELECT `a b` FROM `odd.na me` WHERE `_x` = 'v';
-- > 3
-- Names that are no name of a directory are refused.
CREATE TABLE `a/b` (id INT) USING parquet;
-- ! IllegalArgumentException NAME_INVALID a/b
CREATE TABLE `a$$b` (id INT) USING parquet;
-- ! IllegalArgumentException NAME_INVALID a$b
CREATE TABLE `..` (id INT) USING parquet;
-- ! IllegalArgumentException NAME_INVALID ..
