package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * How Python wants the files of one format read.
 *
 * @param python whether the Python reader reads them, and not Spark's own
 * @param reason why it does, null where it does not
 * @param options of Spark's reader
 * @param pythonEndings endings of file names that Spark's reader cannot open
 * @param checks what is looked at in files that Spark's reader reads
 */
record FormatReader(String format, boolean python, String reason, Map<String, String> options,
    List<String> pythonEndings, Checks checks) {
  static Map<String, FormatReader> parseAll(JsonNode node) {
    Map<String, FormatReader> readers = new HashMap<>();
    node.fields().forEachRemaining(entry -> readers.put(entry.getKey(), parse(entry.getKey(), entry.getValue())));
    return readers;
  }

  private static FormatReader parse(String format, JsonNode node) {
    return new FormatReader(format, node.path("reader").asText().equals("python"), Json.text(node.get("reason"), null),
        Json.toMap(node.path("options")), Json.toList(node.path("python_endings")), Checks.parse(node.path("checks")));
  }

  boolean isForPython(String fileName) {
    return python || pythonEndings.stream().anyMatch(fileName::endsWith);
  }

  /** Types of a file column from which a table column can be read; {@code before} is negative without DECIMAL. */
  record Accepted(ArrayList<String> names, int before, int behind) implements Serializable {
    static Accepted parse(JsonNode node) {
      JsonNode digits = node.path("digits");
      return new Accepted(new ArrayList<>(Json.toList(node.path("names"))), digits.path(0).asInt(-1), digits.path(1).asInt(0));
    }
  }

  /** See {@code spark_paimon.format.native.FileChecks}; types are names that Spark gives them. */
  record Checks(HashMap<String, Accepted> accepted, ArrayList<String> misread, ArrayList<String> misreadRowByRow,
      ArrayList<String> instead, ArrayList<String> notNull) implements Serializable {
    static Checks parse(JsonNode node) {
      HashMap<String, Accepted> accepted = new HashMap<>();
      node.path("accepted").fields().forEachRemaining(entry -> accepted.put(entry.getKey(), Accepted.parse(entry.getValue())));
      return new Checks(accepted, list(node, "misread"), list(node, "misread_row_by_row"), list(node, "instead"),
          list(node, "not_null"));
    }

    private static ArrayList<String> list(JsonNode node, String name) {
      return new ArrayList<>(Json.toList(node.path(name)));
    }

    /** Whether the columns of a file have to be seen before these columns are read from it. */
    boolean wantColumns(StructType columns, boolean vectorised) {
      List<String> types = vectorised ? misread : misreadRowByRow;
      for (StructField field : columns.fields()) if (notNull.contains(field.name())) return true;
      return anyOf(types, columns);
    }

    /** Whether there may be a file that Spark's reader cannot read right and the Python reader can. */
    boolean mayNeedPython(StructType columns) {
      return anyOf(instead, columns);
    }

    private static boolean anyOf(List<String> types, StructType columns) {
      return !types.isEmpty() && columns.existsRecursively(type -> types.contains(((DataType) type).typeName()));
    }
  }
}
