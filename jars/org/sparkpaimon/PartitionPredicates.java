package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** Conditions on partition columns: as JSON for Python, which narrows, and evaluated exactly by Spark afterwards. */
final class PartitionPredicates {
  private PartitionPredicates() {}

  /** The part of the conditions that Python understands; what it does not becomes {@code unknown}. */
  static JsonNode toJson(List<Expression> filters) {
    return connective("and", filters.toArray(new Expression[0]));
  }

  private static ObjectNode connective(String operation, Expression... arguments) {
    ObjectNode node = node(operation);
    ArrayNode list = node.putArray("args");
    for (Expression argument : arguments) list.add(toJson(argument));
    return node;
  }

  private static ObjectNode node(String operation) {
    return Json.object().put("op", operation);
  }

  private static ObjectNode toJson(Expression e) {
    if (e instanceof And and) return connective("and", and.left(), and.right());
    if (e instanceof Or or) return connective("or", or.left(), or.right());
    if (e instanceof Not not) {
      ObjectNode node = node("not");
      node.set("arg", toJson(not.child()));
      return node;
    }
    if (e instanceof IsNull isNull && isNull.child() instanceof AttributeReference a) return node("is_null").put("column", a.name());
    if (e instanceof IsNotNull notNull && notNull.child() instanceof AttributeReference a) {
      return node("is_not_null").put("column", a.name());
    }
    if (e instanceof In in && in.value() instanceof AttributeReference a) return in(a, CollectionConverters.asJava(in.list()));
    if (e instanceof InSet in && in.child() instanceof AttributeReference a) return inSet(a, in);
    if (e instanceof StartsWith s && s.left() instanceof AttributeReference a && s.right() instanceof Literal l && l.value() != null) {
      return node("starts_with").put("column", a.name()).put("value", l.value().toString());
    }
    if (e instanceof Literal l && l.value() instanceof Boolean b) return node(b ? "true" : "false");
    if (e instanceof BinaryComparison c) return comparison(c);
    return node("unknown");
  }

  private static ObjectNode comparison(BinaryComparison c) {
    if (c.left() instanceof AttributeReference a && c.right() instanceof Literal l) return comparison(c.symbol(), a, l);
    if (c.left() instanceof Literal l && c.right() instanceof AttributeReference a) return comparison(mirrored(c.symbol()), a, l);
    return node("unknown");
  }

  private static ObjectNode comparison(String symbol, AttributeReference column, Literal literal) {
    ObjectNode node = node(symbol).put("column", column.name());
    node.set("value", Values.toJson(literal.value(), literal.dataType()));
    return node;
  }

  private static String mirrored(String symbol) {
    return switch (symbol) {
      case "<" -> ">";
      case "<=" -> ">=";
      case ">" -> "<";
      case ">=" -> "<=";
      default -> symbol;
    };
  }

  private static ObjectNode in(AttributeReference column, List<Expression> list) {
    ObjectNode node = node("in").put("column", column.name());
    ArrayNode values = node.putArray("values");
    for (Expression item : list) {
      if (!(item instanceof Literal literal)) return node("unknown");
      values.add(Values.toJson(literal.value(), literal.dataType()));
    }
    return node;
  }

  private static ObjectNode inSet(AttributeReference column, InSet set) {
    ObjectNode node = node("in").put("column", column.name());
    ArrayNode values = node.putArray("values");
    for (Object value : CollectionConverters.asJava(set.hset())) values.add(Values.toJson(value, column.dataType()));
    return node;
  }

  /** All conditions as one predicate over a row of the partition columns, with Spark's own semantics. */
  static BasePredicate evaluator(List<Expression> filters, StructType partitionSchema) {
    Expression all = filters.stream().reduce(And::new).orElseGet(() -> Literal.create(true, org.apache.spark.sql.types.DataTypes.BooleanType));
    Expression bound = all.transform(new AbstractPartialFunction<Expression, Expression>() {
      @Override
      public boolean isDefinedAt(Expression e) {
        return e instanceof AttributeReference;
      }

      @Override
      @SuppressWarnings("unchecked")
      public <A extends Expression, B> B applyOrElse(A e, scala.Function1<A, B> otherwise) {
        if (!(e instanceof AttributeReference a)) return otherwise.apply(e);
        int index = indexOf(partitionSchema, a.name());
        return (B) new BoundReference(index, partitionSchema.fields()[index].dataType(), true);
      }
    });
    return Predicate$.MODULE$.createInterpreted(bound);
  }

  static int indexOf(StructType schema, String name) {
    for (int i = 0; i < schema.length(); i++) if (schema.fields()[i].name().equals(name)) return i;
    for (int i = 0; i < schema.length(); i++) if (schema.fields()[i].name().equalsIgnoreCase(name)) return i;
    throw new IllegalStateException("No partition column '" + name + "'");
  }

  /** Whether a partition can hold rows that a runtime filter ({@code column IN (…)}) lets through. */
  static boolean mayMatch(org.apache.spark.sql.connector.expressions.filter.Predicate filter, InternalRow partition,
      StructType partitionSchema) {
    var children = filter.children();
    if (!filter.name().equals("IN") || !(children[0] instanceof NamedReference column)) return true;
    int index = indexOf(partitionSchema, String.join(".", column.fieldNames()));
    if (partition.isNullAt(index)) return false;
    Set<Object> values = new HashSet<>();
    for (var child : Arrays.asList(children).subList(1, children.length)) {
      if (!(child instanceof LiteralValue<?> literal)) return true;
      values.add(literal.value());
    }
    return values.contains(partition.get(index, partitionSchema.fields()[index].dataType()));
  }
}
