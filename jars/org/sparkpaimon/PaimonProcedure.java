package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** {@code CALL <catalog>.sys.<name>(…)}: parameters and result come from Python, and so does the work. */
final class PaimonProcedure implements UnboundProcedure, BoundProcedure {
  private final PaimonCatalog catalog;
  private final String name;
  private final String description;
  private final ProcedureParameter[] parameters;

  PaimonProcedure(PaimonCatalog catalog, JsonNode node) {
    this.catalog = catalog;
    this.name = node.path("name").asText();
    this.description = node.path("description").asText();
    List<ProcedureParameter> list = new ArrayList<>();
    for (JsonNode parameter : node.path("parameters")) {
      DataType type = DataType.fromDDL(parameter.path("type").asText());
      ProcedureParameter.Builder builder = ProcedureParameter.in(parameter.path("name").asText(), type);
      if (parameter.has("default_sql")) builder.defaultValue(parameter.path("default_sql").asText());
      list.add(builder.build());
    }
    parameters = list.toArray(new ProcedureParameter[0]);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public BoundProcedure bind(StructType inputType) {
    return this;
  }

  @Override
  public ProcedureParameter[] parameters() {
    return parameters;
  }

  @Override
  public boolean isDeterministic() {
    return false;
  }

  @Override
  public Iterator<Scan> call(InternalRow input) {
    StructType schema = new StructType();
    for (ProcedureParameter parameter : parameters) schema = schema.add(parameter.name(), parameter.dataType());
    ObjectNode request = Json.object().put("name", name);
    request.set("arguments", Values.rowToJson(input, schema));
    return List.<Scan>of(run(catalog, request)).iterator();
  }

  /**
   * Runs a procedure for the active session, whose current database and settings go with the call, and refreshes what
   * Spark has cached of the table that it is about.
   */
  static LocalRows run(PaimonCatalog catalog, ObjectNode request) {
    SparkSession session = SparkSession.active();
    Sessions.describe(session, catalog, request);
    Supplier<JsonNode> call = () -> Errors.analysed(() -> catalog.call("call_procedure", request, session));
    Identifier table = table(session, catalog, request);
    return LocalRows.parse(table == null ? call.get() : PartitionChanges.run(session, catalog, table, call));
  }

  /** The table that the argument of that name means; null where there is none, which Python refuses if it must. */
  private static Identifier table(SparkSession session, PaimonCatalog catalog, ObjectNode request) {
    JsonNode name = request.path("arguments").path("table");
    if (!name.isTextual()) return null;
    try {
      List<String> parts = CollectionConverters.asJava(session.sessionState().sqlParser().parseMultipartIdentifier(name.asText()));
      if (parts.size() == 3 && parts.get(0).equals(catalog.name())) parts = parts.subList(1, 3);
      if (parts.size() > 2) return null;
      String database = parts.size() == 2 ? parts.get(0) : request.path("current_database").asText();
      return Identifier.of(new String[] {database}, parts.get(parts.size() - 1));
    } catch (ParseException e) {
      return null;
    }
  }
}
