package org.sparkpaimon;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.v2.FilePartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.SerializableConfiguration;
import scala.jdk.javaapi.CollectionConverters;

/** Files that Spark's own reader of their format reads, after a look at what it would misread. */
final class SparkFiles implements FileGroup {
  private final PaimonTable table;
  private final FileScan scan;
  private final FormatReader format;
  private final SelectedPartitions selected;
  private final boolean vectorised;

  SparkFiles(PaimonTable table, FileScan scan, FormatReader format, SelectedPartitions selected, boolean vectorised) {
    this.table = table;
    this.scan = scan;
    this.format = format;
    this.selected = selected;
    this.vectorised = vectorised;
  }

  @Override
  public long bytes() {
    return scan.fileIndex().sizeInBytes();
  }

  /** A footer that cannot be read tells nothing here: what to do about it is for the tasks, which read the file again. */
  @Override
  public OptionalLong rowsInFooters() {
    if (format.format().equals("text")) return OptionalLong.empty();
    Configuration conf = scan.sparkSession().sessionState().newHadoopConf();
    long rows = 0;
    try {
      for (FileStatus file : CollectionConverters.asJava(((FixedFileIndex) scan.fileIndex()).allFiles())) {
        rows += format.format().equals("orc") ? OrcColumns.rows(file, conf) : ParquetColumns.rows(file, conf);
      }
    } catch (IOException | RuntimeException e) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(rows);
  }

  @Override
  public boolean vectorised() {
    return vectorised;
  }

  @Override
  public InputPartition[] splits() {
    return scan.planInputPartitions();
  }

  @Override
  public PartitionReaderFactory readers(boolean asColumns) {
    FilePartitionReaderFactory spark = (FilePartitionReaderFactory) scan.createReaderFactory();
    var session = (org.apache.spark.sql.classic.SparkSession) scan.sparkSession();
    FileColumns columns = new FileColumns(format.format(), table.description.fullName(), format.checks(),
        scan.readDataSchema(), table.description.dataSchema(), session.sessionState().conf().caseSensitiveAnalysis());
    boolean seesColumns = format.checks().wantColumns(scan.readDataSchema(), asColumns);
    boolean seesHead = format.format().equals("text");
    boolean mayNeedPython = format.checks().mayNeedPython(scan.readDataSchema());
    boolean seesDays = mayNeedPython && format.format().equals("orc");
    Broadcast<SerializableConfiguration> conf = !seesColumns && !seesHead && !seesDays ? null
        : session.sparkContext().broadcast(new SerializableConfiguration(session.sessionState().newHadoopConf()),
            scala.reflect.ClassTag$.MODULE$.apply(SerializableConfiguration.class));
    FileChecks checks = new FileChecks(format.format(), table.description.fullName(), selected.signatures(), columns,
        seesColumns, seesHead, seesDays, conf);
    PythonReader python = !seesHead && !mayNeedPython ? null
        : PythonReader.ask(table, session, format.format(), scan.readDataSchema(), scan.readPartitionSchema());
    return new Readers(spark, checks, python);
  }

  /**
   * @param python reads what Spark's reader refuses or must not see; null where there can be no such file
   */
  record Readers(FilePartitionReaderFactory spark, FileChecks checks, PythonReader python) implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition split) {
      return new FileByFile<>(files(split), new FileByFile.Opener<>() {
        @Override
        public PartitionReader<InternalRow> open(PartitionedFile file) {
          return spark.buildReader(file);
        }

        @Override
        public PartitionReader<InternalRow> openInstead(PartitionedFile file) {
          return python == null ? null : python.read(List.of(file));
        }
      }, checks, spark.options());
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition split) {
      return new FileByFile<>(files(split), new FileByFile.Opener<>() {
        @Override
        public PartitionReader<ColumnarBatch> open(PartitionedFile file) {
          return spark.buildColumnarReader(file);
        }

        @Override
        public PartitionReader<ColumnarBatch> openInstead(PartitionedFile file) {
          return python == null ? null : new RowsAsColumns(python.read(List.of(file)), python.columns());
        }
      }, checks, spark.options());
    }

    private static Iterator<PartitionedFile> files(InputPartition split) {
      return List.of(((FilePartition) split).files()).iterator();
    }

    @Override
    public boolean supportColumnarReads(InputPartition split) {
      return spark.supportColumnarReads(split);
    }
  }
}
