package org.sparkpaimon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.internal.SQLConf;

/** What Python may know of the session that called. */
final class Sessions {
  private Sessions() {}

  /** Adds what statements need to know of the session that runs them. */
  static ObjectNode describe(SparkSession session, PaimonCatalog catalog, ObjectNode request) {
    CatalogManager manager = session.sessionState().catalogManager();
    boolean current = manager.currentCatalog().name().equals(catalog.name());
    request.put("current_database", current ? String.join(".", manager.currentNamespace()) : "default");
    request.put("case_sensitive", session.sessionState().conf().caseSensitiveAnalysis());
    return request.put("time_zone", timeZone(session));
  }

  /** Adds the name of a catalog and the session's {@code spark.paimon.*} settings to a request. */
  static void addSettings(PaimonCatalog catalog, ObjectNode request) {
    ObjectNode session = request.putObject("session").put("catalog", catalog.name());
    ObjectNode settings = session.putObject("settings");
    SQLConf.get().getAllConfs().foreach(entry -> {
      if (entry._1().startsWith("spark.paimon.")) settings.put(entry._1(), entry._2());
      return null;
    });
  }

  /** The session's zone, under a name that other libraries know as well. */
  static String timeZone(SparkSession session) {
    return DateTimeUtils.getZoneId(session.sessionState().conf().sessionLocalTimeZone()).getId();
  }
}
