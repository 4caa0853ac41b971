-- catalogs: every
-- Conditions on partition columns select partitions before anything is read, whatever their form.
CREATE TABLE t (id INT, price DOUBLE, dt STRING, hh INT, day DATE) USING parquet PARTITIONED BY (dt, hh, day) TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO t SELECT id, id / 2, nullif(concat('d', id % 3), 'd2'), id % 2, date_add(DATE'2025-01-01', cast(id % 2 AS INT)) FROM range(6);
SELECT id, dt, hh, day FROM t;
-- > 0 | d0 | 0 | 2025-01-01
-- > 1 | d1 | 1 | 2025-01-02
-- > 2 | NULL | 0 | 2025-01-01
-- > 3 | d0 | 1 | 2025-01-02
-- > 4 | d1 | 0 | 2025-01-01
-- > 5 | NULL | 1 | 2025-01-02
EXPLAIN SELECT * FROM t WHERE dt = 'd0';
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE 'd0' = dt AND hh = 1;
-- ~ partitions scanned: 1
SELECT id FROM t WHERE 'd0' = dt AND hh = 1;
-- > 3
EXPLAIN SELECT * FROM t WHERE dt < 'd1';
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE dt <> 'd1';
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE dt >= 'd0' AND hh = 1;
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE hh BETWEEN 1 AND 5;
-- ~ partitions scanned: 3
EXPLAIN SELECT * FROM t WHERE dt IN ('d0', 'd7');
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE dt NOT IN ('d0', 'd7');
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE dt IS NULL;
-- ~ partitions scanned: 2
SELECT id FROM t WHERE dt IS NULL;
-- > 2
-- > 5
EXPLAIN SELECT * FROM t WHERE dt IS NOT NULL;
-- ~ partitions scanned: 4
EXPLAIN SELECT * FROM t WHERE dt <=> NULL;
-- ~ partitions scanned: 2
-- OR across columns, nested.
EXPLAIN SELECT * FROM t WHERE (dt = 'd0' AND hh = 0) OR (dt = 'd1' AND NOT hh = 0);
-- ~ partitions scanned: 2
SELECT id FROM t WHERE (dt = 'd0' AND hh = 0) OR (dt = 'd1' AND NOT hh = 0);
-- > 0
-- > 1
-- Dates are compared as dates, texts like LIKE says.
EXPLAIN SELECT * FROM t WHERE day = DATE'2025-01-02' AND dt = 'd1';
-- ~ partitions scanned: 1
EXPLAIN SELECT * FROM t WHERE day > '2025-01-01';
-- ~ partitions scanned: 3
EXPLAIN SELECT * FROM t WHERE dt LIKE 'd1%';
-- ~ partitions scanned: 2
EXPLAIN SELECT * FROM t WHERE dt LIKE '%1';
-- ~ partitions scanned: 2
-- Casts and functions are evaluated for each partition.
EXPLAIN SELECT * FROM t WHERE cast(hh AS STRING) = '1';
-- ~ partitions scanned: 3
EXPLAIN SELECT * FROM t WHERE substr(dt, 2) = '1' AND day = '2025-01-01';
-- ~ partitions scanned: 1
SELECT id FROM t WHERE substr(dt, 2) = '1' AND day = '2025-01-01';
-- > 4
EXPLAIN SELECT * FROM t WHERE concat(dt, hh) = 'd11';
-- ~ partitions scanned: 1
EXPLAIN SELECT * FROM t WHERE day >= date_sub(DATE'2025-01-03', 1);
-- ~ partitions scanned: 3
-- Conditions on other columns select rows and no partitions; together with one on partitions each does its part.
EXPLAIN SELECT * FROM t WHERE id = 3;
-- ~ partitions scanned: 6
EXPLAIN SELECT * FROM t WHERE id = 3 AND dt = 'd0';
-- ~ partitions scanned: 2
SELECT id FROM t WHERE id = 3 AND dt = 'd0';
-- > 3
SELECT id FROM t WHERE id = 3 OR dt = 'd1';
-- > 1
-- > 3
-- > 4
SELECT id FROM t WHERE id = hh;
-- > 0
-- > 1
-- A condition without columns is none on partitions (P70), a false one reads nothing.
SELECT count(*) FROM t WHERE rand() >= 0;
-- > 6
SELECT count(*) FROM t WHERE 1 = 1;
-- > 6
SELECT id FROM t WHERE 1 = 2;
-- > none
SELECT id FROM t WHERE dt = 'd0' AND dt = 'd1';
-- > none
-- What fails in a partition's condition fails the query (P67).
SELECT id FROM t WHERE dt = 20250101;
-- ! NumberFormatException CAST_INVALID_INPUT d0
-- Counting without data columns reads the selected partitions only (P69).
EXPLAIN SELECT count(*) FROM t WHERE dt = 'd0';
-- ~ partitions scanned: 2
SELECT count(*) FROM t WHERE dt = 'd0' AND hh = 1;
-- > 1
SELECT hh, count(*) FROM t GROUP BY hh;
-- > 0 | 3
-- > 1 | 3
SELECT DISTINCT dt FROM t WHERE dt IS NOT NULL;
-- > d0
-- > d1
SELECT max(day), min(hh) FROM t;
-- > 2025-01-02 | 0
