package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table that is being created or replaced: its rows are staged, and become visible with its definition. */
final class StagedPaimonTable extends PaimonTable implements StagedTable {
  private final ObjectNode definition;
  private ArrayNode files = Json.array();

  StagedPaimonTable(PaimonCatalog catalog, Identifier identifier, TableDescription description, ObjectNode definition) {
    super(catalog, identifier, description);
    this.definition = definition;
  }

  /** Options of the writer are among the properties of the table that is made. */
  @Override
  PaimonTable with(CaseInsensitiveStringMap options) {
    return this;
  }

  /** Whether there is certainly no table of that name, whose directory this might be. */
  boolean isNew() {
    return definition.path("mode").asText().equals("create");
  }

  /** Lets Python check the write, and make the function of its workers if they do it. */
  JsonNode begin(SparkSession session) {
    return Errors.analysed(() -> catalog.call("begin_staged_write", definition.deepCopy(), session));
  }

  /** Takes over the files of a finished write job. */
  void stage(ArrayNode written) {
    files = written;
  }

  @Override
  public void commitStagedChanges() {
    ObjectNode request = definition.deepCopy();
    request.set("files", files);
    Errors.analysed(() -> call("commit_staged_table", request));
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return new CustomTaskMetric[0];
  }

  @Override
  public void abortStagedChanges() {
    ObjectNode request = definition.deepCopy();
    request.set("files", files);
    call("abort_staged_table", request);
  }
}
