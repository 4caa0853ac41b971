package org.sparkpaimon;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data files of partitions, listed in parallel. Names that start with {@code _} or {@code .} are hidden, files and
 * directories alike; a listing that fails fails the query.
 */
public final class DataFiles {
  private static final Logger LOG = LoggerFactory.getLogger(DataFiles.class);
  private static final AtomicLong LISTINGS = new AtomicLong();

  private DataFiles() {}

  /** How many directories were listed since the JVM started, for tests that count. */
  public static long listings() {
    return LISTINGS.get();
  }

  /**
   * Lists many directories.
   *
   * @param managed a registered partition without a directory is empty; a discovered one that vanished is an error
   * @param metadataDirectories names right below a directory that are never data
   * @return the files of each directory, in the order asked, each sorted by path
   */
  static List<List<FileStatus>> list(List<Path> directories, Configuration conf, boolean managed,
      List<String> metadataDirectories, int parallelism) {
    if (directories.isEmpty()) return List.of();
    List<List<FileStatus>> all = new ArrayList<>();
    // The first is listed on this thread, which may carry credentials that a pool's thread has yet to inherit.
    all.add(list(directories.get(0), conf, managed, metadataDirectories));
    if (directories.size() == 1) return all;
    ExecutorService pool = Executors.newFixedThreadPool(Math.min(parallelism, directories.size() - 1), DataFiles::daemon);
    try {
      List<Future<List<FileStatus>>> futures = new ArrayList<>();
      for (Path directory : directories.subList(1, directories.size())) {
        futures.add(pool.submit(() -> list(directory, conf, managed, metadataDirectories)));
      }
      for (Future<List<FileStatus>> future : futures) all.add(future.get());
      return all;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException runtime) throw runtime;
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Listing was interrupted", e);
    } finally {
      pool.shutdownNow();
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "spark-paimon-listing");
    thread.setDaemon(true);
    return thread;
  }

  private static List<FileStatus> list(Path directory, Configuration conf, boolean managed, List<String> excluded) {
    List<FileStatus> files = new ArrayList<>();
    try {
      collect(directory.getFileSystem(conf), directory, excluded, List.of(), files);
    } catch (FileNotFoundException e) {
      if (!managed) throw new UncheckedIOException("Partition directory " + directory + " is gone", e);
      LOG.warn("Registered partition has no directory, it is read as empty: {}", directory);
    } catch (IOException e) {
      throw new UncheckedIOException("Listing " + directory + " failed: " + e.getMessage(), e);
    }
    files.sort(Comparator.comparing(FileStatus::getPath));
    return files;
  }

  /**
   * @param links the links by which the directory was reached
   */
  private static void collect(FileSystem fs, Path directory, List<String> excluded, List<Path> links, List<FileStatus> files)
      throws IOException {
    LISTINGS.incrementAndGet();
    for (FileStatus status : fs.listStatus(directory)) {
      String name = status.getPath().getName();
      if (isHidden(name) || excluded.contains(name)) continue;
      if (!status.isDirectory()) {
        files.add(status);
        continue;
      }
      try {
        List<Path> through = links;
        if (isLink(status.getPath())) {
          through = new ArrayList<>(links);
          through.add(status.getPath());
          if (leadsBack(through)) {
            LOG.warn("{} is a link to a directory that holds it; it is not followed", status.getPath());
            continue;
          }
        }
        collect(fs, status.getPath(), List.of(), through, files);
      } catch (FileNotFoundException e) {
        LOG.debug("Directory vanished while it was listed: {}", status.getPath());
      }
    }
  }

  private static boolean isLink(Path path) {
    return "file".equals(path.toUri().getScheme()) && Files.isSymbolicLink(local(path));
  }

  /** Whether the last of some links is to a directory that really holds one of them: following it would never end. */
  private static boolean leadsBack(List<Path> links) throws IOException {
    var target = local(links.get(links.size() - 1)).toRealPath();
    for (Path link : links) if (local(link.getParent()).toRealPath().startsWith(target)) return true;
    return false;
  }

  private static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }

  private static boolean isHidden(String name) {
    return name.startsWith("_") || name.startsWith(".");
  }
}
