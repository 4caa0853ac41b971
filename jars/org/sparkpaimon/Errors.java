package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.Map;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkRuntimeException;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.analysis.NoSuchPartitionsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.PartitionsAlreadyExistException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Turns an error that Python reported into the Java exception that it names, with our condition and SQLSTATE. */
final class Errors {
  private static final Logger LOG = LoggerFactory.getLogger("org.sparkpaimon.bridge");

  private Errors() {}

  /** What Python says about an error. */
  record Report(String condition, String sqlState, String message, Map<String, String> parameters)
      implements Serializable {}

  static RuntimeException thrown(JsonNode error) {
    return thrown(error, null);
  }

  static RuntimeException thrown(JsonNode error, Throwable cause) {
    Report report = new Report(error.path("condition").asText(), error.path("sqlState").asText(),
        error.path("message").asText(), Json.toMap(error.path("parameters")));
    LOG.debug("{}", error.path("traceback").asText());
    return switch (error.path("class").asText()) {
      case "IllegalArgumentException" -> new InvalidInput(report);
      case "UnsupportedOperationException" -> new Unsupported(report);
      case "AnalysisException" -> sneaky(analysis(report));
      case "NoSuchNamespaceException", "NoSuchTableException", "NoSuchPartitionsException",
          "NamespaceAlreadyExistsException", "TableAlreadyExistsException", "PartitionsAlreadyExistException",
          "NonEmptyNamespaceException" -> new SparksOwn(error.path("class").asText(), report);
      default -> new Failure(report, cause);
    };
  }

  /** An error that arises on this side; its text and SQLSTATE are in the same file as those of Python. */
  static RuntimeException ours(String condition, Map<String, String> parameters, Throwable cause) {
    JsonNode entry = Conditions.ALL.path(condition);
    String text = entry.path("message").asText();
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      text = text.replace("{" + parameter.getKey() + "}", parameter.getValue());
    }
    String sqlState = entry.path("sqlState").asText();
    String message = "[" + condition + "] " + text + " SQLSTATE: " + sqlState;
    return new Failure(new Report(condition, sqlState, message, parameters), cause);
  }

  /** The error for a value that files of a format cannot hold; the same class as if Python had refused it. */
  static RuntimeException refused(String table, String column, String format, String reason) {
    Failure failure = (Failure) ours("FILE_VALUE_REFUSED",
        Map.of("table", table, "column", column, "format", format, "reason", reason), null);
    return new InvalidInput(failure.report);
  }

  /** The file of conditions that the build put into the jar. */
  private static final class Conditions {
    static final JsonNode ALL = Json.resource("error_conditions.json");
  }

  static AnalysisException analysis(Report report) {
    return new AnalysisException(report.message(), Option.empty(), Option.empty(), Option.empty(),
        Option.apply(report.condition()), scalaMap(report.parameters()), new QueryContext[0],
        Option.apply(report.sqlState()), Option.apply(report.message()));
  }

  static scala.collection.immutable.Map<String, String> scalaMap(Map<String, String> map) {
    return scala.collection.immutable.Map.from(CollectionConverters.asScala(map));
  }

  /** Throws a checked exception from where Spark's interface declares none. */
  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
    throw (E) e;
  }

  /**
   * An error for which Spark has a class. The caller that knows the identifiers rethrows that class; where none does,
   * it surfaces as an AnalysisException with our text.
   */
  static final class SparksOwn extends RuntimeException {
    final String kind;
    final Report report;

    SparksOwn(String kind, Report report) {
      super(report.message());
      this.kind = kind;
      this.report = report;
    }

    AnalysisException asAnalysis() {
      return analysis(report);
    }
  }

  /** The error as Spark's own class, for statements on a known table. */
  static RuntimeException onTable(SparksOwn e, Identifier table) {
    if (e.kind.equals("NoSuchTableException")) {
      return sneaky(new NoSuchTableException(table));
    }
    String partitions = e.report.parameters().get("partitions");
    if (partitions == null) {
      // Something else than that they are there or missing, which Spark's text would hide.
      return sneaky(e.asAnalysis());
    }
    Map<String, String> parameters = Map.of("partitionList", partitions,
        "tableName", "`" + String.join("`.`", table.namespace()) + "`.`" + table.name() + "`");
    return switch (e.kind) {
      case "NoSuchPartitionsException" -> sneaky(new NoSuchPartitionsException("PARTITIONS_NOT_FOUND", scalaMap(parameters)));
      case "PartitionsAlreadyExistException" ->
          sneaky(new PartitionsAlreadyExistException("PARTITIONS_ALREADY_EXIST", scalaMap(parameters)));
      default -> sneaky(e.asAnalysis());
    };
  }

  /** Runs a call and lets an error that has a Spark class of its own surface as an AnalysisException. */
  static <T> T analysed(java.util.function.Supplier<T> call) {
    try {
      return call.get();
    } catch (SparksOwn e) {
      throw sneaky(e.asAnalysis());
    }
  }

  static final class InvalidInput extends IllegalArgumentException implements SparkThrowable {
    private final Report report;

    InvalidInput(Report report) {
      super(report.message());
      this.report = report;
    }

    @Override public String getCondition() { return report.condition(); }
    @Override public String getErrorClass() { return report.condition(); }
    @Override public String getSqlState() { return report.sqlState(); }
    @Override public Map<String, String> getMessageParameters() { return report.parameters(); }
  }

  static final class Unsupported extends UnsupportedOperationException implements SparkThrowable {
    private final Report report;

    Unsupported(Report report) {
      super(report.message());
      this.report = report;
    }

    @Override public String getCondition() { return report.condition(); }
    @Override public String getErrorClass() { return report.condition(); }
    @Override public String getSqlState() { return report.sqlState(); }
    @Override public Map<String, String> getMessageParameters() { return report.parameters(); }
  }

  /** Everything for which Spark's users have no class of their own: state, storage, commit, bridge. */
  static final class Failure extends SparkRuntimeException {
    private final Report report;

    Failure(Report report, Throwable cause) {
      // The superclass knows Spark's own conditions only; what it makes of this one is overridden below.
      super("INTERNAL_ERROR", scalaMap(Map.of("message", report.message())), cause, new QueryContext[0], "");
      this.report = report;
    }

    @Override public String getMessage() { return report.message(); }
    @Override public boolean isInternalError() { return false; }
    @Override public String getCondition() { return report.condition(); }
    @Override public String getErrorClass() { return report.condition(); }
    @Override public String getSqlState() { return report.sqlState(); }
    @Override public Map<String, String> getMessageParameters() { return report.parameters(); }
  }
}
