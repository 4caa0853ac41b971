package org.sparkpaimon;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files that a task staged, and how they go when the task fails. */
final class StagedPaths {
  private static final Logger LOG = LoggerFactory.getLogger(StagedPaths.class);

  private StagedPaths() {}

  /**
   * A file that was begun.
   *
   * @param path where it is staged
   * @param partition directory of its partition
   * @param createdDirectory whether the task made that directory
   */
  record File(Path path, Path partition, boolean createdDirectory) {}

  /**
   * Removes files, and the directories that were made for them where they are empty. What cannot be removed stays
   * invisible and never hides the first error.
   *
   * @param kept directory above them that stays in any case
   */
  static void remove(List<File> files, Path kept, Configuration conf) {
    for (File file : files) {
      try {
        file.path().getFileSystem(conf).delete(file.path(), false);
      } catch (IOException e) {
        LOG.warn("Staged file could not be removed, it stays invisible: {}", file.path(), e);
      }
    }
    // Not before all files are gone: those of one partition share its directories.
    for (File file : files) removeEmptyDirectories(file, kept, conf);
  }

  private static void removeEmptyDirectories(File file, Path kept, Configuration conf) {
    try {
      FileSystem fs = file.path().getFileSystem(conf);
      removeIfEmpty(fs, file.path().getParent());
      Path made = file.createdDirectory() ? file.partition() : kept;
      for (; made.depth() > kept.depth(); made = made.getParent()) removeIfEmpty(fs, made);
    } catch (IOException e) {
      LOG.debug("Directories of an aborted file stay: {}", file.partition(), e);
    }
  }

  private static void removeIfEmpty(FileSystem fs, Path directory) {
    try {
      if (fs.listStatus(directory).length == 0) fs.delete(directory, false);
    } catch (IOException e) {
      LOG.debug("Directory is in use or gone: {}", directory, e);
    }
  }
}
