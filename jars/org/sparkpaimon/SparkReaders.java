package org.sparkpaimon;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.datasources.orc.OrcUtils;
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.orc.OrcScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.text.TextScanBuilder;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own reader of each file format that it reads right. Which these are, and their options, Python says. */
final class SparkReaders {
  private SparkReaders() {}

  static FileScan scan(SparkSession session, FormatReader format, FixedFileIndex index, TableDescription table,
      StructType required, List<Expression> partitionFilters, List<Expression> dataFilters) {
    CaseInsensitiveStringMap options = new CaseInsensitiveStringMap(format.options());
    FileScanBuilder builder = builder(session, format.format(), index, table, options);
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
      case "orc" -> new OrcScanBuilder(session, index, schema, stored, options);
      case "text" -> new TextScanBuilder(session, index, schema, stored, options);
      default -> throw new UnsupportedOperationException("Spark has no reader for file format '" + format + "'");
    };
  }

  /** Whether Spark's reader of a format gives these columns as vectors; known without any file. */
  static boolean vectorised(SQLConf conf, String format, StructType columns) {
    if (!conf.wholeStageEnabled() || WholeStageCodegenExec.isTooManyFields(conf, columns)) return false;
    return switch (format) {
      case "parquet" -> conf.parquetVectorizedReaderEnabled() && ParquetUtils.isBatchReadSupportedForSchema(conf, columns);
      case "orc" -> conf.orcVectorizedReaderEnabled() && orcVectorised(conf, columns);
      default -> false;
    };
  }

  private static boolean orcVectorised(SQLConf conf, StructType columns) {
    for (StructField column : columns.fields()) {
      if (!OrcUtils.supportColumnarReads(column.dataType(), conf.orcVectorizedReaderNestedColumnEnabled())) return false;
    }
    return true;
  }
}
