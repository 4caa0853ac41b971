package org.sparkpaimon;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.jdk.javaapi.CollectionConverters;

/** One scan over partitions of one or several file formats, each read by Spark's own reader of that format or in Python. */
final class FormatScan implements Scan, Batch, SupportsReportStatistics, SupportsRuntimeV2Filtering {
  private static final int FEW = 8;
  private final PaimonTable table;
  private final StructType required;
  private final List<Expression> partitionFilters;
  private final List<Expression> dataFilters;
  private final SparkSession session = SparkSession.active();
  private SelectedPartitions selected;
  private Map<String, List<List<FileStatus>>> listed = new TreeMap<>();
  private SparkSession settled;
  private List<FileGroup> groups;
  private InputPartition[] splits;
  private PartitionReaderFactory readers;
  private long fileCount;

  /**
   * @param before a scan of the same partitions that has asked for them already, perhaps listed them; or null
   */
  FormatScan(PaimonTable table, StructType required, List<Expression> partitionFilters, List<Expression> dataFilters,
      FormatScan before) {
    this.table = table;
    this.required = required;
    this.partitionFilters = partitionFilters;
    this.dataFilters = dataFilters;
    if (before == null) return;
    selected = before.selected;
    listed = new TreeMap<>(before.listed);
  }

  // ---- what is read ------------------------------------------------------------------------------------------

  /** Columns of the files first, partition columns behind them, as Spark's file scans produce them. */
  @Override
  public StructType readSchema() {
    StructType schema = dataColumns();
    for (StructField field : partitionColumns().fields()) schema = schema.add(field);
    return schema;
  }

  private StructType dataColumns() {
    StructType columns = new StructType();
    for (StructField field : required.fields()) if (!isPartitionKey(field)) columns = columns.add(field);
    return columns.asNullable();
  }

  private StructType partitionColumns() {
    StructType columns = new StructType();
    for (StructField field : table.partitionSchema().fields()) if (isRequired(field)) columns = columns.add(field);
    return columns.asNullable();
  }

  private boolean isPartitionKey(StructField field) {
    return table.description.partitionKeys().stream().anyMatch(key -> key.equalsIgnoreCase(field.name()));
  }

  private boolean isRequired(StructField field) {
    return Arrays.stream(required.fieldNames()).anyMatch(name -> name.equalsIgnoreCase(field.name()));
  }

  private synchronized SelectedPartitions selected() {
    if (selected == null) selected = SelectedPartitions.ask(table, partitionFilters);
    return selected;
  }

  /**
   * The session with the settings that this scan has of the catalog and the table. A copy is made only where they differ:
   * each copy has its own state.
   */
  private synchronized SparkSession settled() {
    if (settled != null) return settled;
    SQLConf conf = session.sessionState().conf();
    Map<String, String> differing = new TreeMap<>(selected().settings());
    differing.entrySet().removeIf(entry -> entry.getValue().equals(conf.getConfString(entry.getKey())));
    settled = session;
    if (!differing.isEmpty()) {
      settled = session.cloneSession();
      differing.forEach(settled.sessionState().conf()::setConfString);
    }
    return settled;
  }

  /** The files of the selected partitions, in groups that are read in one way. */
  private synchronized List<FileGroup> groups() {
    if (groups != null) return groups;
    Map<String, List<SelectedPartitions.Partition>> byFormat = new TreeMap<>();
    for (SelectedPartitions.Partition partition : selected().partitions()) {
      byFormat.computeIfAbsent(partition.format(), format -> new ArrayList<>()).add(partition);
    }
    List<FileGroup> built = new ArrayList<>();
    fileCount = 0;
    byFormat.forEach((format, partitions) -> addGroups(selected().readers().get(format), partitions, built));
    groups = built;
    return groups;
  }

