package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.NoSuchPartitionException;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsAtomicPartitionManagement;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TruncatableTable;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A format table as Spark sees it: the description that Python gave, and calls back to Python. */
class PaimonTable implements SupportsRead, SupportsWrite, SupportsAtomicPartitionManagement, TruncatableTable {
  final PaimonCatalog catalog;
  final Identifier identifier;
  final TableDescription description;
  private final Map<String, String> use;

  PaimonTable(PaimonCatalog catalog, Identifier identifier, TableDescription description) {
    this(catalog, identifier, description, Map.of());
  }

  /**
   * @param use options of a reader or writer
   */
  private PaimonTable(PaimonCatalog catalog, Identifier identifier, TableDescription description, Map<String, String> use) {
    this.catalog = catalog;
    this.identifier = identifier;
    this.description = description;
    this.use = use;
  }

  /** The table as a reader or writer with these options uses it. */
  PaimonTable with(CaseInsensitiveStringMap options) {
    Map<String, String> used = new HashMap<>(options.asCaseSensitiveMap());
    used.keySet().removeIf(FormatWriteBuilder.PARTITION_CLAUSE::equalsIgnoreCase);
    if (used.isEmpty()) return this;
    ObjectNode request = PaimonCatalog.tableRequest(identifier);
    request.set("use", Json.ofMap(used));
    JsonNode described = Errors.analysed(() -> call("load_table", request));
    return new PaimonTable(catalog, identifier, TableDescription.parse(described), used);
  }

  @Override
  public String name() {
    return catalog.name() + "." + description.fullName();
  }

  @Override
  public Column[] columns() {
    return description.columns();
  }

  @Override
  public StructType schema() {
    return description.schema();
  }

  @Override
  public StructType partitionSchema() {
    return description.partitionSchema();
  }

  @Override
  public Transform[] partitioning() {
    return description.partitionKeys().stream().map(key -> Expressions.identity(quoted(key))).toArray(Transform[]::new);
  }

  /** A column name for {@link Expressions}, which parses what it is given. */
  static String quoted(String column) {
    return "`" + column.replace("`", "``") + "`";
  }

  @Override
  public Map<String, String> properties() {
    return description.properties();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.OVERWRITE_DYNAMIC,
        TableCapability.OVERWRITE_BY_FILTER, TableCapability.TRUNCATE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new FormatScanBuilder(with(options));
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new FormatWriteBuilder(with(info.options()), info);
  }

  // ---- partitions --------------------------------------------------------------------------------------------

  ObjectNode request() {
    ObjectNode request = PaimonCatalog.tableRequest(identifier);
    if (!use.isEmpty()) request.set("use", Json.ofMap(use));
    return request;
  }

  JsonNode call(String operation, ObjectNode request) {
    return catalog.call(operation, request);
  }

  private ObjectNode request(InternalRow[] partitions) {
    ObjectNode request = request();
    ArrayNode specs = request.putArray("partitions");
    for (InternalRow partition : partitions) specs.add(Values.rowToJson(partition, partitionSchema()));
    return request;
  }

  @Override
  public void createPartitions(InternalRow[] partitions, Map<String, String>[] properties) {
    if (partitions.length == 0) return;
    ObjectNode request = request(partitions).put("ignore_if_exists", false);
    ArrayNode options = request.putArray("options");
    for (Map<String, String> map : properties) options.add(Json.ofMap(map));
    translated(() -> call("add_partitions", request));
  }

  @Override
  public boolean dropPartitions(InternalRow[] partitions) {
    if (partitions.length == 0) return true;
    translated(() -> call("drop_partitions", request(partitions).put("ignore_if_not_exists", false)));
    return true;
  }

  @Override
  public boolean purgePartitions(InternalRow[] partitions) {
    call("purge_partitions", request());
    return false;
  }

  @Override
  public boolean truncatePartition(InternalRow partition) throws NoSuchPartitionException {
    return truncatePartitions(new InternalRow[] {partition});
  }

  @Override
  public boolean truncatePartitions(InternalRow[] partitions) throws NoSuchPartitionException {
    if (partitions.length == 0) return true;
    try {
      call("truncate_partitions", request(partitions));
    } catch (Errors.SparksOwn e) {
      if (partitions.length == 1) throw new NoSuchPartitionException(name(), partitions[0], partitionSchema());
      throw Errors.onTable(e, identifier);
    }
    return true;
  }

  @Override
  public boolean truncateTable() {
    Errors.analysed(() -> call("truncate_table", request()));
    return true;
  }

  @Override
  public boolean partitionExists(InternalRow partition) {
    return listPartitions(request(new InternalRow[] {partition})).length > 0;
  }

  @Override
  public InternalRow[] listPartitionIdentifiers(String[] names, InternalRow values) {
    StructType schema = new StructType();
    for (String name : names) schema = schema.add(partitionSchema().apply(name));
    ObjectNode request = request();
    request.putArray("partitions").add(Values.rowToJson(values, schema));
    return listPartitions(request);
  }

  private InternalRow[] listPartitions(ObjectNode request) {
    JsonNode rows = Errors.analysed(() -> call("list_partitions", request)).path("partitions");
    List<InternalRow> partitions = new ArrayList<>();
    for (JsonNode row : rows) partitions.add(Values.rowFromArray(row, partitionSchema()));
    return partitions.toArray(new InternalRow[0]);
  }

  @Override
  public Map<String, String> loadPartitionMetadata(InternalRow partition) {
    ObjectNode request = request(new InternalRow[] {partition});
    return Json.toMap(Errors.analysed(() -> call("load_partition", request)).path("metadata"));
  }

  @Override
  public void replacePartitionMetadata(InternalRow partition, Map<String, String> properties) {
    call("replace_partition_metadata", request());
  }

  @Override
  public boolean renamePartition(InternalRow from, InternalRow to) {
    call("rename_partition", request());
    return false;
  }

  /** Rethrows an error about partitions as Spark's class for it. */
  private JsonNode translated(Supplier<JsonNode> call) {
    try {
      return call.get();
    } catch (Errors.SparksOwn e) {
      throw Errors.onTable(e, identifier);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PaimonTable table && table.catalog.name().equals(catalog.name())
        && table.description.uuid().equals(description.uuid()) && table.description.dynamic().equals(description.dynamic());
  }

  @Override
  public int hashCode() {
    return description.uuid().hashCode();
  }

  @Override
  public String toString() {
    return name();
  }
}
