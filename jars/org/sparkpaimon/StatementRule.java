package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.PartitionSpec;
import org.apache.spark.sql.catalyst.analysis.ResolvedProcedure;
import org.apache.spark.sql.catalyst.analysis.UnresolvedPartitionSpec;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTable;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.AddPartitions;
import org.apache.spark.sql.catalyst.plans.logical.AnalyzeTable;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.DropPartitions;
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RepairTable;
import org.apache.spark.sql.catalyst.plans.logical.TruncatePartition;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * ANALYZE TABLE, MSCK REPAIR TABLE and ADD / DROP / TRUNCATE PARTITION on our tables become calls of procedures. Spark
 * refuses the first two for every v2 table; it resolves the others itself, but a DROP with a partial spec not at all, an
 * ADD IF NOT EXISTS by looking first, where the catalog has to decide, and a TRUNCATE with a partial spec by a listing
 * that cannot tell what it is for. An INSERT learns what its PARTITION clause says. Every other statement passes
 * untouched, and so does each of these on a table of another catalog.
 */
final class StatementRule extends Rule<LogicalPlan> {
  private final SparkSession session;

  StatementRule(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    Secrets.hide(session.sessionState().conf());
    if (plan instanceof ExplainCommand explain) {
      LogicalPlan inner = rewrite(explain.logicalPlan(), false);
      return inner == explain.logicalPlan() ? plan : explain.copy(inner, explain.mode());
    }
    return rewrite(plan.resolveOperatorsDown(new StaticPartitions()), true);
  }

