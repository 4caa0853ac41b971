package org.sparkpaimon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.DateColumnStatistics;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.TypeDescription;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/** The columns and the number of rows of an ORC file, by its footer. */
final class OrcColumns {
  /** 1582-10-15. */
  private static final long FIRST_NEW_DAY = -141427;

  private OrcColumns() {}

  static List<FileColumns.Field> read(PartitionedFile file, Configuration conf) throws IOException {
    try (Reader reader = open(file.toPath(), conf)) {
      return fields(reader.getSchema());
    }
  }

  static long rows(FileStatus file, Configuration conf) throws IOException {
    try (Reader reader = open(file.getPath(), conf)) {
      return reader.getNumberOfRows();
    }
  }

  private static Reader open(Path path, Configuration conf) throws IOException {
    return OrcFile.createReader(path, OrcFile.readerOptions(conf).filesystem(path.getFileSystem(conf)));
  }

  /** Whether a file may hold days of the old calendar, which Spark's reader moves. */
  static boolean hasOldDays(PartitionedFile file, Configuration conf) throws IOException {
    try (Reader reader = open(file.toPath(), conf)) {
      ColumnStatistics[] statistics = reader.getStatistics();
      return holdsDays(reader.getSchema(), column -> mayBeOld(column < statistics.length ? statistics[column] : null));
    }
  }

  private static boolean holdsDays(TypeDescription type, IntPredicate which) {
    if (type.getCategory() == TypeDescription.Category.DATE) return which.test(type.getId());
    return type.getChildren() != null && type.getChildren().stream().anyMatch(child -> holdsDays(child, which));
  }

  private static boolean mayBeOld(ColumnStatistics column) {
    if (column != null && column.getNumberOfValues() == 0) return false;
    boolean known = column instanceof DateColumnStatistics days && days.getMinimumLocalDate() != null;
    return !known || ((DateColumnStatistics) column).getMinimumDayOfEpoch() < FIRST_NEW_DAY;
  }

  private static List<FileColumns.Field> fields(TypeDescription type) {
    List<FileColumns.Field> fields = new ArrayList<>();
    List<TypeDescription> children = type.getChildren() == null ? List.of() : type.getChildren();
    for (int i = 0; i < children.size(); i++) {
      String name = type.getCategory() == TypeDescription.Category.STRUCT ? type.getFieldNames().get(i) : "part";
      fields.add(new FileColumns.Field(name, type(children.get(i))));
    }
    return fields;
  }

  private static FileColumns.Type type(TypeDescription type) {
    return switch (type.getCategory()) {
      case BYTE -> FileColumns.Type.atomic("tinyint");
      case SHORT -> FileColumns.Type.atomic("smallint");
      case LONG -> FileColumns.Type.atomic("bigint");
      case DECIMAL -> FileColumns.Type.decimal(type.getPrecision(), type.getScale());
      case LIST -> FileColumns.Type.nested("array", fields(type));
      case MAP -> FileColumns.Type.nested("map", fields(type));
      case STRUCT -> FileColumns.Type.nested("struct", fields(type));
      default -> FileColumns.Type.atomic(type.getCategory().getName());
    };
  }
}
