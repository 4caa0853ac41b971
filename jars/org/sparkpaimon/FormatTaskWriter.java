package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.apache.spark.unsafe.types.UTF8String;
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
  private static final UTF8String BYTE_ORDER_MARK = UTF8String.fromString("\uFEFF");

  private final Setup setup;
  private final Configuration conf;
  private final TaskAttemptContext context;
  private final TaskConf sessionConf = new TaskConf(SparkWriters.FIXED);
  private final byte[] lineDelimiter;
  private final UnsafeProjection dataOf;
  private final UnsafeProjection keysOf;
  private final List<String> finished = new ArrayList<>();
  private final List<StagedFile> staged = new ArrayList<>();
  private UnsafeRow currentKeys;
  private StagedFile current;
  private OutputWriter writer;
  private UUID writerId;
  private int counter;

  /** What every task needs to know; {@code keptDirectory}: stays when a task fails. */
  record Setup(String location, String keptDirectory, List<String> keys, DataType[] keyTypes, int[] keyColumns, int[] dataColumns,
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

  static DataWriterFactory factory(TableDescription table, String keptDirectory, OutputWriterFactory writers,
      SerializableConfiguration conf) {
    List<String> keys = new ArrayList<>(table.partitionKeys());
    StructType columns = table.storedSchema();
    int[] keyColumns = keys.stream().mapToInt(columns::fieldIndex).toArray();
    List<Integer> data = new ArrayList<>();
    for (int i = 0; i < columns.length(); i++) if (!keys.contains(columns.fields()[i].name())) data.add(i);
    DataType[] keyTypes = keys.stream().map(key -> columns.apply(key).dataType()).toArray(DataType[]::new);
    return new Setup(table.location(), keptDirectory, keys, keyTypes, keyColumns, data.stream().mapToInt(i -> i).toArray(),
        columns, table.dataSchema(), table.paths(), table.write(), writers, conf);
  }

  private FormatTaskWriter(Setup setup, int partitionId, long taskId) {
    this.setup = setup;
    this.conf = setup.conf().value();
    TaskAttemptID attempt = new TaskAttemptID("spark-paimon", 0, TaskType.MAP, partitionId, (int) (taskId % Integer.MAX_VALUE));
    this.context = new TaskAttemptContextImpl(conf, attempt);
    this.dataOf = projection(setup.rows(), setup.dataColumns());
    this.keysOf = projection(setup.rows(), setup.keyColumns());
    String delimiter = setup.settings().lineDelimiter();
    this.lineDelimiter = delimiter == null ? null : delimiter.getBytes(StandardCharsets.UTF_8);
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
    UnsafeRow data = dataOf.apply(row);
    if (lineDelimiter != null) checkLine(data);
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
    if (lineDelimiter != null && current.rows == 0) checkFirstLine(data);
    writer.write(data);
    current.rows++;
  }

  /** A value of a text file is a line, and would come back as several. */
  /** Whether a line has its delimiter before its end; its last bytes and the delimiter behind it can make up one too. */
  private boolean containsDelimiter(UTF8String line) {
    int length = line.numBytes();
    for (int start = 0; start < length; start++) {
      if (line.getByte(start) != lineDelimiter[0]) continue;
      int at = 1;
      while (at < lineDelimiter.length && byteBehind(line, length, start + at) == lineDelimiter[at]) at++;
      if (at == lineDelimiter.length) return true;
    }
    return false;
  }

  private byte byteBehind(UTF8String line, int length, int at) {
    return at < length ? line.getByte(at) : lineDelimiter[at - length];
  }

  /** Readers take the mark for one of the file, and leave it out. */
  private void checkFirstLine(UnsafeRow data) {
    if (data.isNullAt(0) || !data.getUTF8String(0).startsWith(BYTE_ORDER_MARK)) return;
    throw Errors.refused(setup.settings().table(), setup.stored().fields()[0].name(), "TEXT",
        "it would be the first one of a file and begins with a byte order mark, which readers leave out");
  }

  private void checkLine(UnsafeRow data) {
    if (data.isNullAt(0)) return;
    UTF8String line = data.getUTF8String(0);
    if (!containsDelimiter(line)) return;
    throw Errors.refused(setup.settings().table(), setup.stored().fields()[0].name(), "TEXT",
        "it contains the line delimiter, so that it would be read as several rows");
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
    writer = sessionConf.with(() -> setup.writers().newInstance(file.path.toString(), setup.stored(), context));
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

  @Override
  public void abort() {
    try {
      if (writer != null) writer.close();
    } catch (Exception e) { // Scala code throws checked exceptions without saying so
      LOG.debug("Closing an aborted file failed", e);
    }
    writer = null;
    List<StagedPaths.File> files =
        staged.stream().map(file -> new StagedPaths.File(file.path, file.partition, file.createdDirectory)).toList();
    StagedPaths.remove(files, new Path(setup.keptDirectory()), conf);
  }

  @Override
  public void close() {}
}
