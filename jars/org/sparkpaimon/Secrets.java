package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;

/**
 * Secret options of our catalogs, in the memory of the driver. Spark copies the settings of a session into the properties
 * of every task, and those of the context to every executor, so a secret in them is replaced by a reference that means
 * something only here.
 */
final class Secrets {
  private static final Logger LOG = LoggerFactory.getLogger(Secrets.class);
  private static final String CATALOGS = "spark.sql.catalog.";
  private static final String FILE = "secrets-file";
  private static final String REFERENCE = "spark-paimon-secret:";

  private static final Map<String, String> SECRETS = new ConcurrentHashMap<>();
  private static final Map<String, String> REFERENCES = new ConcurrentHashMap<>();
  private static final Map<String, String> FILES = new ConcurrentHashMap<>();
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  private Secrets() {}

  /** Hides what the context says, which every new session begins with. */
  static void hide(SparkConf conf) {
    Map<String, String> settings = new HashMap<>();
    for (Tuple2<String, String> setting : conf.getAllWithPrefix(CATALOGS)) settings.put(CATALOGS + setting._1(), setting._2());
    hide(settings, conf::set);
  }

  /** Hides what a session says. */
  static void hide(SQLConf conf) {
    Map<String, String> settings = new HashMap<>();
    synchronized (conf.settings()) {
      conf.settings().forEach((key, value) -> {
        if (key.startsWith(CATALOGS)) settings.put(key, value);
      });
    }
    hide(settings, conf::setConfString);
  }

  /** Hides what is in force where a catalog is made: session, context, and the properties of a job under way. */
  static void hideInForce() {
    hide(SQLConf.get());
    if (SparkEnv.get() != null) hide(SparkEnv.get().conf());
    Option<SparkSession> active = SparkSession.getActiveSession();
    if (active.isEmpty()) return;
    hide(active.get().sessionState().conf());
    SparkContext context = active.get().sparkContext();
    Map<String, String> properties = new HashMap<>();
    for (String key : context.getLocalProperties().stringPropertyNames()) {
      if (key.startsWith(CATALOGS)) properties.put(key, context.getLocalProperty(key));
    }
    hide(properties, context::setLocalProperty);
  }

  private static void hide(Map<String, String> settings, BiConsumer<String, String> replace) {
    settings.forEach((key, value) -> {
      int dot = key.indexOf('.', CATALOGS.length());
      if (dot < 0 || !PaimonCatalog.class.getName().equals(settings.get(key.substring(0, dot)))) return;
      String option = key.substring(dot + 1);
      if (option.equalsIgnoreCase(FILE) && !FILES.containsKey(value)) file(value);
      String reference = reference(option, value);
      if (reference.equals(value)) return;
      replace.accept(key, reference);
      if (WARNED.add(key)) {
        LOG.warn("Setting {} holds a secret; from now on Spark sees a reference to the driver's memory instead. What was set "
            + "before may be on a command line and at executors: put the secret into a file and name that in {}{}",
            key, key.substring(0, dot + 1), FILE);
      }
    });
  }

  /** Options of a catalog with references in place of its secrets. */
  static Map<String, String> referenced(Map<String, String> options) {
    Map<String, String> result = new HashMap<>(options);
    result.replaceAll(Secrets::reference);
    return result;
  }

  private static String reference(String option, String value) {
    // A ${variable} tells nothing itself; Spark puts the value in when it makes the catalog.
    if (value.startsWith(REFERENCE) || value.contains("${") || !Rule.isSecret(option, value)) return value;
    return REFERENCES.computeIfAbsent(value, secret -> {
      String reference = REFERENCE + UUID.randomUUID();
      SECRETS.put(reference, secret);
      return reference;
    });
  }

  /** Options of a catalog with the secrets that their references stand for. */
  static Map<String, String> resolved(String catalog, Map<String, String> options) {
    Map<String, String> result = new HashMap<>(options);
    result.replaceAll((option, value) -> {
      if (!value.startsWith(REFERENCE)) return value;
      String secret = SECRETS.get(value);
      if (secret == null) throw Errors.ours("SECRET_LOST", Map.of("setting", CATALOGS + catalog + "." + option), null);
      return secret;
    });
    return result;
  }

  /** Text of the file of secrets that the options name; null without one, or when it was never there. */
  static String file(Map<String, String> options) {
    for (Map.Entry<String, String> option : options.entrySet()) {
      if (option.getKey().equalsIgnoreCase(FILE)) return file(option.getValue());
    }
    return null;
  }

  /** What is in the file, or was when it was last there: a directory for temporary files may be swept under a long run. */
  private static String file(String path) {
    try {
      FILES.put(path, Files.readString(Path.of(path)));
    } catch (IOException | RuntimeException e) {
      LOG.debug("File of secrets cannot be read now: {}", e.getClass().getSimpleName());
    }
    return FILES.get(path);
  }

  /** The file that says which options are secret; the build put it into the jar. */
  private static final class Rule {
    private record Row(Pattern name, Pattern value) {}

    private static final List<Row> ROWS = read();

    static boolean isSecret(String option, String value) {
      return ROWS.stream().anyMatch(row -> row.name.matcher(option).matches() && row.value.matcher(value).find());
    }

    private static List<Row> read() {
      List<Row> rows = new ArrayList<>();
      for (JsonNode row : Json.resource("secret_options.json")) {
        rows.add(new Row(Pattern.compile(row.path("name").asText(), Pattern.CASE_INSENSITIVE),
            Pattern.compile(row.path("value").asText(), Pattern.CASE_INSENSITIVE)));
      }
      return rows;
    }
  }
}
