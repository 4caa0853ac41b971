package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.StructType;

/**
 * The partitions that a scan reads.
 *
 * @param total how many the table has, negative where that is not known without listing all of it
 * @param readers how files are read, by format
 * @param settings of Spark that the scan has in place of the session's
 * @param signatures what tells formats apart
 */
record SelectedPartitions(long total, List<Partition> partitions, Map<String, FormatReader> readers,
    Map<String, String> settings, Signatures signatures) {
  /** One partition; a negative number is not known. */
  record Partition(InternalRow values, Path location, String format, long rows, long bytes) {}

  /** Asks Python for the partitions that can match, and keeps those that do match by Spark's own evaluation. */
  static SelectedPartitions ask(PaimonTable table, List<Expression> filters) {
    ObjectNode request = table.request();
    request.set("predicate", filters.isEmpty() ? null : PartitionPredicates.toJson(filters));
    JsonNode answer = Errors.analysed(() -> table.call("plan_scan", request));
    StructType schema = table.partitionSchema();
    BasePredicate matches = PartitionPredicates.evaluator(filters, schema);
    List<Partition> partitions = new ArrayList<>();
    for (JsonNode node : answer.path("partitions")) {
      InternalRow values = Values.rowFromArray(node.path("values"), schema);
      if (!matches.eval(values)) continue;
      partitions.add(new Partition(values, new Path(node.path("location").asText()), node.path("format").asText(),
          node.path("rows").asLong(-1), node.path("bytes").asLong(-1)));
    }
    JsonNode total = answer.path("total");
    return new SelectedPartitions(total.isNumber() ? total.asLong() : -1, partitions,
        FormatReader.parseAll(answer.path("readers")), Json.toMap(answer.path("settings")),
        Signatures.parse(answer.path("signatures")));
  }

  SelectedPartitions filter(Predicate<InternalRow> keep) {
    List<Partition> kept = partitions.stream().filter(partition -> keep.test(partition.values())).toList();
    return new SelectedPartitions(total, kept, readers, settings, signatures);
  }

  /**
   * Rows of all partitions together. One that is unknown makes the sum unknown, and so does a zero, which other
   * catalogs report for "not available"; no partitions are exactly no rows.
   */
  OptionalLong rows() {
    if (partitions.stream().anyMatch(partition -> partition.rows() <= 0)) return OptionalLong.empty();
    return sum(Partition::rows);
  }

  /** Bytes of all partitions together, unknown if one is. */
  OptionalLong bytes() {
    if (partitions.stream().anyMatch(partition -> partition.bytes() < 0)) return OptionalLong.empty();
    return sum(Partition::bytes);
  }

  private OptionalLong sum(ToLongFunction<Partition> number) {
    try {
      return OptionalLong.of(partitions.stream().mapToLong(number).reduce(0L, Math::addExact));
    } catch (ArithmeticException e) {
      return OptionalLong.empty();
    }
  }
}
