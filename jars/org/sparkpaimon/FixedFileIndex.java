package org.sparkpaimon;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.NoopCache$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionPath;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;
import scala.collection.mutable.LinkedHashMap;
import scala.jdk.javaapi.CollectionConverters;

/** Partitions and files that are already chosen, in the form in which Spark's file scans want them. */
final class FixedFileIndex extends PartitioningAwareFileIndex {
  /** Under this name a file carries the name of its partition, for messages. */
  private static final String PARTITION = "partition";

  private final PartitionSpec spec;
  private final Seq<PartitionDirectory> directories;
  private final LinkedHashMap<Path, FileStatus> files = new LinkedHashMap<>();

  FixedFileIndex(SparkSession session, TableDescription table, List<SelectedPartitions.Partition> partitions,
      List<List<FileStatus>> filesOfPartitions) {
    this(session, table, table.partitionSchema(), partitions, filesOfPartitions);
  }

  private FixedFileIndex(SparkSession session, TableDescription table, StructType partitionSchema,
      List<SelectedPartitions.Partition> partitions, List<List<FileStatus>> filesOfPartitions) {
    super(session, Map$.MODULE$.empty(), Option.apply(partitionSchema), NoopCache$.MODULE$);
    List<PartitionPath> paths = new ArrayList<>();
    List<PartitionDirectory> listed = new ArrayList<>();
    for (int i = 0; i < partitions.size(); i++) {
      InternalRow values = partitions.get(i).values();
      if (filesOfPartitions.get(i).isEmpty()) continue;
      paths.add(new PartitionPath(values, partitions.get(i).location()));
      scala.collection.immutable.Map<String, Object> metadata = Map$.MODULE$.<String, Object>empty()
          .updated(PARTITION, table.paths().name(values, partitionSchema));
      List<FileStatusWithMetadata> statuses = new ArrayList<>();
      for (FileStatus file : filesOfPartitions.get(i)) {
        statuses.add(new FileStatusWithMetadata(file, metadata));
        files.put(file.getPath(), file);
      }
      listed.add(PartitionDirectory.apply(values, scala(statuses)));
    }
    spec = new PartitionSpec(partitionSchema, scala(paths));
    directories = scala(listed);
  }

  /** Name of the partition of a file of such an index; empty for an unpartitioned table. */
  static String partitionOf(PartitionedFile file) {
    return file.otherConstantMetadataColumnValues().getOrElse(PARTITION, () -> "").toString();
  }

  /** The partitions that have files. */
  Seq<PartitionDirectory> directories() {
    return directories;
  }

  private static <T> Seq<T> scala(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  @Override
  public Seq<PartitionDirectory> listFiles(Seq<Expression> partitionFilters, Seq<Expression> dataFilters) {
    return directories;
  }

  @Override
  public Seq<Path> rootPaths() {
    return scala(CollectionConverters.asJava(spec.partitions()).stream().map(PartitionPath::path).toList());
  }

  @Override
  public PartitionSpec partitionSpec() {
    return spec;
  }

  @Override
  public LinkedHashMap<Path, FileStatus> leafFiles() {
    return files;
  }

  @Override
  public scala.collection.immutable.Map<Path, FileStatus[]> leafDirToChildrenFiles() {
    return Map$.MODULE$.empty();
  }

  @Override
  public Seq<FileStatus> allFiles() {
    return files.values().toSeq();
  }

  @Override
  public void refresh() {}
}