  /**
   * Tells the write of an INSERT which partition its PARTITION clause names. Spark turns the values into columns of the
   * query, so that a query without rows would leave no trace of them.
   */
  private final class StaticPartitions extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return plan instanceof InsertIntoStatement insert && insert.table() instanceof UnresolvedRelation relation
          && !insert.partitionSpec().isEmpty() && insert.partitionSpec().values().forall(value -> value.isDefined())
          && !relation.options().containsKey(FormatWriteBuilder.PARTITION_CLAUSE)
          && named(relation.multipartIdentifier()) != null;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends LogicalPlan, B> B applyOrElse(A plan, scala.Function1<A, B> otherwise) {
      if (!isDefinedAt(plan)) return otherwise.apply(plan);
      InsertIntoStatement insert = (InsertIntoStatement) plan;
      UnresolvedRelation relation = (UnresolvedRelation) insert.table();
      ObjectNode values = Json.object();
      CollectionConverters.asJava(insert.partitionSpec()).forEach((column, value) -> values.put(column, value.get()));
      Map<String, String> options = new HashMap<>(relation.options().asCaseSensitiveMap());
      options.put(FormatWriteBuilder.PARTITION_CLAUSE, Json.text(values));
      UnresolvedRelation told = relation.copy(relation.multipartIdentifier(), new CaseInsensitiveStringMap(options), relation.isStreaming());
      return (B) insert.copy(told, insert.partitionSpec(), insert.userSpecifiedCols(), insert.query(), insert.overwrite(),
          insert.ifPartitionNotExists(), insert.byName(), insert.replaceCriteriaOpt(), insert.withSchemaEvolution());
    }
  }

  private LogicalPlan rewrite(LogicalPlan plan, boolean execute) {
    if (plan instanceof AnalyzeTable analyze && analyze.child() instanceof UnresolvedTableOrView table) {
      return call(plan, table.multipartIdentifier(), "analyze_statement", analyzed(analyze), execute);
    }
    if (plan instanceof RepairTable repair && repair.child() instanceof UnresolvedTable table) {
      return call(plan, table.multipartIdentifier(), "repair_statement", repaired(repair), execute);
    }
    if (plan instanceof DropPartitions drop && drop.table() instanceof UnresolvedTable table) {
      ObjectNode request = Json.object().put("if_exists", drop.ifExists()).put("purge", drop.purge());
      return call(plan, table.multipartIdentifier(), "drop_partitions_statement", withSpecs(request, drop.parts()), execute);
    }
    if (plan instanceof AddPartitions add && add.table() instanceof UnresolvedTable table) {
      ObjectNode request = Json.object().put("if_not_exists", add.ifNotExists());
      return call(plan, table.multipartIdentifier(), "add_partitions_statement", withSpecs(request, add.parts()), execute);
    }
    if (plan instanceof TruncatePartition truncate && truncate.table() instanceof UnresolvedTable table) {
      ObjectNode request = withSpecs(Json.object(), CollectionConverters.asScala(List.of(truncate.partitionSpec())).toSeq());
      return call(plan, table.multipartIdentifier(), "truncate_partitions_statement", request, execute);
    }
    return plan;
  }

  private static ObjectNode analyzed(AnalyzeTable analyze) {
    ObjectNode request = Json.object().put("noscan", analyze.noScan());
    ObjectNode spec = request.putObject("partition");
    ArrayNode named = request.putArray("columns");
    CollectionConverters.asJava(analyze.partitionSpec()).forEach((column, value) -> {
      named.add(column);
      if (value.isDefined()) spec.put(column, value.get());
    });
    return request;
  }

  private static ObjectNode repaired(RepairTable repair) {
    boolean both = repair.enableAddPartitions() && repair.enableDropPartitions();
    return Json.object().put("mode", both ? "SYNC" : repair.enableDropPartitions() ? "DROP" : "ADD");
  }

  private static ObjectNode withSpecs(ObjectNode request, Seq<PartitionSpec> parts) {
    ArrayNode specs = request.putArray("partitions");
    ArrayNode locations = request.putArray("locations");
    for (PartitionSpec part : CollectionConverters.asJava(parts)) {
      UnresolvedPartitionSpec spec = (UnresolvedPartitionSpec) part;
      ObjectNode node = specs.addObject();
      CollectionConverters.asJava(spec.spec()).forEach(node::put);
      locations.add(spec.location().isDefined() ? spec.location().get() : null);
    }
    return request;
  }

  private LogicalPlan call(LogicalPlan plan, Seq<String> name, String operation, ObjectNode request, boolean execute) {
    Named table = named(name);
    if (table == null) return plan;
    request.setAll(PaimonCatalog.tableRequest(table.identifier()));
    Statement statement = new Statement(table.catalog(), table.identifier(), operation, request);
    Identifier procedure = Identifier.of(new String[] {"sys"}, operation);
    return new Call(new ResolvedProcedure(table.catalog(), procedure, statement), CollectionConverters.asScala(List.<Expression>of()).toSeq(), execute);
  }

  /** A name of a statement that leads into one of our catalogs. */
  private record Named(PaimonCatalog catalog, Identifier identifier) {}

  /** Where a name leads; null when that is a temporary view or not one of our catalogs. */
  private Named named(Seq<String> name) {
    if (session.sessionState().catalog().isTempView(name)) return null;
    List<String> parts = CollectionConverters.asJava(name);
    CatalogManager manager = session.sessionState().catalogManager();
    boolean qualified = parts.size() > 1 && manager.isCatalogRegistered(parts.get(0));
    CatalogPlugin plugin = qualified ? manager.catalog(parts.get(0)) : manager.currentCatalog();
    if (!(plugin instanceof PaimonCatalog catalog)) return null;
    List<String> rest = qualified ? parts.subList(1, parts.size()) : parts;
    String[] namespace = rest.size() > 1 ? rest.subList(0, rest.size() - 1).toArray(new String[0]) : manager.currentNamespace();
    return new Named(catalog, Identifier.of(namespace, rest.get(rest.size() - 1)));
  }

  /** A rewritten statement: no arguments, no rows. */
  private record Statement(PaimonCatalog catalog, Identifier table, String operation, ObjectNode request)
      implements UnboundProcedure, BoundProcedure {
    @Override
    public String name() {
      return operation;
    }

    @Override
    public String description() {
      return operation + " " + table;
    }

    @Override
    public BoundProcedure bind(StructType inputType) {
      return this;
    }

    @Override
    public ProcedureParameter[] parameters() {
      return new ProcedureParameter[0];
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
      SparkSession session = SparkSession.active();
      Sessions.describe(session, catalog, request);
      PartitionChanges.run(session, catalog, table, () -> catalog.call(operation, request, session));
      return Collections.emptyIterator();
    }
  }
}
