package org.sparkpaimon;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.spark.SparkThrowable;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files that Spark's own readers read: before, where the reader would take garbage for rows, and after a
 * failure, to say what is wrong with the file.
 *
 * @param seesColumns whether the columns of every file are compared with the table's first
 * @param seesHead whether the first bytes of every file are looked at first
 * @param seesDays whether files with days of the old calendar are not for Spark's reader
 * @param conf of the session; null where nothing is looked at first
 */
record FileChecks(String format, String table, Signatures signatures, FileColumns columns, boolean seesColumns,
    boolean seesHead, boolean seesDays, Broadcast<SerializableConfiguration> conf) implements Serializable {
  private static final Logger LOG = LoggerFactory.getLogger(FileChecks.class);
  private static final int DEPTH = 20;

  /** Throws for a file that no reader must get to see; false for one that Spark's reader must not get to see. */
  boolean before(PartitionedFile file) throws IOException {
    if (seesHead && !isCompressed(file)) {
      String found = found(file);
      if (signatures.isCodec(found)) return false;
      if (found != null) throw mismatch(file, found);
    }
    if (seesColumns) compareColumns(file);
    return !seesDays || !OrcColumns.hasOldDays(file, configuration());
  }

  /** Hadoop decompresses by the ending of the name, and its codecs notice what is not theirs. */
  private boolean isCompressed(PartitionedFile file) {
    return new CompressionCodecFactory(configuration()).getCodec(file.toPath()) != null;
  }

  private Configuration configuration() {
    return conf == null ? SparkHadoopUtil.get().conf() : conf.value().value();
  }

  private String found(PartitionedFile file) throws IOException {
    Path path = file.toPath();
    FileSystem fs = path.getFileSystem(configuration());
    return signatures.of(fs, path, file.fileSize());
  }

  /** Throws if the columns of a file cannot be read as those of the table. */
  void compareColumns(PartitionedFile file) throws IOException {
    columns.compare(file, configuration());
  }

  /** Whether Spark's reader says that it does not read the file's type of a column. */
  boolean isRefusal(Throwable e) {
    Throwable cause = e;
    for (int i = 0; cause != null && i < DEPTH; i++, cause = cause.getCause()) {
      if (cause instanceof SchemaColumnConvertNotSupportedException) return true;
      if (cause instanceof SparkThrowable s && isRefusal(String.valueOf(s.getCondition()))) return true;
    }
    return false;
  }

  private static boolean isRefusal(String condition) {
    return condition.startsWith("PARQUET_TYPE") || condition.startsWith("PARQUET_CONVERSION_FAILURE");
  }

  /** Whether an error says that table and file do not belong together; a skipped file would hide that. */
  boolean isOfTheTable(Throwable e) {
    return e instanceof Errors.Failure failure && failure.getCondition().startsWith("FILE_COLUMN");
  }

  /** The error that the user gets to see for a failure with a file. */
  RuntimeException explained(PartitionedFile file, Exception e) {
    if (e instanceof Errors.Failure failure) return failure;
    if (e instanceof FileNotFoundException) return unreadable(file, "it does not exist any more", e);
    try {
      String found = found(file);
      if (found == null ? isBinary() : !found.equals(format) && !isCompressed(file)) return mismatch(file, found, e);
    } catch (IOException | RuntimeException unseen) {
      LOG.debug("Not even the first bytes of {} can be read", file, unseen);
    }
    return unreadable(file, reason(e), e);
  }

  private boolean isBinary() {
    return !format.equals("text");
  }

  private static String reason(Throwable e) {
    Throwable cause = e;
    for (int i = 0; cause.getMessage() == null && cause.getCause() != null && i < DEPTH; i++) cause = cause.getCause();
    String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return text.strip().replaceAll("\\.$", "");
  }

  private RuntimeException mismatch(PartitionedFile file, String found) {
    return mismatch(file, found, null);
  }

  private RuntimeException mismatch(PartitionedFile file, String found, Throwable cause) {
    String partition = FixedFileIndex.partitionOf(file);
    return Errors.ours("FILE_FORMAT_MISMATCH", Map.of("path", file.toPath().toString(),
        "partition", partition.isEmpty() ? "(unpartitioned)" : partition, "table", table,
        "expected", format.toUpperCase(Locale.ROOT),
        "found", found == null ? "something else" : found.toUpperCase(Locale.ROOT)), cause);
  }

  private RuntimeException unreadable(PartitionedFile file, String reason, Throwable cause) {
    return Errors.ours("FILE_UNREADABLE", Map.of("path", file.toPath().toString(), "table", table,
        "format", format.toUpperCase(Locale.ROOT), "reason", reason), cause);
  }
}
