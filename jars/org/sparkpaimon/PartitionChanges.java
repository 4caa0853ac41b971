package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Identifier;

/** Runs a statement that changes partitions and refreshes what Spark has cached of the table, also when it failed. */
final class PartitionChanges {
  private PartitionChanges() {}

  static JsonNode run(SparkSession session, PaimonCatalog catalog, Identifier table, Supplier<JsonNode> change) {
    JsonNode answer;
    try {
      answer = translated(table, change);
    } catch (Throwable failure) {
      try {
        refresh(session, catalog, table);
      } catch (RuntimeException second) {
        if (second != failure) failure.addSuppressed(second);
      }
      throw failure;
    }
    refresh(session, catalog, table);
    return answer;
  }

  private static JsonNode translated(Identifier table, Supplier<JsonNode> change) {
    try {
      return change.get();
    } catch (Errors.SparksOwn e) {
      throw Errors.onTable(e, table);
    }
  }

  /** Only a table that something has cached is loaded again. */
  static void refresh(SparkSession session, PaimonCatalog catalog, Identifier table) {
    if (session.sharedState().cacheManager().isEmpty()) return;
    if (!catalog.tableExists(table)) return;
    session.catalog().refreshTable(quoted(catalog.name()) + "." + quoted(table.namespace()[0]) + "." + quoted(table.name()));
  }

  private static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
