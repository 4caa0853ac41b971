package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.catalyst.util.CharVarcharUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What Python says about a table.
 *
 * @param fullName {@code db.table}
 * @param columns all columns in declared order, partition columns among them
 * @param partitionKeys names of the partition columns in nesting order
 * @param location directory of the table
 * @param managed whether the catalog, and not the directory, knows the partitions
 * @param format file format of new files
 * @param dynamic options of this use of the table, by the session or a reader
 * @param properties what DESCRIBE and SHOW CREATE TABLE show
 * @param metadataDirectories names right below the location that are never data
 * @param paths how a partition is spelled in a path
 * @param listParallelism how many directories are listed at once
 * @param write how new files are written
 */
record TableDescription(String fullName, String uuid, Column[] columns, List<String> partitionKeys, String location,
    boolean managed, String format, Map<String, String> dynamic, Map<String, String> properties, List<String> metadataDirectories,
    PartitionPaths paths, int listParallelism, WriteSettings write) {

  static TableDescription parse(JsonNode node) {
    List<Column> columns = new ArrayList<>();
    for (JsonNode column : node.path("columns")) {
      columns.add(Column.create(column.path("name").asText(), DataType.fromJson(Json.text(column.path("type"))),
          column.path("nullable").asBoolean(), Json.text(column.get("comment"), null), null));
    }
    return new TableDescription(node.path("full_name").asText(), node.path("uuid").asText(),
        columns.toArray(new Column[0]), Json.toList(node.path("partition_keys")), node.path("location").asText(),
        node.path("managed").asBoolean(), node.path("format").asText(), Json.toMap(node.path("dynamic")),
        Json.toMap(node.path("properties")),
        Json.toList(node.path("metadata_directories")), PartitionPaths.parse(node.path("paths")),
        node.path("list_parallelism").asInt(64),
        WriteSettings.parse(node.path("full_name").asText(), node.path("write")));
  }

  StructType schema() {
    StructType schema = new StructType();
    for (Column column : columns) {
      StructField field = new StructField(column.name(), column.dataType(), column.nullable(),
          org.apache.spark.sql.types.Metadata.empty());
      schema = schema.add(column.comment() == null ? field : field.withComment(column.comment()));
    }
    return schema;
  }

  /** The partition columns, in nesting order. */
  StructType partitionSchema() {
    StructType all = storedSchema();
    StructType schema = new StructType();
    for (String key : partitionKeys) schema = schema.add(all.apply(key));
    return schema;
  }

  /** The columns that are stored in the files. */
  StructType dataSchema() {
    StructType schema = new StructType();
    for (StructField field : storedSchema().fields()) if (!partitionKeys.contains(field.name())) schema = schema.add(field);
    return schema;
  }

  /** Readers and writers know no CHAR and VARCHAR: to them these are strings. */
  StructType storedSchema() {
    return CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema());
  }

  /**
   * How new files are written.
   *
   * @param table full name, for messages
   * @param reason why Python writes and not Spark; null where Spark does
   * @param options of Spark's writer of the format
   * @param lineDelimiter what no value of a text file may contain; null for other formats
   * @param batchRows rows that a Python writer gets at once
   */
  record WriteSettings(String table, String reason, String extension, String filePrefix, long targetFileSize,
      long targetFileRows, Map<String, String> options, String lineDelimiter, boolean clustered, int batchRows)
      implements Serializable {
    static WriteSettings parse(String table, JsonNode node) {
      return new WriteSettings(table, Json.text(node.get("reason"), null), node.path("extension").asText(),
          node.path("file_prefix").asText(), node.path("target_file_size").asLong(),
          node.path("target_file_rows").asLong(), new java.util.HashMap<>(Json.toMap(node.path("options"))),
          Json.text(node.get("line_delimiter"), null), node.path("clustered").asBoolean(),
          node.path("batch_rows").asInt());
    }

    boolean byPython() {
      return reason != null;
    }
  }
}
