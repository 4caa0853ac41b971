package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;

/** Spark's catalog interfaces over the Python catalogs: passes each call on and holds no rule. */
public class PaimonCatalog implements StagingTableCatalog, SupportsNamespaces, ProcedureCatalog, FunctionCatalog {
  private String name;
  private Map<String, String> options;
  private String key;
  private int openedIn;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
    this.options = Secrets.referenced(options.asCaseSensitiveMap());
    Secrets.hideInForce();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String[] defaultNamespace() {
    return new String[] {"default"};
  }

  // ---- calls -------------------------------------------------------------------------------------------------

  /** Runs an operation on this catalog, which is opened again in a process that was started since the last call. */
  JsonNode call(String operation, ObjectNode request, Object object) {
    PythonBackend backend = PythonBackend.start();
    request.put("catalog", openedIn(backend));
    Sessions.addSettings(this, request);
    return backend.send(operation, request, object);
  }

  JsonNode call(String operation, ObjectNode request) {
    return call(operation, request, null);
  }

  private synchronized String openedIn(PythonBackend backend) {
    if (key == null || openedIn != backend.generation()) {
      ObjectNode request = Json.object().put("name", name);
      request.set("options", Json.ofMap(Secrets.resolved(name, options)));
      request.put("secrets", Secrets.file(options));
      key = backend.send("open_catalog", request, null).path("catalog").asText();
      openedIn = backend.generation();
    }
    return key;
  }

  static ObjectNode tableRequest(Identifier identifier) {
    return Json.object().put("database", database(identifier.namespace())).put("table", identifier.name());
  }

  private static String database(String[] namespace) {
    return String.join(".", namespace);
  }

  private static boolean isDatabase(String[] namespace) {
    return namespace.length == 1;
  }

  // ---- databases ---------------------------------------------------------------------------------------------

  @Override
  public String[][] listNamespaces() {
    JsonNode databases = Errors.analysed(() -> call("list_databases", Json.object())).path("databases");
    return Json.toList(databases).stream().map(database -> new String[] {database}).toArray(String[][]::new);
  }

