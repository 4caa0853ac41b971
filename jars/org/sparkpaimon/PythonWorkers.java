package org.sparkpaimon;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.api.python.PythonException;
import org.apache.spark.api.python.SimplePythonFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.v2.python.PythonCustomMetric;
import org.apache.spark.sql.execution.datasources.v2.python.UserDefinedPythonDataSource;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs a Python function over rows in the Python worker of an executor, as {@code mapInArrow} does. An error of ours that
 * the function raises comes out as the exception that it names.
 */
final class PythonWorkers {
  /** What stands before the JSON of an error in the text of an exception; {@code bridge/workers.py} writes it. */
  private static final String ERROR_MARK = "spark_paimon error: ";

  private PythonWorkers() {}

  /**
   * A function as {@code bridge/workers.py} describes it; made on the driver, run in tasks.
   *
   * @param command the pickled function and its result type
   * @param environment variables of the worker
   * @param includes files that the worker adds to its path
   * @param python interpreter of the worker
   * @param version Python version of the process that pickled
   * @param artifacts files of a Connect session, null for none
   */
  record Function(byte[] command, HashMap<String, String> environment, ArrayList<String> includes, String python,
      String version, String artifacts) implements Serializable {
    static Function parse(JsonNode node) {
      return new Function(Base64.getDecoder().decode(node.path("command").asText()),
          new HashMap<>(Json.toMap(node.path("environment"))), new ArrayList<>(Json.toList(node.path("includes"))),
          node.path("python").asText(), node.path("version").asText(), artifactsOfSession());
    }

    private static String artifactsOfSession() {
      var state = JobArtifactSet.getCurrentJobArtifactState();
      return state.isEmpty() ? null : state.get().uuid();
    }

    private SimplePythonFunction forOneRun() {
      // Spark adds variables of its own to the map, and tasks run at the same time.
      return new SimplePythonFunction(command, new HashMap<>(environment), includes, python, version, List.of(), null);
    }
  }

  /**
   * Runs a function in a task. The rows come while the function works; a task that ends before they are all taken ends the
   * worker's part too.
   *
   * @param in columns of the rows given
   * @param out columns of the rows returned
   * @param rows rows of any kind; each is read before the next is asked for
   * @return rows that are only valid until the next one is asked for
   */
  static Iterator<InternalRow> run(Function function, StructType in, StructType out, int partitionId,
      Iterator<InternalRow> rows) {
    var source = new UserDefinedPythonDataSource(function.forOneRun());
    var evaluator = source.createMapInBatchEvaluatorFactory(function.command(), "spark_paimon", in, out,
        PythonCustomMetric.pythonMetrics(), Option.apply(function.artifacts()), Option.empty()).createEvaluator();
    var input = CollectionConverters.asScala(List.of(CollectionConverters.asScala(rows))).toSeq();
    Iterator<InternalRow> output = translated(() -> CollectionConverters.asJava(evaluator.eval(partitionId, input)));
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return translated(output::hasNext);
      }

      @Override
      public InternalRow next() {
        if (!hasNext()) throw new NoSuchElementException();
        return translated(output::next);
      }
    };
  }

  private static <T> T translated(Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException e) {
      throw ours(e);
    }
  }

  /** The error that the function raised if it is one of ours, else the exception itself. */
  private static RuntimeException ours(RuntimeException e) {
    String text = e instanceof PythonException ? String.valueOf(e.getMessage()) : "";
    int mark = text.indexOf(ERROR_MARK);
    if (mark < 0) return e;
    String json = text.substring(mark + ERROR_MARK.length()).lines().findFirst().orElse("");
    return Errors.thrown(Json.parse(json), e);
  }
}
