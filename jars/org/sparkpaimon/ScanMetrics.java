package org.sparkpaimon;

import java.util.Map;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** What the UI shows of a scan's planning. Spark makes the metric classes by name, so they are public. */
public final class ScanMetrics {
  static final String TOTAL = "paimonPartitionsTotal";
  static final String SCANNED = "paimonPartitionsScanned";
  static final String FILES = "paimonFilesScanned";

  private ScanMetrics() {}

  static CustomMetric[] supported() {
    return new CustomMetric[] {new PartitionsTotal(), new PartitionsScanned(), new FilesScanned()};
  }

  static CustomTaskMetric[] report(Map<String, Long> values) {
    return values.entrySet().stream().map(entry -> new CustomTaskMetric() {
      @Override
      public String name() {
        return entry.getKey();
      }

      @Override
      public long value() {
        return entry.getValue();
      }
    }).toArray(CustomTaskMetric[]::new);
  }

  public static final class PartitionsTotal extends CustomSumMetric {
    @Override public String name() { return TOTAL; }
    @Override public String description() { return "partitions total"; }
  }

  public static final class PartitionsScanned extends CustomSumMetric {
    @Override public String name() { return SCANNED; }
    @Override public String description() { return "partitions scanned"; }
  }

  public static final class FilesScanned extends CustomSumMetric {
    @Override public String name() { return FILES; }
    @Override public String description() { return "files scanned"; }
  }
}