  private void addGroups(FormatReader format, List<SelectedPartitions.Partition> partitions, List<FileGroup> built) {
    List<List<FileStatus>> files = listed.computeIfAbsent(format.format(), name -> list(partitions));
    for (List<FileStatus> list : files) fileCount += list.size();
    List<List<FileStatus>> forPython = only(files, file -> format.isForPython(file.getPath().getName()));
    boolean anyForPython = forPython.stream().anyMatch(list -> !list.isEmpty());
    List<List<FileStatus>> forSpark = !anyForPython ? files : only(files, file -> !format.isForPython(file.getPath().getName()));
    if (anyForPython) {
      built.add(new PythonFiles(table, settled(), format.format(), index(partitions, forPython), dataColumns(), partitionColumns()));
    }
    if (!format.python() && forSpark.stream().anyMatch(list -> !list.isEmpty())) {
      FileScan scan = SparkReaders.scan(settled(), format, index(partitions, forSpark), table.description, required,
          partitionFilters, dataFilters);
      built.add(new SparkFiles(table, scan, format, selected(), vectorised(format)));
    }
  }

  private List<List<FileStatus>> list(List<SelectedPartitions.Partition> partitions) {
    Configuration conf = session.sessionState().newHadoopConf();
    List<Path> locations = partitions.stream().map(SelectedPartitions.Partition::location).toList();
    return DataFiles.list(locations, conf, table.description.managed(),
        table.description.partitionKeys().isEmpty() ? table.description.metadataDirectories() : List.of(),
        table.description.listParallelism());
  }

  private FixedFileIndex index(List<SelectedPartitions.Partition> partitions, List<List<FileStatus>> files) {
    return new FixedFileIndex(settled(), table.description, partitions, files);
  }

  private static List<List<FileStatus>> only(List<List<FileStatus>> files, java.util.function.Predicate<FileStatus> wanted) {
    return files.stream().map(list -> list.stream().filter(wanted).toList()).toList();
  }

  private boolean vectorised(FormatReader format) {
    return !format.python() && SparkReaders.vectorised(settled().sessionState().conf(), format.format(), readSchema());
  }

  // ---- statistics and pruning --------------------------------------------------------------------------------

  @Override
  public Statistics estimateStatistics() {
    OptionalLong rows = selected().rows();
    OptionalLong known = selected().bytes();
    long bytes = known.isPresent() ? known.getAsLong() : groups().stream().mapToLong(FileGroup::bytes).sum();
    long scaled = Math.max(selected().partitions().isEmpty() ? 0 : 1, (long) (bytes * shareOfColumns()));
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return OptionalLong.of(scaled);
      }

