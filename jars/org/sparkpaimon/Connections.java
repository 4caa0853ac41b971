package org.sparkpaimon;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import org.apache.spark.api.python.Py4JServer;
import py4j.ClientServer;
import py4j.ClientServerConnection;
import py4j.Py4JPythonClientPerThread;

/**
 * The connections to the Python process, each lent to one call at a time. py4j opens one for every thread that ever
 * calls and keeps it, with a socket and a Python thread, when that thread is long gone: drivers with short-lived threads
 * would run out of both.
 */
final class Connections {
  private final Py4JServer server;
  private final Deque<ClientServerConnection> idle = new ConcurrentLinkedDeque<>();

  Connections(Py4JServer server) {
    this.server = server;
  }

  /** Makes a call on a connection that no other call uses; a new one only if there is none. */
  <T> T lend(Supplier<T> call) {
    // Without pinned threads (PYSPARK_PIN_THREAD) py4j shares connections by itself.
    if (!(server.server() instanceof ClientServer pinned)) return call.get();
    // Asked for each time: the process gives the server another client when it registers.
    if (!(pinned.getJavaServer().getGateway().getCallbackClient() instanceof Py4JPythonClientPerThread client)) {
      return call.get();
    }
    ClientServerConnection outer = client.getPerThreadConnection();
    client.setPerThreadConnection(idle.poll());
    try {
      return call.get();
    } finally {
      ClientServerConnection used = client.getPerThreadConnection();
      // This call may be part of another one of the thread: procedures run Spark jobs.
      client.setPerThreadConnection(outer);
      if (used != null) idle.push(used);
    }
  }
}
