package org.sparkpaimon;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.sql.catalyst.FileSourceOptions;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the files of a split one after another; what goes wrong with a file is explained by a look at it. */
final class FileByFile<T> implements PartitionReader<T> {
  private static final Logger LOG = LoggerFactory.getLogger(FileByFile.class);

  /** Opens the reader of one file. */
  interface Opener<T> {
    PartitionReader<T> open(PartitionedFile file) throws IOException;

    /** The reader of a file that the first one refused though it can be read; null for none. */
    PartitionReader<T> openInstead(PartitionedFile file);
  }

  private final Iterator<PartitionedFile> files;
  private final Opener<T> opener;
  private final FileChecks checks;
  private final FileSourceOptions options;
  private PartitionReader<T> reader;
  private PartitionedFile file;
  private boolean begun;

  FileByFile(Iterator<PartitionedFile> files, Opener<T> opener, FileChecks checks, FileSourceOptions options) {
    this.files = files;
    this.opener = opener;
    this.checks = checks;
    this.options = options;
  }

  @Override
  public boolean next() throws IOException {
    while (true) {
      if (reader == null && !openNext()) return false;
      if (reader != null && readNext()) return true;
      closeFile();
    }
  }

  /** Opens the next file; a skipped one leaves no reader. False when there is none. */
  private boolean openNext() throws IOException {
    if (!files.hasNext()) return false;
    file = files.next();
    begun = false;
    InputFileBlockHolder.set(file.urlEncodedPath(), file.start(), file.length());
    try {
      if (checks.before(file)) reader = opener.open(file);
      // A compressed file has no parts, though Spark cuts one whose name does not tell: its beginning is all of it.
      else if (file.start() == 0) reader = opener.openInstead(file);
    } catch (Exception e) {
      failed(e);
    }
    return true;
  }

  private boolean readNext() throws IOException {
    try {
      boolean more = reader.next();
      begun = begun || more;
      return more;
    } catch (Exception e) {
      failed(e);
    }
    return reader != null && reader.next();
  }

  /** Leaves another reader or, for a file that is to be skipped, none; throws otherwise. */
  private void failed(Exception e) throws IOException {
    closeFile();
    if (TaskContext.get().isInterrupted()) throw Errors.sneaky(e);
    if (!begun && checks.isRefusal(e)) {
      begun = true;
      checks.compareColumns(file);
      reader = opener.openInstead(file);
      if (reader != null) return;
    }
    if (e instanceof FileNotFoundException && options.ignoreMissingFiles()) {
      LOG.warn("Skipped a file that is gone: {}", file, e);
    } else if (options.ignoreCorruptFiles() && !checks.isOfTheTable(e) && DataSourceUtils.shouldIgnoreCorruptFileException(e)) {
      LOG.warn("Skipped the rest of a corrupt file: {}", file, e);
    } else {
      throw checks.explained(file, e);
    }
  }

  private void closeFile() throws IOException {
    PartitionReader<T> closing = reader;
    reader = null;
    if (closing != null) closing.close();
  }

  @Override
  public T get() {
    return reader.get();
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return new CustomTaskMetric[0];
  }

  @Override
  public void close() throws IOException {
    closeFile();
    InputFileBlockHolder.unset();
  }
}
