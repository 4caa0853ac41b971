package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.execution.PartitionedFileUtil;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Files that the Python reader of their format reads. Splits are packed as Spark packs its own. */
final class PythonFiles implements FileGroup {
  private final PaimonTable table;
  private final SparkSession session;
  private final String format;
  private final FixedFileIndex index;
  private final StructType columns;
  private final StructType partitionColumns;

  /**
   * @param columns stored columns that the query wants
   * @param partitionColumns partition columns that it wants
   */
  PythonFiles(PaimonTable table, SparkSession session, String format, FixedFileIndex index, StructType columns,
      StructType partitionColumns) {
    this.table = table;
    this.session = session;
    this.format = format;
    this.index = index;
    this.columns = columns;
    this.partitionColumns = partitionColumns;
  }

  @Override
  public long bytes() {
    return index.sizeInBytes();
  }

  @Override
  public OptionalLong rowsInFooters() {
    return OptionalLong.empty();
  }

  @Override
  public boolean vectorised() {
    return false;
  }

  @Override
  public InputPartition[] splits() {
    Seq<PartitionDirectory> directories = index.directories();
    long target = FilePartition.maxSplitBytes(session, directories);
    Iterable<List<Long>> cuts = cuts(target);
    var next = cuts.iterator();
    List<PartitionedFile> slices = new ArrayList<>();
    for (PartitionDirectory directory : CollectionConverters.asJava(directories)) {
      InternalRow values = wanted(directory.values());
      List<PartitionedFile> ofPartition = new ArrayList<>();
      for (FileStatusWithMetadata file : CollectionConverters.asJava(directory.files())) {
        addSlices(file, values, file.getLen() > target ? next.next() : List.of(), ofPartition);
      }
      ofPartition.sort(Comparator.comparingLong(PartitionedFile::length).reversed());
      slices.addAll(ofPartition);
    }
    var packed = FilePartition.getFilePartitions(session, CollectionConverters.asScala(slices).toSeq(), target);
    return CollectionConverters.asJava(packed).toArray(new InputPartition[0]);
  }

  private static void addSlices(FileStatusWithMetadata file, InternalRow values, List<Long> cuts, List<PartitionedFile> slices) {
    long start = 0;
    for (int i = 0; i <= cuts.size(); i++) {
      long end = i < cuts.size() ? cuts.get(i) : file.getLen();
      slices.add(PartitionedFileUtil.getPartitionedFile(file, file.getPath(), values, start, end - start));
      start = end;
    }
  }

  /** Where each file that is larger than a split can be cut, in the order of the files. */
  private List<List<Long>> cuts(long target) {
    ObjectNode request = table.request().put("format", format).put("target", target);
    ArrayNode files = request.putArray("files");
    for (PartitionDirectory directory : CollectionConverters.asJava(index.directories())) {
      for (FileStatusWithMetadata file : CollectionConverters.asJava(directory.files())) {
        if (file.getLen() <= target) continue;
        files.addArray().add(file.getPath().toString()).add(file.getLen()).add(file.getModificationTime());
      }
    }
    List<List<Long>> all = new ArrayList<>();
    if (files.isEmpty()) return all;
    for (JsonNode cuts : Errors.analysed(() -> table.call("file_cuts", request)).path("cuts")) {
      List<Long> offsets = new ArrayList<>();
      cuts.forEach(offset -> offsets.add(offset.asLong()));
      all.add(offsets);
    }
    return all;
  }

  private InternalRow wanted(InternalRow values) {
    StructType schema = table.partitionSchema();
    Object[] kept = new Object[partitionColumns.size()];
    for (int i = 0; i < kept.length; i++) {
      int at = schema.fieldIndex(partitionColumns.apply(i).name());
      kept[i] = values.isNullAt(at) ? null : values.get(at, schema.apply(at).dataType());
    }
    return new GenericInternalRow(kept);
  }

  @Override
  public PartitionReaderFactory readers(boolean asColumns) {
    return new Readers(PythonReader.ask(table, session, format, columns, partitionColumns));
  }

  record Readers(PythonReader reader) implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition split) {
      return reader.read(List.of(((FilePartition) split).files()));
    }
  }
}
