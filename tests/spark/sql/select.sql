-- catalogs: every
CREATE TABLE t (id BIGINT, s STRUCT<a: INT, b: STRUCT<c: STRING, d: INT>>, l ARRAY<STRUCT<x: INT, y: INT>>, m MAP<STRING, INT>, dt STRING) USING parquet PARTITIONED BY (dt);
INSERT INTO t SELECT id, struct(cast(id AS INT), struct(concat('c', id), 7)), array(struct(1, 2)), map('k', 5), 'p' FROM range(4);
-- Nested columns are read as far as they are needed.
SELECT id, s.b.c FROM t WHERE s.a = 2;
-- > 2 | c2
SELECT l.x, m['k'], dt FROM t WHERE id = 0;
-- > [1] | 5 | p
-- Conditions on data columns reach the reader, and rows that do not fit do not come back.
EXPLAIN SELECT id FROM t WHERE id > 2;
-- ~ data filters: [(id IS NOT NULL), (id > 2
SELECT id FROM t WHERE id > 2 AND s.b.c = 'c3';
-- > 3
-- LIMIT and order.
SELECT count(*) FROM (SELECT * FROM t LIMIT 2);
-- > 2
SELECT id FROM t ORDER BY id DESC LIMIT 2;
-- > 3
-- > 2
SELECT id FROM t ORDER BY id LIMIT 1 OFFSET 1;
-- > 1
SELECT id FROM t LIMIT 0;
-- > none
-- Tables without files, without partitions and partitions without files give the right columns and no rows (P72).
CREATE TABLE e (a INT, hour INT, dt STRING) USING parquet PARTITIONED BY (dt, hour) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
SELECT a, hour FROM e WHERE dt = 'x';
-- > none
SELECT max(hour) FROM e;
-- > NULL
SELECT dt, max(hour) FROM e GROUP BY dt;
-- > none
SELECT count(*) FROM e;
-- > 0
INSERT INTO e PARTITION (dt = 'x', hour = 1) SELECT 1 WHERE false;
SELECT a, hour FROM e WHERE dt = 'x';
-- > none
SELECT count(*), max(hour) FROM e;
-- > 0 | NULL
-- Joins, subqueries and set operations over the same table.
SELECT count(*) FROM t a JOIN t b ON a.id = b.id + 1;
-- > 3
SELECT id FROM t WHERE id = (SELECT max(id) FROM t);
-- > 3
SELECT count(*) FROM (SELECT id FROM t UNION ALL SELECT id FROM t WHERE id < 2);
-- > 6
SELECT id FROM t EXCEPT SELECT id FROM t WHERE id < 3;
-- > 3
WITH x AS (SELECT id + 10 AS id FROM t) SELECT max(id) FROM x;
-- > 13
