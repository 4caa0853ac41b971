package org.sparkpaimon;

import java.util.Map;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own writer of each file format. A further format is a further case here and its options from Python. */
final class SparkWriters {
  private SparkWriters() {}

  static OutputWriterFactory factory(SparkSession session, Job job, TableDescription table) {
    StructType stored = table.dataSchema().asNullable();
    scala.collection.immutable.Map<String, String> options = scala(table.write().options());
    switch (table.format()) {
      case "parquet":
        OutputWriterFactory factory = new ParquetFileFormat().prepareWrite(session, job, options, stored);
        // INT96 has no statistics and other readers overflow on it; the session's default would write it.
        job.getConfiguration().set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE().key(), "TIMESTAMP_MICROS");
        return factory;
      default:
        throw new UnsupportedOperationException("No writer for file format '" + table.format() + "'");
    }
  }

  private static scala.collection.immutable.Map<String, String> scala(Map<String, String> map) {
    return scala.collection.immutable.Map.from(CollectionConverters.asScala(map));
  }
}
