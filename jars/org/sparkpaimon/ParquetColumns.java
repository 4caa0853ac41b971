package org.sparkpaimon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/** The columns and the number of rows of a Parquet file, by its footer. */
final class ParquetColumns {
  private ParquetColumns() {}

  static List<FileColumns.Field> read(PartitionedFile file, Configuration conf) throws IOException {
    HadoopInputFile input = HadoopInputFile.fromPath(file.toPath(), conf);
    return fields(ParquetFileReader.readFooter(input, ParquetMetadataConverter.SKIP_ROW_GROUPS).getFileMetaData().getSchema());
  }

  static long rows(FileStatus file, Configuration conf) throws IOException {
    HadoopInputFile input = HadoopInputFile.fromStatus(file, conf);
    ParquetMetadata footer = ParquetFileReader.readFooter(input, ParquetMetadataConverter.NO_FILTER);
    return footer.getBlocks().stream().mapToLong(BlockMetaData::getRowCount).sum();
  }

  private static List<FileColumns.Field> fields(GroupType group) {
    List<FileColumns.Field> fields = new ArrayList<>();
    for (Type field : group.getFields()) fields.add(new FileColumns.Field(field.getName(), repeated(field)));
    return fields;
  }

  /** A repeated field that no LIST or MAP surrounds is a list. */
  private static FileColumns.Type repeated(Type type) {
    FileColumns.Type single = type(type);
    return type.isRepetition(Repetition.REPEATED) ? list(single) : single;
  }

  private static FileColumns.Type list(FileColumns.Type element) {
    return FileColumns.Type.nested("array", List.of(new FileColumns.Field("element", element)));
  }

  private static FileColumns.Type type(Type type) {
    if (type.isPrimitive()) return atomic(type.asPrimitiveType());
    GroupType group = type.asGroupType();
    LogicalTypeAnnotation meaning = group.getLogicalTypeAnnotation();
    if (meaning instanceof LogicalTypeAnnotation.ListLogicalTypeAnnotation) return list(element(group));
    if (meaning instanceof LogicalTypeAnnotation.MapLogicalTypeAnnotation
        || meaning instanceof LogicalTypeAnnotation.MapKeyValueTypeAnnotation) {
      return FileColumns.Type.nested("map", fields(group.getType(0).asGroupType()));
    }
    return FileColumns.Type.nested("struct", fields(group));
  }

  /** The rules of the format for lists of two and of three levels. */
  private static FileColumns.Type element(GroupType list) {
    Type inner = list.getType(0);
    boolean isElement = inner.isPrimitive() || inner.asGroupType().getFieldCount() > 1
        || inner.getName().equals("array") || inner.getName().equals(list.getName() + "_tuple");
    return isElement ? type(inner) : repeated(inner.asGroupType().getType(0));
  }

  private static FileColumns.Type atomic(PrimitiveType type) {
    LogicalTypeAnnotation meaning = type.getLogicalTypeAnnotation();
    if (meaning instanceof DecimalLogicalTypeAnnotation d) return FileColumns.Type.decimal(d.getPrecision(), d.getScale());
    if (meaning instanceof IntLogicalTypeAnnotation i) return wholeNumber(i);
    return FileColumns.Type.atomic(name(type, meaning));
  }

  /** Unsigned numbers have room in the next wider type. */
  private static FileColumns.Type wholeNumber(IntLogicalTypeAnnotation type) {
    return switch (type.isSigned() ? type.getBitWidth() : 2 * type.getBitWidth()) {
      case 8 -> FileColumns.Type.atomic("tinyint");
      case 16 -> FileColumns.Type.atomic("smallint");
      case 32 -> FileColumns.Type.atomic("int");
      case 64 -> FileColumns.Type.atomic("bigint");
      default -> FileColumns.Type.decimal(20, 0);
    };
  }

  private static String name(PrimitiveType type, LogicalTypeAnnotation meaning) {
    if (meaning instanceof LogicalTypeAnnotation.DateLogicalTypeAnnotation) return "date";
    if (meaning instanceof LogicalTypeAnnotation.TimeLogicalTypeAnnotation) return "time";
    if (meaning instanceof TimestampLogicalTypeAnnotation) return "timestamp";
    if (meaning instanceof LogicalTypeAnnotation.StringLogicalTypeAnnotation
        || meaning instanceof LogicalTypeAnnotation.EnumLogicalTypeAnnotation
        || meaning instanceof LogicalTypeAnnotation.JsonLogicalTypeAnnotation) {
      return "string";
    }
    return switch (type.getPrimitiveTypeName()) {
      case BOOLEAN -> "boolean";
      case INT32 -> "int";
      case INT64 -> "bigint";
      case INT96 -> "timestamp";
      case FLOAT -> "float";
      case DOUBLE -> "double";
      default -> "binary";
    };
  }
}
