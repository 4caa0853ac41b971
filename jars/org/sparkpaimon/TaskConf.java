package org.sparkpaimon;

import java.util.Map;
import org.apache.spark.sql.internal.SQLConf;
import scala.Function0;
import scala.jdk.javaapi.CollectionConverters;

/** The session's settings as a task sees them, with some of them fixed whatever the session says. */
final class TaskConf {
  private final SQLConf conf = new SQLConf();

  TaskConf(Map<String, String> fixed) {
    CollectionConverters.asJava(SQLConf.get().getAllConfs()).forEach(conf::setConfString);
    fixed.forEach(conf::setConfString);
  }

  /** Runs something that asks for settings, in the thread that asks. */
  <T> T with(Function0<T> work) {
    return SQLConf.withExistingConf(conf, work);
  }
}
