package org.sparkpaimon;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Compares the columns of a file with those that a query reads of the table.
 *
 * @param wanted stored columns that the query reads
 * @param stored all stored columns in table order
 */
record FileColumns(String format, String table, FormatReader.Checks checks, StructType wanted, StructType stored,
    boolean caseSensitive) implements Serializable {

  /** A type of a file column. Atomic ones have a lower-case name, {@code decimal} also its digits; others have fields. */
  record Type(String name, int before, int behind, List<Field> fields) {
    static Type atomic(String name) {
      return new Type(name, 0, 0, List.of());
    }

    static Type decimal(int precision, int scale) {
      return new Type("decimal", precision - scale, scale, List.of());
    }

    static Type nested(String name, List<Field> fields) {
      return new Type(name, 0, 0, fields);
    }

    @Override
    public String toString() {
      return name.equals("decimal") ? "DECIMAL(" + (before + behind) + ", " + behind + ")" : name.toUpperCase(Locale.ROOT);
    }
  }

  /** A column or a part of one; elements, keys and values have these names. */
  record Field(String name, Type type) {}

  /** Throws if a column cannot be read without losing values, or is not there though it is NOT NULL. */
  void compare(PartitionedFile file, Configuration conf) throws IOException {
    List<Field> fields = format.equals("orc") ? OrcColumns.read(file, conf) : ParquetColumns.read(file, conf);
    boolean byPosition = format.equals("orc") && !fields.isEmpty() && fields.stream().allMatch(f -> f.name().startsWith("_col"));
    for (StructField column : wanted.fields()) {
      Field found = byPosition ? at(fields, stored.fieldIndex(column.name())) : find(fields, column.name());
      if (found != null) compare(file, column.name(), column.dataType(), found.type());
      else if (checks.notNull().contains(column.name())) throw missing(file, column.name());
    }
  }

  private static Field at(List<Field> fields, int position) {
    return position < fields.size() ? fields.get(position) : null;
  }

  private Field find(List<Field> fields, String name) {
    for (Field field : fields) if (field.name().equals(name)) return field;
    if (caseSensitive) return null;
    for (Field field : fields) if (field.name().equalsIgnoreCase(name)) return field;
    return null;
  }

  private void compare(PartitionedFile file, String column, DataType type, Type found) {
    if (type instanceof StructType struct && found.name().equals("struct")) {
      for (StructField field : struct.fields()) {
        Field part = find(found.fields(), field.name());
        if (part != null) compare(file, column + "." + field.name(), field.dataType(), part.type());
      }
    } else if (type instanceof ArrayType array && found.name().equals("array")) {
      compare(file, column + ".element", array.elementType(), found.fields().get(0).type());
    } else if (type instanceof MapType map && found.name().equals("map")) {
      compare(file, column + ".key", map.keyType(), found.fields().get(0).type());
      compare(file, column + ".value", map.valueType(), found.fields().get(1).type());
    } else if (!isAccepted(type, found)) {
      throw differs(file, column, type, found);
    }
  }

  private boolean isAccepted(DataType type, Type found) {
    FormatReader.Accepted accepted = checks.accepted().get(type.typeName());
    if (accepted == null) return false;
    if (found.name().equals("decimal")) return found.before() <= accepted.before() && found.behind() <= accepted.behind();
    return accepted.names().contains(found.name());
  }

  private RuntimeException differs(PartitionedFile file, String column, DataType type, Type found) {
    return Errors.ours("FILE_COLUMN_TYPE", Map.of("path", file.toPath().toString(), "table", table, "column", column,
        "expected", type.sql(), "found", found.toString()), null);
  }

  private RuntimeException missing(PartitionedFile file, String column) {
    return Errors.ours("FILE_COLUMN_MISSING",
        Map.of("path", file.toPath().toString(), "table", table, "column", column), null);
  }
}
