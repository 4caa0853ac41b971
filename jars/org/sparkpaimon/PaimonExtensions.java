package org.sparkpaimon;

import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSessionExtensions;
import org.slf4j.LoggerFactory;
import scala.Tuple2;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** {@code spark.sql.extensions}: statements that Spark refuses for every v2 table become calls of our procedures. */
public final class PaimonExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectHintResolutionRule(session -> new StatementRule((org.apache.spark.sql.classic.SparkSession) session));
    SparkEnv env = SparkEnv.get();
    if (env != null) {
      Secrets.hide(env.conf());
      startEarly(env);
    }
    return BoxedUnit.UNIT;
  }

  /** The Python process starts while the session does, if one of our catalogs is configured. */
  private static void startEarly(SparkEnv env) {
    for (Tuple2<String, String> setting : env.conf().getAllWithPrefix("spark.sql.catalog.")) {
      if (!setting._2().equals(PaimonCatalog.class.getName())) continue;
      try {
        PythonBackend.start();
      } catch (RuntimeException e) {
        LoggerFactory.getLogger(PaimonExtensions.class).debug("Early start failed, the first use will tell why", e);
      }
      return;
    }
  }
}
