package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.PartitionSpec;
import org.apache.spark.sql.catalyst.analysis.ResolvedProcedure;
import org.apache.spark.sql.catalyst.analysis.UnresolvedPartitionSpec;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTable;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.AddPartitions;
import org.apache.spark.sql.catalyst.plans.logical.AnalyzeTable;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.DropPartitions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RepairTable;
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
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * ANALYZE TABLE, MSCK REPAIR TABLE and ADD / DROP PARTITION on our tables become calls of procedures. Spark refuses the
 * first two for every v2 table; it resolves the others itself, but a DROP with a partial spec not at all and an ADD IF
 * NOT EXISTS by looking first, where the catalog has to decide. Every other statement passes untouched, and so does
 * each of these on a table of another catalog.
 */
final class StatementRule extends Rule<LogicalPlan> {
  private final SparkSession session;

  StatementRule(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    if (plan instanceof ExplainCommand explain) {
      LogicalPlan inner = rewrite(explain.logicalPlan(), false);
      return inner == explain.logicalPlan() ? plan : explain.copy(inner, explain.mode());
    }
    return rewrite(plan, true);
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
    List<String> parts = CollectionConverters.asJava(name);
    CatalogManager manager = session.sessionState().catalogManager();
    boolean qualified = parts.size() > 1 && manager.isCatalogRegistered(parts.get(0));
    CatalogPlugin plugin = qualified ? manager.catalog(parts.get(0)) : manager.currentCatalog();
    if (!(plugin instanceof PaimonCatalog catalog)) return plan;
    List<String> rest = qualified ? parts.subList(1, parts.size()) : parts;
    String[] namespace = rest.size() > 1 ? rest.subList(0, rest.size() - 1).toArray(new String[0]) : manager.currentNamespace();
    Identifier table = Identifier.of(namespace, rest.get(rest.size() - 1));
    request.setAll(PaimonCatalog.tableRequest(table));
    Statement statement = new Statement(catalog, table, operation, request);
    Identifier procedure = Identifier.of(new String[] {"sys"}, operation);
    return new Call(new ResolvedProcedure(catalog, procedure, statement), CollectionConverters.asScala(List.<Expression>of()).toSeq(), execute);
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
