package org.sparkpaimon;

import java.util.Map;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own writer of each file format that has one; its options come from Python. */
final class SparkWriters {
  /** Settings that decide what is in a file, and so are not the session's to decide. */
  static final Map<String, String> FIXED = Map.of(
      // A day before 1582 is the same day in every file, and never another one by Julius Caesar's calendar.
      SQLConf.PARQUET_REBASE_MODE_IN_WRITE().key(), "CORRECTED",
      SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE().key(), "CORRECTED");

  private SparkWriters() {}

  /** Prepares a job whose configuration has the options already. */
  static OutputWriterFactory factory(SparkSession session, Job job, TableDescription table) {
    StructType stored = table.dataSchema().asNullable();
    OutputWriterFactory factory = format(table.format()).prepareWrite(session, job, scala(table.write().options()), stored);
    // INT96 has no statistics and other readers overflow on it; the session's default would write it.
    job.getConfiguration().set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE().key(), "TIMESTAMP_MICROS");
    return factory;
  }

  private static FileFormat format(String name) {
    return switch (name) {
      case "parquet" -> new ParquetFileFormat();
      case "orc" -> new OrcFileFormat();
      case "json" -> new JsonFileFormat();
      case "text" -> new TextFileFormat();
      default -> throw new UnsupportedOperationException("Spark has no writer for file format '" + name + "'");
    };
  }

  static scala.collection.immutable.Map<String, String> scala(Map<String, String> map) {
    return scala.collection.immutable.Map.from(CollectionConverters.asScala(map));
  }
}