  @Override
  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length == 0) return listNamespaces();
    loadNamespaceMetadata(namespace);
    return new String[0][];
  }

  @Override
  public boolean namespaceExists(String[] namespace) {
    try {
      loadNamespaceMetadata(namespace);
      return true;
    } catch (NoSuchNamespaceException e) {
      return false;
    }
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
    if (!isDatabase(namespace)) throw new NoSuchNamespaceException(namespace);
    try {
      return Json.toMap(call("load_database", Json.object().put("database", namespace[0])).path("properties"));
    } catch (Errors.SparksOwn e) {
      throw new NoSuchNamespaceException(namespace);
    }
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> metadata) throws NamespaceAlreadyExistsException {
    ObjectNode request = Json.object().put("database", database(namespace));
    request.set("properties", Json.ofMap(metadata));
    try {
      call("create_database", request);
    } catch (Errors.SparksOwn e) {
      throw new NamespaceAlreadyExistsException(namespace);
    }
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes) throws NoSuchNamespaceException {
    ObjectNode request = Json.object().put("database", database(namespace));
    ObjectNode set = request.putObject("set");
    ArrayNode remove = request.putArray("remove");
    for (NamespaceChange change : changes) {
      if (change instanceof NamespaceChange.SetProperty s) set.put(s.property(), s.value());
      else if (change instanceof NamespaceChange.RemoveProperty r) remove.add(r.property());
    }
    try {
      call("alter_database", request);
    } catch (Errors.SparksOwn e) {
      throw new NoSuchNamespaceException(namespace);
    }
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NoSuchNamespaceException, NonEmptyNamespaceException {
    try {
      call("drop_database", Json.object().put("database", database(namespace)).put("cascade", cascade));
      return true;
    } catch (Errors.SparksOwn e) {
      if (e.kind.equals("NonEmptyNamespaceException")) throw new NonEmptyNamespaceException(namespace);
      throw new NoSuchNamespaceException(namespace);
    }
  }

  // ---- tables ------------------------------------------------------------------------------------------------

  @Override
  public Set<TableCatalogCapability> capabilities() {
    return Set.of();
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    if (!isDatabase(namespace)) throw new NoSuchNamespaceException(namespace);
    try {
      JsonNode tables = call("list_tables", Json.object().put("database", namespace[0])).path("tables");
      return Json.toList(tables).stream().map(table -> Identifier.of(namespace, table)).toArray(Identifier[]::new);
    } catch (Errors.SparksOwn e) {
      throw new NoSuchNamespaceException(namespace);
    }
  }

  @Override
  public Table loadTable(Identifier identifier) throws NoSuchTableException {
    if (!isDatabase(identifier.namespace())) throw new NoSuchTableException(identifier);
    try {
      JsonNode table = call("load_table", tableRequest(identifier));
      if (table.has("metadata")) return new MetadataTable(this, identifier, table.path("metadata"));
      return new PaimonTable(this, identifier, TableDescription.parse(table));
    } catch (Errors.SparksOwn e) {
      throw new NoSuchTableException(identifier);
    }
  }

  @Override
  public Table createTable(Identifier identifier, Column[] columns, Transform[] partitions,
      Map<String, String> properties) throws TableAlreadyExistsException, NoSuchNamespaceException {
    return created(identifier, definition(identifier, columns, partitions, properties));
  }

  @Override
  public Table createTable(Identifier identifier, TableInfo info)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    return createTable(identifier, info.columns(), info.partitions(), info.properties());
  }

  @Override
  public Table createTableLike(Identifier identifier, TableInfo info, Table source)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    ObjectNode request = definition(identifier, info.columns(), info.partitions(), info.properties());
    request.set("like", Json.ofMap(source.properties()));
    return created(identifier, request);
  }

  private PaimonTable created(Identifier identifier, ObjectNode definition)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    try {
      return new PaimonTable(this, identifier, TableDescription.parse(call("create_table", definition)));
    } catch (Errors.SparksOwn e) {
      if (e.kind.equals("NoSuchNamespaceException")) throw new NoSuchNamespaceException(identifier.namespace());
      if (e.kind.equals("TableAlreadyExistsException")) throw new TableAlreadyExistsException(identifier);
      throw Errors.sneaky(e.asAnalysis());
    }
  }

  /** The request that describes a new table. */
  static ObjectNode definition(Identifier identifier, Column[] columns, Transform[] partitions,
      Map<String, String> properties) {
    ObjectNode request = tableRequest(identifier);
    ArrayNode fields = request.putArray("columns");
    for (Column column : columns) {
      ObjectNode field = fields.addObject().put("name", column.name()).put("nullable", column.nullable());
      field.set("type", Json.parse(column.dataType().json()));
      field.put("comment", column.comment());
    }
    ArrayNode transforms = request.putArray("partitioning");
    for (Transform transform : partitions) {
      ObjectNode node = transforms.addObject().put("transform", transform.name());
      node.put("text", transform.toString());
      ArrayNode references = node.putArray("columns");
      for (NamedReference reference : transform.references()) references.add(String.join(".", reference.fieldNames()));
    }
    request.set("properties", Json.ofMap(new HashMap<>(properties)));
    return request;
  }

  @Override
  public Table alterTable(Identifier identifier, TableChange... changes) throws NoSuchTableException {
    ObjectNode request = tableRequest(identifier);
    request.set("changes", TableChanges.toJson(changes));
    try {
      return new PaimonTable(this, identifier, TableDescription.parse(call("alter_table", request)));
    } catch (Errors.SparksOwn e) {
      if (e.kind.equals("NoSuchTableException")) throw new NoSuchTableException(identifier);
      throw Errors.sneaky(e.asAnalysis());
    }
  }

  @Override
  public boolean dropTable(Identifier identifier) {
    try {
      return call("drop_table", tableRequest(identifier)).path("dropped").asBoolean();
    } catch (Errors.SparksOwn e) {
      return false;
    }
  }

  @Override
  public void renameTable(Identifier from, Identifier to) throws NoSuchTableException, TableAlreadyExistsException {
    ObjectNode request = tableRequest(from);
    request.put("new_database", database(to.namespace())).put("new_table", to.name());
    try {
      call("rename_table", request);
    } catch (Errors.SparksOwn e) {
      if (e.kind.equals("TableAlreadyExistsException")) throw new TableAlreadyExistsException(to);
      if (e.kind.equals("NoSuchTableException")) throw new NoSuchTableException(from);
      throw Errors.sneaky(e.asAnalysis());
    }
  }

  // ---- CREATE TABLE AS SELECT, REPLACE TABLE: definition and rows become visible together ----------------------

  @Override
  public StagedTable stageCreate(Identifier identifier, Column[] columns, Transform[] partitions,
      Map<String, String> properties) throws TableAlreadyExistsException, NoSuchNamespaceException {
    try {
      return staged("create", identifier, columns, partitions, properties);
    } catch (Errors.SparksOwn e) {
      if (e.kind.equals("NoSuchNamespaceException")) throw new NoSuchNamespaceException(identifier.namespace());
      throw new TableAlreadyExistsException(identifier);
    }
  }

  @Override
  public StagedTable stageCreate(Identifier identifier, TableInfo info)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    return stageCreate(identifier, info.columns(), info.partitions(), info.properties());
  }

  @Override
  public StagedTable stageReplace(Identifier identifier, Column[] columns, Transform[] partitions,
      Map<String, String> properties) throws NoSuchNamespaceException, NoSuchTableException {
    try {
      return staged("replace", identifier, columns, partitions, properties);
    } catch (Errors.SparksOwn e) {
      if (e.kind.equals("NoSuchNamespaceException")) throw new NoSuchNamespaceException(identifier.namespace());
      throw new NoSuchTableException(identifier);
    }
  }

  @Override
  public StagedTable stageReplace(Identifier identifier, TableInfo info)
      throws NoSuchNamespaceException, NoSuchTableException {
    return stageReplace(identifier, info.columns(), info.partitions(), info.properties());
  }

  @Override
  public StagedTable stageCreateOrReplace(Identifier identifier, Column[] columns, Transform[] partitions,
      Map<String, String> properties) throws NoSuchNamespaceException {
    try {
      return staged("create_or_replace", identifier, columns, partitions, properties);
    } catch (Errors.SparksOwn e) {
      throw new NoSuchNamespaceException(identifier.namespace());
    }
  }

  @Override
  public StagedTable stageCreateOrReplace(Identifier identifier, TableInfo info) throws NoSuchNamespaceException {
    return stageCreateOrReplace(identifier, info.columns(), info.partitions(), info.properties());
  }

  private StagedTable staged(String mode, Identifier identifier, Column[] columns, Transform[] partitions,
      Map<String, String> properties) {
    ObjectNode definition = definition(identifier, columns, partitions, properties).put("mode", mode);
    JsonNode answer = call("stage_table", definition);
    return new StagedPaimonTable(this, identifier, TableDescription.parse(answer), definition);
  }

  // ---- procedures --------------------------------------------------------------------------------------------

  @Override
  public UnboundProcedure loadProcedure(Identifier identifier) {
    ObjectNode request = Json.object().put("namespace", database(identifier.namespace())).put("name", identifier.name());
    return new PaimonProcedure(this, Errors.analysed(() -> call("load_procedure", request)));
  }

  @Override
  public Identifier[] listProcedures(String[] namespace) {
    ObjectNode request = Json.object().put("namespace", database(namespace));
    JsonNode names = call("list_procedures", request).path("procedures");
    return Json.toList(names).stream().map(procedure -> Identifier.of(new String[] {"sys"}, procedure))
        .toArray(Identifier[]::new);
  }

  // ---- functions ---------------------------------------------------------------------------------------------

  @Override
  public Identifier[] listFunctions(String[] namespace) {
    return isSystem(namespace) ? new Identifier[] {Identifier.of(namespace, MaxPartition.NAME)} : new Identifier[0];
  }

  @Override
  public UnboundFunction loadFunction(Identifier identifier) throws NoSuchFunctionException {
    if (isSystem(identifier.namespace()) && identifier.name().equalsIgnoreCase(MaxPartition.NAME)) return new MaxPartition(this);
    throw new NoSuchFunctionException(identifier);
  }

  private static boolean isSystem(String[] namespace) {
    return namespace.length == 1 && namespace[0].equalsIgnoreCase("sys");
  }

  @Override
  public String toString() {
    return "PaimonCatalog(" + name + ")";
  }
}
