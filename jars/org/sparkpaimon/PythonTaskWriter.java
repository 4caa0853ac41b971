package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task of a write that Python does: the rows go to its worker, the staged files come back as {@link FormatTaskWriter}
 * reports them. A worker that fails removes what it staged; one that is killed cannot, so it notes every file in a local
 * file before it begins it, and this class removes what is noted.
 */
final class PythonTaskWriter implements DataWriter<InternalRow> {
  private static final Logger LOG = LoggerFactory.getLogger(PythonTaskWriter.class);
  private static final StructType FILES = new StructType().add("file", DataTypes.StringType);

  private final Setup setup;
  private final int partitionId;
  private final java.nio.file.Path notes;
  private final List<String> finished = new ArrayList<>();

  /** What every task needs to know; {@code job}: tells the notes of this write from others; {@code
   * keptDirectory}: stays when a task fails. */
  record Setup(PythonWorkers.Function function, StructType rows, String keptDirectory, String job,
      int batchRows, SerializableConfiguration conf) implements DataWriterFactory {
    @Override
    public DataWriter<InternalRow> createWriter(int partitionId, long taskId) {
      return new PythonTaskWriter(this, partitionId, taskId);
    }

    Path kept() {
      return new Path(keptDirectory);
    }
  }

  private PythonTaskWriter(Setup setup, int partitionId, long taskId) {
    this.setup = setup;
    this.partitionId = partitionId;
    // The first local directory of Spark is known to the worker as well, by a variable of its environment.
    this.notes = SparkEnv.get().blockManager().diskBlockManager().localDirs()[0].toPath()
        .resolve("spark-paimon-" + setup.job() + "-" + taskId);
  }

  @Override
  public void writeAll(Iterator<InternalRow> records) throws IOException {
    Files.createFile(notes);
    TaskConf conf = new TaskConf(Map.of(SQLConf.ARROW_EXECUTION_MAX_RECORDS_PER_BATCH().key(),
        String.valueOf(setup.batchRows())));
    Iterator<InternalRow> files =
        conf.with(() -> PythonWorkers.run(setup.function(), setup.rows(), FILES, partitionId, records));
    while (files.hasNext()) finished.add(files.next().getString(0));
  }

  @Override
  public void write(InternalRow row) {
    throw new UnsupportedOperationException("Rows reach a Python worker all together");
  }

  @Override
  public WriterCommitMessage commit() {
    return new FormatWrite.StagedFiles(new ArrayList<>(finished));
  }

  @Override
  public void abort() throws IOException {
    java.nio.file.Path taken = notes.resolveSibling(notes.getFileName() + ".aborted");
    try {
      // A worker that still runs finds its notes gone and begins no further file.
      Files.move(notes, taken, StandardCopyOption.ATOMIC_MOVE);
      List<StagedPaths.File> files = new ArrayList<>();
      for (String line : Files.readAllLines(taken, StandardCharsets.UTF_8)) files.add(noted(Json.parse(line)));
      StagedPaths.remove(files, setup.kept(), setup.conf().value());
    } catch (NoSuchFileException e) {
      LOG.debug("A task that wrote nothing was aborted", e);
    } finally {
      Files.deleteIfExists(taken);
    }
  }

  private static StagedPaths.File noted(JsonNode note) {
    Path path = new Path(note.path("staged").asText());
    return new StagedPaths.File(path, path.getParent().getParent(), note.path("created_directory").asBoolean());
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(notes);
  }
}
