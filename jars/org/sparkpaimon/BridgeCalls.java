package org.sparkpaimon;

/** What the Python process offers: one method, JSON in and out. The only py4j interface of the project. */
public interface BridgeCalls {
  /**
   * Runs one operation.
   *
   * @param operation name of the operation, see {@code spark_paimon/bridge/messages.py}
   * @param json the request of that operation
   * @param object a live object where the operation needs one (the session), else null
   * @return {@code {"result": …}} or {@code {"error": …}}
   */
  String call(String operation, String json, Object object);
}
