package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code sys.max_pt('db.t')}, which Python answers on the driver. With a constant argument Spark evaluates it while it optimises a
 * query, each one anew, and so prunes partitions by it.
 */
record MaxPartition(PaimonCatalog catalog) implements UnboundFunction {
  static final String NAME = "max_pt";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return "max_pt(table): the largest value of the first partition column that has data, as text";
  }

  @Override
  public BoundFunction bind(StructType inputType) {
    if (inputType.size() != 1 || !(inputType.apply(0).dataType() instanceof StringType)) {
      throw new UnsupportedOperationException("it takes one text, the name of a table");
    }
    return new Bound(catalog, catalog.name());
  }

  /** Tasks have no catalog. */
  static final class Bound implements ScalarFunction<UTF8String> {
    private static final long serialVersionUID = 1;
    private final transient PaimonCatalog catalog;
    private final String catalogName;

    Bound(PaimonCatalog catalog, String catalogName) {
      this.catalog = catalog;
      this.catalogName = catalogName;
    }

    @Override
    public DataType[] inputTypes() {
      return new DataType[] {DataTypes.StringType};
    }

    @Override
    public DataType resultType() {
      return DataTypes.StringType;
    }

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public String canonicalName() {
      return catalogName + ".sys." + NAME;
    }

    @Override
    public UTF8String produceResult(InternalRow input) {
      if (catalog == null || TaskContext.get() != null) throw Errors.ours("MAX_PT_NOT_CONSTANT", Map.of(), null);
      if (input.isNullAt(0)) return null;
      ObjectNode request = Json.object().put("name", input.getUTF8String(0).toString());
      Sessions.describe(SparkSession.active(), catalog, request);
      return UTF8String.fromString(Errors.analysed(() -> catalog.call("max_partition", request)).path("value").asText());
    }
  }
}