      @Override
      public OptionalLong numRows() {
        return rows;
      }
    };
  }

  /** The share of the stored bytes that the columns read make up, guessed from the widths of their types. */
  private double shareOfColumns() {
    StructType stored = table.description.dataSchema();
    if (stored.isEmpty()) return 1;
    long read = 0;
    for (StructField field : required.fields()) if (!isPartitionKey(field)) read += field.dataType().defaultSize();
    return Math.min(1.0, (double) read / stored.defaultSize());
  }

  @Override
  public NamedReference[] filterAttributes() {
    return table.description.partitionKeys().stream().filter(key -> isRequired(table.partitionSchema().apply(key)))
        .map(key -> Expressions.column(PaimonTable.quoted(key))).toArray(NamedReference[]::new);
  }

  @Override
  public synchronized void filter(Predicate[] predicates) {
    StructType schema = table.partitionSchema();
    SelectedPartitions kept = selected().filter(values ->
        Arrays.stream(predicates).allMatch(predicate -> PartitionPredicates.mayMatch(predicate, values, schema)));
    if (kept.partitions().size() == selected.partitions().size()) return;
    selected = kept;
    groups = null;
    splits = null;
    readers = null;
    listed.clear();
  }

  /** Whether everything is read in one task; files are listed only for few partitions, which alone can be. */
  boolean isOneTask() {
    return selected().partitions().size() <= FEW && planInputPartitions().length == 1;
  }

  /** The number of rows, where the footers of all files tell. */
  OptionalLong rowsInFooters() {
    long rows = 0;
    for (FileGroup group : groups()) {
      OptionalLong known = group.rowsInFooters();
      if (known.isEmpty()) return known;
      rows += known.getAsLong();
    }
    return OptionalLong.of(rows);
  }

  // ---- execution ---------------------------------------------------------------------------------------------

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public synchronized InputPartition[] planInputPartitions() {
    if (splits == null) splits = splits();
    return splits.clone();
  }

  private InputPartition[] splits() {
    List<InputPartition> splits = new ArrayList<>();
    List<FileGroup> planned = groups();
    for (int reader = 0; reader < planned.size(); reader++) {
      for (InputPartition inner : planned.get(reader).splits()) splits.add(new Split(reader, inner));
    }
    return splits.toArray(new InputPartition[0]);
  }

  /** Made once: Spark asks again for each copy of a plan's node, and each time would send its configuration out anew. */
  @Override
  public synchronized PartitionReaderFactory createReaderFactory() {
    if (readers == null) readers = readers();
    return readers;
  }

  private PartitionReaderFactory readers() {
    boolean columnar = groups().stream().allMatch(FileGroup::vectorised);
    PartitionReaderFactory[] factories =
        groups().stream().map(group -> group.readers(columnar)).toArray(PartitionReaderFactory[]::new);
    return new Readers(factories, columnar);
  }

  /** A split and the number of the reader that understands it. */
  record Split(int reader, InputPartition inner) implements InputPartition {
    @Override
    public String[] preferredLocations() {
      return inner.preferredLocations();
    }
  }

  /** Spark wants all splits of a scan read in one way, so columns are used only where every reader offers them. */
  record Readers(PartitionReaderFactory[] factories, boolean columnar) implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      Split split = (Split) partition;
      return factories[split.reader()].createReader(split.inner());
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
      Split split = (Split) partition;
      return factories[split.reader()].createColumnarReader(split.inner());
    }

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
      return columnar;
    }
  }

  // ---- what is shown -----------------------------------------------------------------------------------------

  @Override
  public String description() {
    SelectedPartitions partitions = selected();
    TreeSet<String> formats = new TreeSet<>();
    partitions.partitions().forEach(partition -> formats.add(partition.format()));
    return "paimon " + table.name() + " [partitions total: " + (partitions.total() < 0 ? "unknown" : partitions.total())
        + ", partitions scanned: " + partitions.partitions().size() + ", formats: " + String.join(", ", formats)
        + ", readers: " + readers(formats)
        + ", partition filters: " + texts(partitionFilters) + ", data filters: " + texts(dataFilters) + "]";
  }

  /** Columns are used only where every reader offers them. */
  private String readers(TreeSet<String> formats) {
    Map<String, FormatReader> readers = selected().readers();
    boolean vectorised = formats.stream().allMatch(format -> vectorised(readers.get(format)));
    return formats.stream().map(format -> {
      FormatReader reader = readers.get(format);
      return format + (reader.python() ? " (python: " + reader.reason() + ")" : vectorised ? " (spark, vectorised)" : " (spark)");
    }).collect(Collectors.joining(", "));
  }

  private static List<String> texts(List<Expression> filters) {
    return filters.stream().map(filter -> ((Expression) filter.transform(Unqualified.INSTANCE)).sql()).toList();
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return ScanMetrics.supported();
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put(ScanMetrics.TOTAL, Math.max(0, selected().total()));
    values.put(ScanMetrics.SCANNED, (long) selected().partitions().size());
    values.put(ScanMetrics.FILES, fileCount);
    return ScanMetrics.report(values);
  }

  /** Two scans that read the same of the same table are one, so that Spark can reuse an exchange. */
  @Override
  public boolean equals(Object other) {
    return other instanceof FormatScan scan && table.equals(scan.table) && readSchema().equals(scan.readSchema())
        && texts(partitionFilters).equals(texts(scan.partitionFilters)) && texts(dataFilters).equals(texts(scan.dataFilters));
  }

  @Override
  public int hashCode() {
    return Objects.hash(table, readSchema(), texts(partitionFilters));
  }

  /** Drops the alias under which a query knows a column. */
  private static final class Unqualified extends scala.runtime.AbstractPartialFunction<Expression, Expression> {
    static final Unqualified INSTANCE = new Unqualified();

    @Override
    public boolean isDefinedAt(Expression e) {
      return e instanceof AttributeReference;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends Expression, B> B applyOrElse(A e, scala.Function1<A, B> otherwise) {
      if (!(e instanceof AttributeReference a)) return otherwise.apply(e);
      return (B) a.withQualifier(CollectionConverters.asScala(List.<String>of()).toSeq());
    }
  }
}
