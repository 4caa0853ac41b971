package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own reader of each file format. A further format is a further case here and its options from Python. */
final class SparkReaders {
  private SparkReaders() {}

  static FileScan scan(SparkSession session, String format, FixedFileIndex index, TableDescription table,
      StructType required, List<Expression> partitionFilters, List<Expression> dataFilters) {
    JsonNode settings = table.readOptions().path(format);
    CaseInsensitiveStringMap options = new CaseInsensitiveStringMap(Json.toMap(settings));
    FileScanBuilder builder = builder(session, format, index, table, options);
    builder.pruneColumns(required);
    List<Expression> filters = new ArrayList<>(partitionFilters);
    filters.addAll(dataFilters);
    builder.pushFilters(CollectionConverters.asScala(filters).toSeq());
    return (FileScan) builder.build();
  }

  private static FileScanBuilder builder(SparkSession session, String format, FixedFileIndex index,
      TableDescription table, CaseInsensitiveStringMap options) {
    StructType schema = table.storedSchema().asNullable();
    StructType stored = table.dataSchema().asNullable();
    return switch (format) {
      case "parquet" -> new ParquetScanBuilder(session, index, schema, stored, options);
      default -> throw new UnsupportedOperationException("No reader for file format '" + format + "'");
    };
  }
}
