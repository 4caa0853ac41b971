package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.connector.catalog.TableChange;

/** Spark's table changes as JSON. */
final class TableChanges {
  private TableChanges() {}

  static ArrayNode toJson(TableChange... changes) {
    ArrayNode array = Json.array();
    for (TableChange change : changes) array.add(toJson(change));
    return array;
  }

  private static ObjectNode toJson(TableChange change) {
    ObjectNode node = Json.object();
    if (change instanceof TableChange.SetProperty c) {
      return node.put("change", "set_property").put("key", c.property()).put("value", c.value());
    }
    if (change instanceof TableChange.RemoveProperty c) {
      return node.put("change", "remove_property").put("key", c.property());
    }
    if (change instanceof TableChange.AddColumn c && c.defaultValue() != null) {
      return node.put("change", "unsupported").put("text", "ADD COLUMN " + String.join(".", c.fieldNames()) + " DEFAULT");
    }
    if (change instanceof TableChange.AddColumn c) {
      column(node, "add_column", c).put("nullable", c.isNullable()).put("comment", c.comment());
      node.set("type", Json.parse(c.dataType().json()));
      return position(node, c.position());
    }
    if (change instanceof TableChange.RenameColumn c) {
      return column(node, "rename_column", c).put("new_name", c.newName());
    }
    if (change instanceof TableChange.DeleteColumn c) {
      return column(node, "drop_column", c).put("if_exists", c.ifExists());
    }
    if (change instanceof TableChange.UpdateColumnType c) {
      column(node, "update_type", c).set("type", Json.parse(c.newDataType().json()));
      return node;
    }
    if (change instanceof TableChange.UpdateColumnNullability c) {
      return column(node, "update_nullability", c).put("nullable", c.nullable());
    }
    if (change instanceof TableChange.UpdateColumnComment c) {
      return column(node, "update_comment", c).put("comment", c.newComment());
    }
    if (change instanceof TableChange.UpdateColumnPosition c) {
      return position(column(node, "update_position", c), c.position());
    }
    return node.put("change", "unsupported").put("text", change.getClass().getSimpleName());
  }

  private static ObjectNode column(ObjectNode node, String kind, TableChange.ColumnChange change) {
    node.put("change", kind).set("column", Json.array(change.fieldNames()));
    return node;
  }

  private static ObjectNode position(ObjectNode node, TableChange.ColumnPosition position) {
    if (position instanceof TableChange.After after) return node.put("after", after.column());
    return node.put("first", position instanceof TableChange.First);
  }
}
