package org.sparkpaimon;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * {@code count(*)} of a scan that is one task anyway: the task counts what its reader yields, so no other stage has to add up.
 * The files are read as ever, with the same checks and errors.
 */
record CountingScan(FormatScan scan) implements Scan, Batch {
  @Override
  public StructType readSchema() {
    return new StructType().add("count(*)", DataTypes.LongType, false);
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return scan.planInputPartitions();
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new Counters(scan.createReaderFactory());
  }

  @Override
  public String description() {
    return scan.description() + ", count(*) within the task";
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return scan.supportedCustomMetrics();
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return scan.reportDriverMetrics();
  }

  record Counters(PartitionReaderFactory readers) implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition split) {
      return new Counter(readers, split);
    }
  }

  /** Yields one row, the number of rows of a split. */
  private static final class Counter implements PartitionReader<InternalRow> {
    private final PartitionReaderFactory readers;
    private final InputPartition split;
    private InternalRow row;

    Counter(PartitionReaderFactory readers, InputPartition split) {
      this.readers = readers;
      this.split = split;
    }

    @Override
    public boolean next() throws IOException {
      if (row != null) return false;
      row = new GenericInternalRow(new Object[] {readers.supportColumnarReads(split) ? countColumns() : countRows()});
      return true;
    }

    private long countColumns() throws IOException {
      long rows = 0;
      try (PartitionReader<ColumnarBatch> reader = readers.createColumnarReader(split)) {
        while (reader.next()) rows += reader.get().numRows();
      }
      return rows;
    }

    private long countRows() throws IOException {
      long rows = 0;
      try (PartitionReader<InternalRow> reader = readers.createReader(split)) {
        while (reader.next()) rows++;
      }
      return rows;
    }

    @Override
    public InternalRow get() {
      return row;
    }

    @Override
    public void close() {}
  }
}
