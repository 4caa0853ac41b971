package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.*;

/**
 * Relative directory of a partition, for tasks that write. The rules (escaped characters, default name, rendering of a
 * type) come from Python with the table; Python also computes the directory again from the values of each written file
 * and refuses a commit in which the two differ, so that this class can never be a second truth.
 */
record PartitionPaths(boolean valueOnly, String defaultName, boolean legacyName, BitSet escaped,
    List<String> noComponents) implements Serializable {
  private static final DateTimeFormatter LEGACY_TIMESTAMP = DateTimeFormatter.ISO_LOCAL_DATE_TIME;
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  static PartitionPaths parse(JsonNode node) {
    BitSet escaped = new BitSet();
    node.path("escaped").asText().chars().forEach(escaped::set);
    List<String> noComponents = new ArrayList<>();
    for (JsonNode text : node.path("no_components")) noComponents.add(text.asText());
    return new PartitionPaths(node.path("value_only").asBoolean(), node.path("default_name").asText(),
        node.path("legacy_name").asBoolean(), escaped, noComponents);
  }

  /** {@code dt=2025-01-01/hh=10}; values are Catalyst's own. */
  String directory(List<String> keys, Object[] values, DataType[] types) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (i > 0) path.append('/');
      if (!valueOnly) escape(keys.get(i), path).append('=');
      String text = text(values[i], types[i]);
      // Python refuses the commit anyway, but until then a file staged there would lie outside of the table.
      if (valueOnly && noComponents.contains(text)) throw noComponent(text, keys.get(i));
      escape(text, path);
    }
    return path.toString();
  }

  /** {@code dt=2025-01-01/hh=10} whatever the layout, for messages; empty without partition columns. */
  String name(InternalRow values, StructType schema) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < schema.size(); i++) {
      DataType type = schema.apply(i).dataType();
      if (i > 0) name.append('/');
      escape(schema.apply(i).name(), name).append('=');
      escape(text(values.isNullAt(i) ? null : values.get(i, type), type), name);
    }
    return name.toString();
  }

  private static IllegalArgumentException noComponent(String text, String column) {
    return new IllegalArgumentException("[PARTITION_VALUE_NOT_PATH] Partition value '" + text
        + "' cannot be used as a partition path component. Column: " + column + ".");
  }

  private StringBuilder escape(String text, StringBuilder path) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (escaped.get(c)) path.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
      else path.append(c);
    }
    return path;
  }

  private String text(Object value, DataType type) {
    if (value == null) return defaultName;
    if (type instanceof DateType) {
      return legacyName ? value.toString() : LocalDate.ofEpochDay((Integer) value).toString();
    }
    if (type instanceof TimestampNTZType) return timestamp((Long) value);
    if (value instanceof Decimal decimal) return decimal.toJavaBigDecimal().toPlainString();
    String text = value.toString();
    return isBlank(text) ? defaultName : text;
  }

  private static boolean isBlank(String text) {
    return text.isBlank();
  }

  private String timestamp(long micros) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(Math.floorDiv(micros, 1_000_000L),
        (int) Math.floorMod(micros, 1_000_000L) * 1000, ZoneOffset.UTC);
    return legacyName ? time.toString() : Sql.TIMESTAMP.format(time);
  }

  /** {@code yyyy-MM-dd HH:mm:ss.SSSSSS}, the six digits of TIMESTAMP(6). */
  private static final class Sql {
    static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder().appendPattern("uuuu-MM-dd HH:mm:ss")
        .appendFraction(ChronoField.MICRO_OF_SECOND, 6, 6, true).toFormatter();
  }
}
