package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HexFormat;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What a file is by its first and last bytes, by the table of marks in {@code spark_paimon/format/signature.py}. */
record Signatures(ArrayList<Mark> heads, ArrayList<Mark> tails, int headLength, int tailLength, ArrayList<String> codecs)
    implements Serializable {

  /** @param textual whether a line of text may begin or end with these bytes */
  record Mark(byte[] bytes, String name, boolean textual) implements Serializable {}

  static Signatures parse(JsonNode node) {
    ArrayList<String> codecs = new ArrayList<>();
    for (JsonNode codec : node.path("codecs")) codecs.add(codec.asText());
    return new Signatures(marks(node.path("heads")), marks(node.path("tails")), node.path("head_length").asInt(),
        node.path("tail_length").asInt(), codecs);
  }

  private static ArrayList<Mark> marks(JsonNode list) {
    ArrayList<Mark> marks = new ArrayList<>();
    for (JsonNode mark : list) {
      marks.add(new Mark(HexFormat.of().parseHex(mark.path(0).asText()), mark.path(1).asText(), mark.path(2).asBoolean()));
    }
    return marks;
  }

  /** Name of the format or codec that a file gives away, null where it could be text. */
  String of(FileSystem fs, Path path, long size) throws IOException {
    byte[] head = new byte[(int) Math.min(headLength, size)];
    byte[] tail = new byte[(int) Math.min(tailLength, size)];
    try (FSDataInputStream stream = fs.open(path)) {
      stream.readFully(0, head);
      stream.readFully(size - tail.length, tail);
    }
    for (Mark mark : tails) {
      if (matches(mark, tail, tail.length - mark.bytes.length) && !(mark.textual && isText(tail))) return mark.name;
    }
    for (Mark mark : heads) {
      if (matches(mark, head, 0) && !(mark.textual && isText(head))) return mark.name;
    }
    return null;
  }

  /** Whether text files are decompressed by this codec though the ending of their names does not tell. */
  boolean isCodec(String found) {
    return codecs.contains(found);
  }

  private static boolean matches(Mark mark, byte[] bytes, int at) {
    if (at < 0 || bytes.length < at + mark.bytes.length) return false;
    for (int i = 0; i < mark.bytes.length; i++) if (bytes[at + i] != mark.bytes[i]) return false;
    return true;
  }

  private static boolean isText(byte[] bytes) {
    for (byte signed : bytes) {
      int b = signed & 255;
      if (b < 32 && b != '\t' && b != '\r' && b != '\n') return false;
    }
    return true;
  }
}
