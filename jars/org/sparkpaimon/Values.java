package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Typed values on the wire: DATE as days, TIMESTAMP as microseconds, DECIMAL as text, the others as JSON has them.
 * Rendering them as text of a path is Python's business, except in {@link PartitionPaths}.
 */
final class Values {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Values() {}

  static JsonNode toJson(Object value, DataType type) {
    if (value == null) return NODES.nullNode();
    if (value instanceof Boolean b) return NODES.booleanNode(b);
    if (value instanceof Decimal d) return NODES.textNode(d.toJavaBigDecimal().toPlainString());
    if (value instanceof Float || value instanceof Double) return NODES.numberNode(((Number) value).doubleValue());
    if (value instanceof Number n) return NODES.numberNode(n.longValue());
    if (value instanceof MapData map && type instanceof MapType mapType) {
      ObjectNode node = NODES.objectNode();
      for (int i = 0; i < map.numElements(); i++) {
        Object mapped = map.valueArray().isNullAt(i) ? null : map.valueArray().get(i, mapType.valueType());
        node.set(map.keyArray().get(i, mapType.keyType()).toString(), toJson(mapped, mapType.valueType()));
      }
      return node;
    }
    if (value instanceof ArrayData array && type instanceof ArrayType arrayType) {
      ArrayNode node = NODES.arrayNode();
      for (int i = 0; i < array.numElements(); i++) {
        Object element = array.isNullAt(i) ? null : array.get(i, arrayType.elementType());
        node.add(toJson(element, arrayType.elementType()));
      }
      return node;
    }
    return NODES.textNode(value.toString());
  }

  static Object fromJson(JsonNode node, DataType type) {
    if (node == null || node.isNull()) return null;
    if (type instanceof BooleanType) return node.booleanValue();
    if (type instanceof ByteType) return (byte) node.longValue();
    if (type instanceof ShortType) return (short) node.longValue();
    if (type instanceof IntegerType || type instanceof DateType) return node.intValue();
    if (type instanceof LongType || type instanceof TimestampType || type instanceof TimestampNTZType) return node.longValue();
    if (type instanceof TimeType) return node.longValue();
    if (type instanceof FloatType) return (float) node.doubleValue();
    if (type instanceof DoubleType) return node.doubleValue();
    if (type instanceof DecimalType d) {
      return Decimal.apply(scala.math.BigDecimal.javaBigDecimal2bigDecimal(new java.math.BigDecimal(node.asText())),
          d.precision(), d.scale());
    }
    return UTF8String.fromString(node.asText());
  }

  /** The row {@code {column: value}} of the given columns; a column that is not there is an error. */
  static ObjectNode rowToJson(InternalRow row, StructType schema) {
    ObjectNode node = NODES.objectNode();
    for (int i = 0; i < schema.length(); i++) {
      StructField field = schema.fields()[i];
      Object value = row.isNullAt(i) ? null : row.get(i, field.dataType());
      node.set(field.name(), toJson(value, field.dataType()));
    }
    return node;
  }

  /** A row from a JSON array with one item a column. */
  static InternalRow rowFromArray(JsonNode array, StructType schema) {
    Object[] values = new Object[schema.length()];
    for (int i = 0; i < values.length; i++) values[i] = fromJson(array.get(i), schema.fields()[i].dataType());
    return new GenericInternalRow(values);
  }
}
