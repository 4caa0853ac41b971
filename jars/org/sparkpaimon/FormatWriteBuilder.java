package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDynamicOverwrite;
import org.apache.spark.sql.connector.write.SupportsOverwriteV2;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;

/** What a write replaces: nothing, the partitions below a static prefix, or the partitions it writes. */
final class FormatWriteBuilder implements WriteBuilder, SupportsOverwriteV2, SupportsDynamicOverwrite {
  /** Write option with the values of a PARTITION clause as JSON, see {@link StatementRule}. */
  static final String PARTITION_CLAUSE = "spark-paimon.partition-clause";

  private final PaimonTable table;
  private final LogicalWriteInfo info;
  private final ObjectNode staticValues = Json.object();
  private String mode = "append";

  FormatWriteBuilder(PaimonTable table, LogicalWriteInfo info) {
    this.table = table;
    this.info = info;
  }

  @Override
  public WriteBuilder overwriteDynamicPartitions() {
    mode = "overwrite-dynamic";
    return this;
  }

  @Override
  public boolean canOverwrite(Predicate[] predicates) {
    return true;
  }

  @Override
  public WriteBuilder overwrite(Predicate[] predicates) {
    mode = "overwrite";
    for (Predicate predicate : predicates) addStatic(predicate);
    return this;
  }

  /** Spark hands the static part of a PARTITION clause over as equalities; anything else cannot be overwritten. */
  private void addStatic(Predicate predicate) {
    if (predicate.name().equals("ALWAYS_TRUE")) return;
    if (predicate instanceof And and) {
      addStatic(and.left());
      addStatic(and.right());
      return;
    }
    var children = predicate.children();
    if (predicate.name().equals("IS_NULL") && children[0] instanceof NamedReference column) {
      staticValues.putNull(String.join(".", column.fieldNames()));
      return;
    }
    boolean equality = Arrays.asList("=", "<=>").contains(predicate.name());
    if (!equality || !(children[0] instanceof NamedReference column) || !(children[1] instanceof Literal<?> literal)) {
      ObjectNode request = table.request().put("condition", predicate.toString());
      table.call("overwrite_unsupported", request);
      return;
    }
    staticValues.set(String.join(".", column.fieldNames()), Values.toJson(literal.value(), literal.dataType()));
  }

  @Override
  public Write build() {
    ObjectNode request = table.request().put("mode", mode).put("uuid", table.description.uuid());
    request.set("static", staticValues);
    request.set("partition_clause", Json.parse(info.options().getOrDefault(PARTITION_CLAUSE, "{}")));
    return new FormatWrite(table, request);
  }
}
