package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.python.Py4JServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Python process behind the catalog: one per driver JVM, started on first use, restarted when it died, ended with
 * the driver. The process ends by itself when its standard input closes, so even a killed driver leaves none behind.
 */
public final class PythonBackend {
  private static final Logger LOG = LoggerFactory.getLogger("org.sparkpaimon.bridge");
  static final String PYTHON_CONF = "spark.paimon.bridge.python";
  private static final String ADVICE = "Set " + PYTHON_CONF + " to a Python that has spark_paimon installed";
  private static final long START_SECONDS = 120;

  private static PythonBackend current;
  private static int generations;

  private final int generation;
  private final Py4JServer server;
  private final Connections connections;
  private final Process process;
  private final CompletableFuture<BridgeCalls> registered = new CompletableFuture<>();
  private final StringBuilder earlyOutput = new StringBuilder();

  /** Called by the process once it is ready to serve. */
  public static void register(int generation, BridgeCalls calls) {
    PythonBackend backend;
    synchronized (PythonBackend.class) {
      backend = current;
    }
    if (backend != null && backend.generation == generation) backend.registered.complete(calls);
  }

  /** Starts the process if none runs, without waiting for it. */
  static synchronized PythonBackend start() {
    if (current != null && current.process.isAlive()) return current;
    if (current != null) current.close();
    current = new PythonBackend(++generations);
    return current;
  }

  int generation() {
    return generation;
  }

