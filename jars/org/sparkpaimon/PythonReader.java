package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The Python reader of one format, for tasks. It is given slices of files and returns their rows, each with the number of
 * its file in the last column, so that one call serves files of many partitions.
 */
record PythonReader(PythonWorkers.Function function, StructType input, StructType output, StructType partitionColumns)
    implements Serializable {

  /** Asks Python how tasks read these columns. */
  static PythonReader ask(PaimonTable table, SparkSession session, String format, StructType columns, StructType partitionColumns) {
    ObjectNode request = table.request().put("format", format)
        .put("time_zone", Sessions.timeZone(session));
    request.set("schema", Json.parse(columns.json()));
    JsonNode answer = Errors.analysed(() -> table.catalog.call("python_reader", request, session));
    return new PythonReader(PythonWorkers.Function.parse(answer.path("function")), struct(answer.path("input")),
        struct(answer.path("output")), partitionColumns);
  }

  private static StructType struct(JsonNode node) {
    return (StructType) DataType.fromJson(Json.text(node));
  }

  /** Rows of the files with the partition values behind the columns of the file. */
  PartitionReader<InternalRow> read(List<PartitionedFile> files) {
    List<InternalRow> slices = new ArrayList<>();
    for (PartitionedFile file : files) slices.add(slice(slices.size(), file));
    Iterator<InternalRow> rows =
        PythonWorkers.run(function, input, output, TaskContext.getPartitionId(), slices.iterator());
    return new Rows(files, rows, output.size() - 1, completion());
  }

  /** Columns of the rows. */
  StructType columns() {
    StructType columns = new StructType();
    for (int i = 0; i < output.size() - 1; i++) columns = columns.add(output.apply(i));
    for (StructField field : partitionColumns.fields()) columns = columns.add(field);
    return columns;
  }

  private static InternalRow slice(int number, PartitionedFile file) {
    boolean toTheEnd = file.start() + file.length() >= file.fileSize();
    return new GenericInternalRow(new Object[] {number, UTF8String.fromString(file.toPath().toString()), file.start(),
        toTheEnd ? -1L : file.length(), UTF8String.fromString(FixedFileIndex.partitionOf(file))});
  }

  private UnsafeProjection completion() {
    int stored = output.size() - 1;
    List<Expression> columns = new ArrayList<>();
    for (int i = 0; i < stored; i++) columns.add(new BoundReference(i, output.apply(i).dataType(), true));
    for (int i = 0; i < partitionColumns.size(); i++) {
      columns.add(new BoundReference(stored + 1 + i, partitionColumns.apply(i).dataType(), true));
    }
    return UnsafeProjection.create(CollectionConverters.asScala(columns).toSeq());
  }

  private static final class Rows implements PartitionReader<InternalRow> {
    private final List<PartitionedFile> files;
    private final Iterator<InternalRow> rows;
    private final int numberColumn;
    private final UnsafeProjection completion;
    private final JoinedRow joined = new JoinedRow();
    private int number = -1;

    Rows(List<PartitionedFile> files, Iterator<InternalRow> rows, int numberColumn, UnsafeProjection completion) {
      this.files = files;
      this.rows = rows;
      this.numberColumn = numberColumn;
      this.completion = completion;
    }

    @Override
    public boolean next() {
      if (!rows.hasNext()) return false;
      InternalRow row = rows.next();
      if (row.getInt(numberColumn) != number) {
        number = row.getInt(numberColumn);
        PartitionedFile file = files.get(number);
        InputFileBlockHolder.set(file.urlEncodedPath(), file.start(), file.length());
        joined.withRight(file.partitionValues());
      }
      joined.withLeft(row);
      return true;
    }

    @Override
    public InternalRow get() {
      return completion.apply(joined);
    }

    @Override
    public void close() {
      InputFileBlockHolder.unset();
    }
  }
}
