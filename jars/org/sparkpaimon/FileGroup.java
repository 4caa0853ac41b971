package org.sparkpaimon;

import java.util.OptionalLong;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/** Files of one format that are read in one way. */
interface FileGroup {
  /** Bytes of all files. */
  long bytes();

  /** Rows of all files, where their footers tell. */
  OptionalLong rowsInFooters();

  /** Whether they can be read as columns. */
  boolean vectorised();

  /** What the tasks read; made anew by each call. */
  InputPartition[] splits();

  /** The reader of the splits, as columns only if all groups of the scan are. */
  PartitionReaderFactory readers(boolean asColumns);
}
