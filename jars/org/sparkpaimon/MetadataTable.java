package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.EnumSet;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** {@code `t$partitions`}, {@code `t$files`}, {@code `t$options`}: read-only, computed when queried. */
final class MetadataTable implements SupportsRead {
  private final PaimonCatalog catalog;
  private final Identifier identifier;
  private final StructType schema;

  MetadataTable(PaimonCatalog catalog, Identifier identifier, JsonNode description) {
    this.catalog = catalog;
    this.identifier = identifier;
    this.schema = LocalRows.schema(description.path("columns"));
  }

  @Override
  public String name() {
    return catalog.name() + "." + identifier;
  }

  @Override
  public StructType schema() {
    return schema;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(TableCapability.BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    ObjectNode request = PaimonCatalog.tableRequest(identifier);
    return () -> LocalRows.parse(Errors.analysed(() -> catalog.call("read_metadata_table", request)));
  }
}
