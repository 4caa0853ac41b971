package org.sparkpaimon;

import java.io.IOException;
import java.util.OptionalLong;
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
 * {@code count(*)} of a scan that is one task anyway, so no other stage has to add up. Where the footers of all files tell,
 * they are read on the driver and the task passes their sum on; otherwise it counts what its reader yields, with the same
 * checks and errors as ever.
 *
 * @param known the number of rows, or empty
 */
record CountingScan(FormatScan scan, OptionalLong known) implements Scan, Batch {
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
    return known.isPresent() ? new InputPartition[] {new Count(known.getAsLong())} : scan.planInputPartitions();
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return known.isPresent() ? new Counts() : new Counters(scan.createReaderFactory());
  }

  @Override
  public String description() {
    return scan.description() + (known.isPresent() ? ", count(*) from footers" : ", count(*) within the task");
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return scan.supportedCustomMetrics();
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return scan.reportDriverMetrics();
  }

  record Count(long rows) implements InputPartition {}

  record Counts() implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition split) {
      return new Counter(() -> ((Count) split).rows());
    }
  }

  record Counters(PartitionReaderFactory readers) implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition split) {
      return new Counter(() -> readers.supportColumnarReads(split) ? countColumns(split) : countRows(split));
    }

    private long countColumns(InputPartition split) throws IOException {
      long rows = 0;
      try (PartitionReader<ColumnarBatch> reader = readers.createColumnarReader(split)) {
        while (reader.next()) rows += reader.get().numRows();
      }
      return rows;
    }

    private long countRows(InputPartition split) throws IOException {
      long rows = 0;
      try (PartitionReader<InternalRow> reader = readers.createReader(split)) {
        while (reader.next()) rows++;
      }
      return rows;
    }
  }

  private interface RowCount {
    long of() throws IOException;
  }

  /** Yields one row, a number of rows. */
  private static final class Counter implements PartitionReader<InternalRow> {
    private final RowCount rows;
    private InternalRow row;

    Counter(RowCount rows) {
      this.rows = rows;
    }

    @Override
    public boolean next() throws IOException {
      if (row != null) return false;
      row = new GenericInternalRow(new Object[] {rows.of()});
      return true;
    }

    @Override
    public InternalRow get() {
      return row;
    }

    @Override
    public void close() {}
  }
}
