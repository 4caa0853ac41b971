package org.sparkpaimon;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Rows as batches of columns, for a scan all of whose other files are read as columns. */
final class RowsAsColumns implements PartitionReader<ColumnarBatch> {
  private static final int ROWS = 4096;

  private final PartitionReader<InternalRow> rows;
  private final RowToColumnConverter converter;
  private final WritableColumnVector[] columns;
  private final ColumnarBatch batch;

  RowsAsColumns(PartitionReader<InternalRow> rows, StructType schema) {
    this.rows = rows;
    converter = new RowToColumnConverter(schema);
    columns = OnHeapColumnVector.allocateColumns(ROWS, schema);
    batch = new ColumnarBatch(columns);
  }

  @Override
  public boolean next() throws IOException {
    for (WritableColumnVector column : columns) column.reset();
    int count = 0;
    while (count < ROWS && rows.next()) {
      converter.convert(rows.get(), columns);
      count++;
    }
    batch.setNumRows(count);
    return count > 0;
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }

  @Override
  public void close() throws IOException {
    batch.close();
    rows.close();
  }
}
