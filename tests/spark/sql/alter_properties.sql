-- catalogs: every
CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) TBLPROPERTIES ('a' = '1');
-- Properties can be set, changed and removed.
ALTER TABLE t SET TBLPROPERTIES ('b' = '2', 'a' = 'it''s');
SHOW TBLPROPERTIES t ('a');
-- > a | it's
SHOW TBLPROPERTIES t ('b');
-- > b | 2
ALTER TABLE t UNSET TBLPROPERTIES ('a');
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('nope');
SHOW TBLPROPERTIES t;
-- ~ b | 2
-- ~ type | format-table
-- An option is checked when it is set.
ALTER TABLE t SET TBLPROPERTIES ('target-file-row-num' = 'many');
-- ! IllegalArgumentException OPTION_MALFORMED target-file-row-num
ALTER TABLE t SET TBLPROPERTIES ('file.compresion' = 'zstd');
-- ! IllegalArgumentException OPTION_UNKNOWN file.compression
-- The kind of a table never changes; saying again what it is does no harm.
ALTER TABLE t SET TBLPROPERTIES ('type' = 'table');
-- ! UnsupportedOperationException TYPE_OPTION_CHANGE Change 'type' is not supported yet.
ALTER TABLE t UNSET TBLPROPERTIES ('type');
-- ! UnsupportedOperationException TYPE_OPTION_CHANGE Change 'type' is not supported yet.
ALTER TABLE t SET TBLPROPERTIES ('type' = 'format-table');
-- COMMENT ON TABLE sets the comment, NULL removes it.
COMMENT ON TABLE t IS 'it''s "mine"';
DESCRIBE EXTENDED t;
-- ~ Comment | it's "mine"
COMMENT ON TABLE t IS NULL;
SHOW TBLPROPERTIES t ('comment');
-- ~ does not have property: comment
-- A table does not move.
ALTER TABLE t SET LOCATION '${dir}/elsewhere';
-- ! UnsupportedOperationException SET_LOCATION_UNSUPPORTED ALTER TABLE ... SET LOCATION is not supported for Paimon tables
ALTER TABLE nope SET TBLPROPERTIES ('a' = '1');
-- ! AnalysisException TABLE_OR_VIEW_NOT_FOUND nope