  private PythonBackend(int generation) {
    this.generation = generation;
    server = startServer();
    connections = new Connections(server);
    try {
      process = launch();
    } catch (IOException e) {
      server.shutdown();
      throw notStarted("could not be started: " + e.getMessage() + ". " + ADVICE, e);
    }
    Thread reader = new Thread(this::forwardOutput, "spark-paimon-bridge-log");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Threads inherit from the one that starts them, and py4j starts its own in the constructor already. Others than
   * daemons would keep a driver alive whose main method has ended, as that of spark-submit does.
   */
  private static Py4JServer startServer() {
    CompletableFuture<Py4JServer> started = new CompletableFuture<>();
    Thread starter = new Thread(() -> {
      try {
        Py4JServer server = new Py4JServer(sparkConf());
        server.start();
        started.complete(server);
      } catch (RuntimeException e) {
        started.completeExceptionally(e);
      }
    }, "spark-paimon-bridge-start");
    starter.setDaemon(true);
    starter.start();
    return started.join();
  }

  private static SparkConf sparkConf() {
    SparkEnv env = SparkEnv.get();
    return env == null ? new SparkConf() : env.conf();
  }

  private Process launch() throws IOException {
    List<String> command = List.of(interpreter(sparkConf()), "-m", "spark_paimon.bridge");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PYSPARK_GATEWAY_PORT", Integer.toString(server.getListeningPort()));
    builder.environment().put("PYSPARK_GATEWAY_SECRET", server.secret());
    builder.environment().put("SPARK_PAIMON_GENERATION", Integer.toString(generation));
    builder.environment().put("PYTHONUNBUFFERED", "1");
    packageDirectory().ifPresent(directory -> builder.environment().merge(
        "PYTHONPATH", directory, (present, added) -> present + File.pathSeparator + added));
    builder.redirectErrorStream(true);
    return builder.start();
  }

  /** The interpreter: named for us, else the one of the driver, else of the workers, else python3 from the path. */
  private static String interpreter(SparkConf conf) {
    List<String> candidates = new ArrayList<>();
    candidates.add(conf.get(PYTHON_CONF, null));
    candidates.add(conf.get("spark.pyspark.driver.python", null));
    candidates.add(System.getenv("PYSPARK_DRIVER_PYTHON"));
    candidates.add(conf.get("spark.pyspark.python", null));
    candidates.add(System.getenv("PYSPARK_PYTHON"));
    packageDirectory().flatMap(PythonBackend::interpreterBeside).ifPresent(candidates::add);
    return candidates.stream().filter(name -> name != null && !name.isBlank() && !isNotebook(name)).findFirst()
        .orElse("python3");
  }

  /** PYSPARK_DRIVER_PYTHON may name jupyter or ipython, which run no module for us. */
  private static boolean isNotebook(String name) {
    String file = new File(name).getName();
    return file.startsWith("jupyter") || file.startsWith("ipython");
  }

  /** The directory that holds the Python package this jar lies in, if it lies in one. */
  private static Optional<String> packageDirectory() {
    try {
      Path jar = Path.of(PythonBackend.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path packageDirectory = jar.getParent() == null ? null : jar.getParent().getParent();
      if (packageDirectory == null || !packageDirectory.resolve("bridge").resolve("__main__.py").toFile().exists()) {
        return Optional.empty();
      }
      return Optional.of(packageDirectory.getParent().toString());
    } catch (Exception e) {
      return Optional.empty();
    }
  }

  /** {@code <env>/lib/pythonX.Y/site-packages} has its interpreter at {@code <env>/bin/python}. */
  private static Optional<String> interpreterBeside(String sitePackages) {
    Path lib = Path.of(sitePackages).getParent();
    if (lib == null || lib.getParent() == null || lib.getParent().getParent() == null) return Optional.empty();
    File python = lib.getParent().getParent().resolve("bin").resolve("python").toFile();
    return python.canExecute() ? Optional.of(python.getPath()) : Optional.empty();
  }

  /**
   * Runs one operation in this process and returns its result.
   *
   * @throws RuntimeException the error that Python reported, as the Java exception that it names
   */
  JsonNode send(String operation, JsonNode request, Object object) {
    BridgeCalls calls = await();
    String answer;
    try {
      answer = connections.lend(() -> calls.call(operation, Json.text(request), object));
    } catch (RuntimeException e) {
      // py4j reports a broken connection and a Python exception alike; ours never raise, so the process is gone.
      end();
      throw Errors.ours("BRIDGE_DIED", Map.of("operation", operation), e);
    }
    JsonNode envelope = Json.parse(answer);
    JsonNode error = envelope.get("error");
    if (error != null) throw Errors.thrown(error);
    return envelope.get("result");
  }

  private static RuntimeException notStarted(String reason, Throwable cause) {
    return Errors.ours("BRIDGE_NOT_STARTED", Map.of("reason", reason), cause);
  }

  private BridgeCalls await() {
    try {
      return registered.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      end();
      throw notStarted("did not answer within " + START_SECONDS + " seconds", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notStarted("was interrupted while it started", e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw notStarted(e.getCause().getMessage(), e.getCause());
    }
  }

  private void forwardOutput() {
    try (InputStream stream = process.getInputStream();
        BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) log(line);
    } catch (IOException e) {
      LOG.debug("output of the Python process ended", e);
    }
    registered.completeExceptionally(new IllegalStateException("ended before it was ready"
        + " (interpreter '" + interpreter(sparkConf()) + "', exit code " + exitCode() + "). Its last words: "
        + earlyOutput.toString().strip() + " " + ADVICE));
  }

  private String exitCode() {
    try {
      return process.waitFor(5, TimeUnit.SECONDS) ? Integer.toString(process.exitValue()) : "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }

  /** A line is either one of our JSON log records or something that a library printed. */
  private void log(String line) {
    if (!registered.isDone()) {
      earlyOutput.append(line).append('\n');
      earlyOutput.delete(0, Math.max(0, earlyOutput.length() - 2000));
    }
    if (!line.startsWith("{\"level\"")) {
      LOG.info(line);
      return;
    }
    ObjectNode record = (ObjectNode) Json.parse(line);
    Logger logger = LoggerFactory.getLogger("org.sparkpaimon.bridge." + record.path("logger").asText());
    String message = record.path("message").asText();
    switch (record.path("level").asText()) {
      case "DEBUG" -> logger.debug(message);
      case "INFO" -> logger.info(message);
      case "WARNING" -> logger.warn(message);
      default -> logger.error(message);
    }
  }

  /** Returns when the process is gone: until then it would pass for a living one and be given the next call. */
  private void end() {
    process.destroyForcibly();
    exitCode();
  }

  private void close() {
    process.destroyForcibly();
    server.shutdown();
  }
}
