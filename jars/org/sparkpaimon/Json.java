package org.sparkpaimon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON of the messages that cross to Python. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  static ArrayNode array(String... texts) {
    ArrayNode array = array();
    for (String text : texts) array.add(text);
    return array;
  }

  static JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The Python process answered with something that is not JSON", e);
    }
  }

  /** A file of the Python package that the build put into the jar. */
  static JsonNode resource(String file) {
    try (InputStream stream = Json.class.getResourceAsStream(file)) {
      return MAPPER.readTree(stream);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String text(JsonNode node) {
    try {
      return MAPPER.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static ObjectNode ofMap(Map<String, String> map) {
    ObjectNode node = object();
    map.forEach(node::put);
    return node;
  }

  static Map<String, String> toMap(JsonNode node) {
    Map<String, String> map = new LinkedHashMap<>();
    node.fields().forEachRemaining(entry -> map.put(entry.getKey(), text(entry.getValue(), null)));
    return map;
  }

  static List<String> toList(JsonNode node) {
    List<String> list = new ArrayList<>();
    node.forEach(item -> list.add(item.asText()));
    return list;
  }

  static String text(JsonNode node, String whenNull) {
    return node == null || node.isNull() ? whenNull : node.asText();
  }
}
