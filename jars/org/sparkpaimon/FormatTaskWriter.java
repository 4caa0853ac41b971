package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * One task of a write: stages files at {@code <partition>/_temporary/.tmp.<uuid>} and remembers where they will go. A
 * new file begins with a new partition and when the current one is large enough.
 */
final class FormatTaskWriter implements DataWriter<InternalRow> {
  private static final Logger LOG = LoggerFactory.getLogger(FormatTaskWriter.class);
  private static final String STAGING = "_temporary";
  private static final int SIZE_CHECK_ROWS = 1000;

  private final Setup setup;
  private final Configuration conf;
  private final TaskAttemptContext context;
  private final UnsafeProjection dataOf;
  private final UnsafeProjection keysOf;
  private final List<String> finished = new ArrayList<>();
  private final List<StagedFile> staged = new ArrayList<>();
  private UnsafeRow currentKeys;
  private StagedFile current;
  private OutputWriter writer;
  private UUID writerId;
  private int counter;

  /** What every task needs to know. */
  record Setup(String location, List<String> keys, DataType[] keyTypes, int[] keyColumns, int[] dataColumns,
      StructType rows, StructType stored, PartitionPaths paths, TableDescription.WriteSettings settings,
      OutputWriterFactory writers, SerializableConfiguration conf) implements DataWriterFactory {
    @Override
    public DataWriter<InternalRow> createWriter(int partitionId, long taskId) {
      return new FormatTaskWriter(this, partitionId, taskId);
    }
  }

  /** A file that is being written; {@code createdDirectory}: this task made the partition's directory. */
  private static final class StagedFile {
    ObjectNode values;
    Path partition;
    Path path;
    String finalName;
    boolean createdDirectory;
    long rows;
    long nextSizeCheck = SIZE_CHECK_ROWS;
  }

  static DataWriterFactory factory(TableDescription table, StructType rows, OutputWriterFactory writers,
      SerializableConfiguration conf) {
    List<String> keys = new ArrayList<>(table.partitionKeys());
    StructType columns = table.storedSchema();
    int[] keyColumns = keys.stream().mapToInt(columns::fieldIndex).toArray();
    List<Integer> data = new ArrayList<>();
    for (int i = 0; i < columns.length(); i++) if (!keys.contains(columns.fields()[i].name())) data.add(i);
    DataType[] keyTypes = keys.stream().map(key -> columns.apply(key).dataType()).toArray(DataType[]::new);
    return new Setup(table.location(), keys, keyTypes, keyColumns, data.stream().mapToInt(i -> i).toArray(),
        columns, table.dataSchema(), table.paths(), table.write(), writers, conf);
  }

  private FormatTaskWriter(Setup setup, int partitionId, long taskId) {
    this.setup = setup;
    this.conf = setup.conf().value();
    TaskAttemptID attempt = new TaskAttemptID("spark-paimon", 0, TaskType.MAP, partitionId, (int) (taskId % Integer.MAX_VALUE));
    this.context = new TaskAttemptContextImpl(conf, attempt);
    this.dataOf = projection(setup.rows(), setup.dataColumns());
    this.keysOf = projection(setup.rows(), setup.keyColumns());
  }

  private static UnsafeProjection projection(StructType rows, int[] columns) {
    List<Expression> expressions = new ArrayList<>();
    for (int column : columns) {
      StructField field = rows.fields()[column];
      expressions.add(new BoundReference(column, field.dataType(), true));
    }
    return UnsafeProjection.create(CollectionConverters.asScala(expressions).toSeq());
  }

  @Override
  public void write(InternalRow row) throws IOException {
    UnsafeRow keys = keysOf.apply(row);
    if (currentKeys == null || !currentKeys.equals(keys)) {
      closeCurrent();
      currentKeys = keys.copy();
      // Never one for the whole task: NULL and every blank text are different keys of one directory.
      writerId = UUID.randomUUID();
      counter = 0;
    } else if (isFull()) {
      closeCurrent();
    }
    if (writer == null) open();
    writer.write(dataOf.apply(row));
    current.rows++;
  }

