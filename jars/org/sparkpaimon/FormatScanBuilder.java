package org.sparkpaimon;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.internal.connector.SupportsPushDownCatalystFilters;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Collects what a query needs of a table: columns, conditions on partitions, conditions on rows. */
final class FormatScanBuilder
    implements SupportsPushDownRequiredColumns, SupportsPushDownCatalystFilters, SupportsPushDownAggregates {
  private final PaimonTable table;
  private StructType required;
  private List<Expression> partitionFilters = List.of();
  private List<Expression> dataFilters = List.of();
  private FormatScan counted;
  private boolean counts;

  FormatScanBuilder(PaimonTable table) {
    this.table = table;
    this.required = table.description.schema();
  }

  @Override
  public void pruneColumns(StructType requiredSchema) {
    required = requiredSchema;
  }

  /**
   * Takes the conditions that a partition alone decides, and returns the others for Spark to evaluate on each row. A
   * condition without columns, a non-deterministic one, and one that only another process can evaluate (a Python UDF)
   * say nothing about partitions.
   */
  @Override
  public Seq<Expression> pushFilters(Seq<Expression> filters) {
    List<Expression> usable = new ArrayList<>();
    List<Expression> remaining = new ArrayList<>();
    for (Expression filter : CollectionConverters.asJava(filters)) {
      (filter.deterministic() && isEvaluable(filter) ? usable : remaining).add(filter);
    }
    var split = DataSourceUtils.getPartitionFiltersAndDataFilters(
        table.partitionSchema(), CollectionConverters.asScala(usable).toSeq());
    partitionFilters = List.copyOf(CollectionConverters.asJava(split._1()));
    dataFilters = List.copyOf(CollectionConverters.asJava(split._2()));
    remaining.addAll(0, dataFilters);
    return CollectionConverters.asScala(remaining).toSeq();
  }

  private static boolean isEvaluable(Expression filter) {
    return !filter.exists(e -> e instanceof Unevaluable && !(e instanceof AttributeReference));
  }

  @Override
  public Predicate[] pushedFilters() {
    return new Predicate[0];
  }

  /**
   * Only {@code count(*)} of a scan that is a single task. With more tasks Spark adds up, and a count in each would gain
   * nothing; without any there would be no row.
   */
  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    AggregateFunc[] functions = aggregation.aggregateExpressions();
    if (aggregation.groupByExpressions().length > 0 || functions.length != 1 || !(functions[0] instanceof CountStar)) return false;
    if (!dataFilters.isEmpty()) return false;
    if (counted == null) counted = new FormatScan(table, new StructType(), partitionFilters, dataFilters, null);
    return counted.isOneTask();
  }

  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    counts = supportCompletePushDown(aggregation);
    return counts;
  }

  @Override
  public Scan build() {
    if (counts) return new CountingScan(counted, counted.rowsInFooters());
    return new FormatScan(table, required, partitionFilters, dataFilters, counted);
  }
}
