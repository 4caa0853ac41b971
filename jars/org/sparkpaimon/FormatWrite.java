package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A write job: tasks stage files with Spark's own writer or in Python, the driver hands the list to Python, which publishes. */
final class FormatWrite implements RequiresDistributionAndOrdering, BatchWrite {
  private static final Logger LOG = LoggerFactory.getLogger(FormatWrite.class);

  private final PaimonTable table;
  private final ObjectNode request;

  FormatWrite(PaimonTable table, ObjectNode request) {
    this.table = table;
    this.request = request;
  }

  /** The files that one task staged, as the JSON that Python reads. */
  record StagedFiles(List<String> files) implements WriterCommitMessage {}

  // ---- how Spark lays out the rows ---------------------------------------------------------------------------

  @Override
  public Distribution requiredDistribution() {
    if (!table.description.write().clustered() || table.description.partitionKeys().isEmpty()) return Distributions.unspecified();
    return Distributions.clustered(keys().toArray(NamedReference[]::new));
  }

  /** Sorted by partition a task has one file open at a time. */
  @Override
  public SortOrder[] requiredOrdering() {
    return keys().map(key -> Expressions.sort(key, SortDirection.ASCENDING)).toArray(SortOrder[]::new);
  }

  private Stream<NamedReference> keys() {
    return table.description.partitionKeys().stream().map(key -> Expressions.column(PaimonTable.quoted(key)));
  }

  // ---- the job -----------------------------------------------------------------------------------------------

  @Override
  public BatchWrite toBatch() {
    return this;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo physical) {
    SparkSession session = SparkSession.active();
    JsonNode begun = begin(session);
    TableDescription.WriteSettings settings = table.description.write();
    Configuration conf = session.sessionState().newHadoopConfWithOptions(SparkWriters.scala(settings.options()));
    // Checksum files of the local file system would stay behind when a staged file is renamed.
    conf.setClass("fs.file.impl", RawLocalFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    if (settings.byPython()) {
      return new PythonTaskWriter.Setup(PythonWorkers.Function.parse(begun.path("function")),
          table.description.storedSchema(), keptDirectory(), begun.path("job").asText(),
          settings.batchRows(), new SerializableConfiguration(conf));
    }
    try {
      Job job = Job.getInstance(conf);
      OutputWriterFactory writers = SparkWriters.factory(session, job, table.description);
      return FormatTaskWriter.factory(table.description, keptDirectory(), writers,
          new SerializableConfiguration(job.getConfiguration()));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The directory above all that tasks make: that of the table, unless this write makes it as well. */
  private String keptDirectory() {
    boolean ours = table instanceof StagedPaimonTable staged && staged.isNew() && !table.properties().containsKey("external");
    return ours ? new Path(table.description.location()).getParent().toString() : table.description.location();
  }

  /** Lets Python check the write once more, and make the function of its workers if they do it. */
  private JsonNode begin(SparkSession session) {
    if (table instanceof StagedPaimonTable staged) return staged.begin(session);
    return Errors.analysed(() -> table.catalog.call("begin_write", request.deepCopy(), session));
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    ArrayNode files = files(messages);
    if (table instanceof StagedPaimonTable staged) {
      staged.stage(files);
      return;
    }
    ObjectNode commit = request.deepCopy();
    commit.set("files", files);
    Errors.analysed(() -> table.call("commit_write", commit));
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    if (table instanceof StagedPaimonTable staged) {
      staged.stage(files(messages)); // Spark aborts the table next, and these files with it.
      return;
    }
    ObjectNode abort = request.deepCopy();
    abort.set("files", files(messages));
    try {
      table.call("abort_write", abort);
    } catch (RuntimeException e) {
      // Raised here, it would take the place of the error that the user needs. What stays is invisible.
      LOG.warn("Staged files of a failed write to {} could not be removed", table.name(), e);
    }
  }

  /** Tasks that did not finish have no message. */
  private static ArrayNode files(WriterCommitMessage[] messages) {
    ArrayNode files = Json.array();
    for (WriterCommitMessage message : messages) {
      if (message != null) stagedFiles(message).forEach(file -> files.add(Json.parse(file)));
    }
    return files;
  }

  /**
   * The files in a task's message. After ADD JAR executors load this class through another loader than the driver, so
   * the message need not be an instance of the record that this class knows; anything else than it is an error.
   */
  @SuppressWarnings("unchecked")
  private static List<String> stagedFiles(WriterCommitMessage message) {
    if (message instanceof StagedFiles staged) return staged.files();
    if (!message.getClass().getName().equals(StagedFiles.class.getName())) {
      throw new IllegalStateException("A task of a write ended with " + message.getClass().getName());
    }
    try {
      var files = message.getClass().getDeclaredMethod("files");
      files.setAccessible(true);
      return (List<String>) files.invoke(message);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("A task of a write ended with an unreadable message", e);
    }
  }

  @Override
  public String description() {
    String reason = table.description.write().reason();
    String writer = reason == null ? "Spark" : "Python (" + reason + ")";
    return "paimon " + table.name() + " [" + request.path("mode").asText() + " " + request.path("static") + ", "
        + table.description.format() + ", writer: " + writer + "]";
  }

  @Override
  public String toString() {
    return description();
  }
}
