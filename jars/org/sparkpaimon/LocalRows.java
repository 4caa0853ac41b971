package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Rows that Python computed on the driver. */
record LocalRows(StructType readSchema, InternalRow[] rows) implements LocalScan {
  /** {@code columns}: pairs of name and Spark type; {@code rows}: arrays of typed values. */
  static LocalRows parse(JsonNode node) {
    StructType schema = schema(node.path("columns"));
    InternalRow[] rows = new InternalRow[node.path("rows").size()];
    for (int i = 0; i < rows.length; i++) rows[i] = Values.rowFromArray(node.path("rows").get(i), schema);
    return new LocalRows(schema, rows);
  }

  static StructType schema(JsonNode columns) {
    StructType schema = new StructType();
    for (JsonNode column : columns) {
      schema = schema.add(column.path("name").asText(), DataType.fromDDL(column.path("type").asText()), true);
    }
    return schema;
  }
}
