package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import scala.jdk.javaapi.CollectionConverters;

/** What Python may know of the session that called. */
final class Sessions {
  private Sessions() {}

  /** Adds catalog, current database, case sensitivity, zone and the session's {@code spark.paimon.*} settings to a request. */
  static ObjectNode describe(SparkSession session, PaimonCatalog catalog, ObjectNode request) {
    CatalogManager manager = session.sessionState().catalogManager();
    boolean current = manager.currentCatalog().name().equals(catalog.name());
    request.put("current_database", current ? String.join(".", manager.currentNamespace()) : "default");
    request.put("case_sensitive", session.sessionState().conf().caseSensitiveAnalysis());
    request.put("catalog_name", catalog.name()).put("time_zone", timeZone(session));
    ObjectNode settings = request.putObject("settings");
    CollectionConverters.asJava(session.conf().getAll()).forEach((key, value) -> {
      if (key.startsWith("spark.paimon.")) settings.put(key, value);
    });
    return request;
  }

  /** The session's zone, under a name that other libraries know as well. */
  static String timeZone(SparkSession session) {
    return DateTimeUtils.getZoneId(session.sessionState().conf().sessionLocalTimeZone()).getId();
  }
}