  private boolean isFull() throws IOException {
    if (current.rows >= setup.settings().targetFileRows()) return true;
    if (current.rows < current.nextSizeCheck) return false;
    // Checked ever more seldom: asking the file system costs, and columnar writers grow their file in large steps.
    current.nextSizeCheck = current.rows + Math.max(SIZE_CHECK_ROWS, current.rows / 4);
    try {
      return fileSystem(current.path).getFileStatus(current.path).getLen() >= setup.settings().targetFileSize();
    } catch (FileNotFoundException e) {
      return false; // An object store shows a file only when it is complete.
    }
  }

  private void open() throws IOException {
    Object[] values = new Object[setup.keys().size()];
    StagedFile file = new StagedFile();
    file.values = Json.object();
    for (int i = 0; i < values.length; i++) {
      values[i] = currentKeys.isNullAt(i) ? null : currentKeys.get(i, setup.keyTypes()[i]);
      file.values.set(setup.keys().get(i), Values.toJson(values[i], setup.keyTypes()[i]));
    }
    String directory = setup.paths().directory(setup.keys(), values, setup.keyTypes());
    file.partition = new Path(directory.isEmpty() ? setup.location() : setup.location() + "/" + directory);
    file.path = new Path(file.partition + "/" + STAGING + "/.tmp." + UUID.randomUUID());
    file.finalName = setup.settings().filePrefix() + writerId + "-" + counter++ + setup.settings().extension();
    file.createdDirectory = !fileSystem(file.partition).exists(file.partition);
    current = file;
    staged.add(file);
    writer = setup.writers().newInstance(file.path.toString(), setup.stored(), context);
  }

  private FileSystem fileSystem(Path path) throws IOException {
    return path.getFileSystem(conf);
  }

  private void closeCurrent() throws IOException {
    if (writer == null) return;
    writer.close();
    writer = null;
    ObjectNode report = Json.object().put("staged", current.path.toString())
        .put("final", current.partition + "/" + current.finalName).put("rows", current.rows)
        .put("size", fileSystem(current.path).getFileStatus(current.path).getLen())
        .put("created_directory", current.createdDirectory);
    report.set("values", current.values);
    finished.add(Json.text(report));
  }

  @Override
  public WriterCommitMessage commit() throws IOException {
    closeCurrent();
    return new FormatWrite.StagedFiles(new ArrayList<>(finished));
  }

  /** Removes every file this task staged; what cannot be removed stays invisible and never hides the first error. */
  @Override
  public void abort() {
    try {
      if (writer != null) writer.close();
    } catch (Exception e) { // Scala code throws checked exceptions without saying so
      LOG.debug("Closing an aborted file failed", e);
    }
    writer = null;
    for (StagedFile file : staged) {
      try {
        fileSystem(file.path).delete(file.path, false);
      } catch (IOException e) {
        LOG.warn("Staged file could not be removed, it stays invisible: {}", file.path, e);
      }
    }
    // Not before all files are gone: those of one partition share its directories.
    for (StagedFile file : staged) removeEmptyDirectories(file);
  }

  private void removeEmptyDirectories(StagedFile file) {
    Path table = new Path(setup.location());
    try {
      FileSystem fs = fileSystem(file.path);
      removeIfEmpty(fs, file.path.getParent());
      Path made = file.createdDirectory ? file.partition : table;
      for (; made.depth() > table.depth(); made = made.getParent()) removeIfEmpty(fs, made);
    } catch (IOException e) {
      LOG.debug("Directories of an aborted file stay: {}", file.partition, e);
    }
  }

  private static void removeIfEmpty(FileSystem fs, Path directory) {
    try {
      if (fs.listStatus(directory).length == 0) fs.delete(directory, false);
    } catch (IOException e) {
      LOG.debug("Directory is in use or gone: {}", directory, e);
    }
  }

  @Override
  public void close() {}
}
