"""Planning of scans, and the metadata tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, replace
from typing import Any

from spark_paimon.bridge import messages
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.opening import opened
from spark_paimon.bridge.partitions import to_wire
from spark_paimon.catalog import Catalog, Identifier
from spark_paimon.format import file_format
from spark_paimon.format.base import ReadRequest
from spark_paimon.format.native import PYTHON_ENDINGS, file_checks
from spark_paimon.format.signature import signatures
from spark_paimon.options import TableOptions
from spark_paimon.parallel import map_ordered
from spark_paimon.partition import predicate
from spark_paimon.procedures import ProcedureContext
from spark_paimon.schema import (
    ArrayType,
    DataType,
    Field,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    StringType,
    TextType,
    TimestampType,
)
from spark_paimon.table import FormatTable
from spark_paimon.table.metadata import metadata_columns, metadata_table
from spark_paimon.table.scan import PartitionEntry, max_partition, plan_partitions

_SEPARATOR = "$"
_CUTS_AT_ONCE = 16
_MOST_KNOWN_CUTS = 10_000
_known_cuts: dict[Hashable, list[int]] = {}

# Spark's settings in whose place a table can have its own.
_SETTINGS = {
    "source.split.target-size": "spark.sql.files.maxPartitionBytes",
    "source.split.open-file-cost": "spark.sql.files.openCostInBytes",
}


def plan(catalog: Catalog, request: messages.PlanScan) -> messages.PlannedScan:
    """SELECT: the partitions that can hold rows the query wants."""
    table = opened(catalog, request)
    condition = predicate.parse(request.predicate, table.layout.columns) if request.predicate else None
    planned = plan_partitions(table, condition)
    formats = sorted({entry.format for entry in planned.partitions})
    return messages.PlannedScan(
        total=planned.total,
        partitions=[_entry(table, entry) for entry in planned.partitions],
        readers={name: _reader(table, name) for name in formats},
        settings=_settings(table, catalog.case_sensitive),
        signatures=signatures() if formats else {},
    )


def largest(catalog: Catalog, request: messages.MaxPartition) -> messages.MaxPartitionValue:
    """``sys.max_pt('t')``."""
    context = ProcedureContext(
        catalog,
        default_database=request.current_database,
        catalog_name=request.session.catalog,
        options=request.session.settings,
    )
    return messages.MaxPartitionValue(max_partition(context.table(request.name)))


def _reader(table: FormatTable, name: str) -> Json:
    implementation = file_format(name)
    columns, options = table.schema.data_fields, table.table_options
    reason = implementation.why_python_reads(columns, options)
    return {
        "reader": "spark" if reason is None else "python",
        "reason": reason,
        "options": {**implementation.spark_read_options(options), **_tolerance(options)},
        "python_endings": PYTHON_ENDINGS.get(name, ()),
        "checks": asdict(file_checks(name, columns)) if reason is None else None,
    }


def _tolerance(options: TableOptions) -> dict[str, str]:
    tolerated = {}
    if options.get("scan.ignore-corrupt-files"):
        tolerated["ignoreCorruptFiles"] = "true"
    if options.get("scan.ignore-lost-files"):
        tolerated["ignoreMissingFiles"] = "true"
    return tolerated


def _settings(table: FormatTable, case_sensitive: bool) -> dict[str, str]:
    options = table.table_options
    settings = {spark: str(options.get(key)) for key, spark in _SETTINGS.items() if options.is_set(key)}
    return {**settings, "spark.sql.caseSensitive": str(case_sensitive).lower()}


def python_reader(
    catalog: Catalog, request: messages.PreparePythonReader, jvm_session: Any
) -> messages.PythonReader:
    """A scan that has files which Python reads: the function for its tasks."""
    from pyspark.sql.types import IntegerType, StructField, StructType, _parse_datatype_string

    # Neither is needed where Spark reads everything, and the first takes a moment.
    from spark_paimon.bridge.reading import NUMBER, SLICES, ReadFiles
    from spark_paimon.bridge.workers import worker_function

    table = opened(catalog, request)
    wanted = StructType.fromJson(request.schema)
    stored = [_as_spark_knows(field) for field in table.schema.data_fields]
    named = {field.name: field for field in stored}
    read = ReadRequest(
        table=table.full_name,
        stored=stored,
        columns=[named[name] for name in wanted.fieldNames()],
        options=dict(table.options),
        case_sensitive=catalog.case_sensitive,
        time_zone=request.time_zone,
    )
    number = NUMBER
    while number in wanted.fieldNames():
        number += "_"
    output = StructType([*wanted.fields, StructField(number, IntegerType(), False)])
    function = ReadFiles(
        format=request.format,
        request=read,
        result=output,
        storage_options=catalog.storage_options,
        ignore_corrupt=table.table_options.get("scan.ignore-corrupt-files"),
        ignore_lost=table.table_options.get("scan.ignore-lost-files"),
    )
    return messages.PythonReader(
        function=worker_function(jvm_session, function, output),
        input=_parse_datatype_string(SLICES).jsonValue(),
        output=output.jsonValue(),
    )


def _as_spark_knows(field: Field) -> Field:
    return replace(field, type=_spark_type(field.type))


def _spark_type(kind: DataType) -> DataType:
    """Spark has one precision of timestamps and, when reading, one type of text."""
    if isinstance(kind, TimestampType):
        return TimestampType(6, nullable=kind.nullable)
    if isinstance(kind, LocalZonedTimestampType):
        return LocalZonedTimestampType(6, nullable=kind.nullable)
    if isinstance(kind, TextType):
        return StringType(nullable=kind.nullable)
    if isinstance(kind, (ArrayType, MultisetType)):
        return replace(kind, element=_spark_type(kind.element))
    if isinstance(kind, MapType):
        return replace(kind, key=_spark_type(kind.key), value=_spark_type(kind.value))
    if isinstance(kind, RowType):
        return replace(kind, fields=tuple(_as_spark_knows(field) for field in kind.fields))
    return kind


def cut_files(catalog: Catalog, request: messages.FileCuts) -> messages.CutFiles:
    """A scan whose Python-read files are larger than a split: where they can be cut."""
    table = opened(catalog, request)
    implementation, options = file_format(request.format), table.table_options
    settings = tuple(sorted(table.options.items()))

    def cuts(file: Sequence[Json]) -> list[int]:
        path, size, modified = file
        if not implementation.sliceable(path, options):
            return []
        # Finding them may read the file, and the next query is often about the same files.
        key = (request.format, path, size, modified, request.target, settings)
        found = _known_cuts.get(key)
        if found is None:
            found = implementation.cuts(catalog.storage(path), path, size, request.target, options)
            if len(_known_cuts) >= _MOST_KNOWN_CUTS:
                _known_cuts.clear()
            _known_cuts[key] = found
        return found

    return messages.CutFiles(map_ordered(cuts, request.files, _CUTS_AT_ONCE))


def _entry(table: FormatTable, entry: PartitionEntry) -> Json:
    return {
        "values": [to_wire(entry.values[key]) for key in table.partition_keys],
        "location": entry.location,
        "format": entry.format,
        "rows": entry.statistics.record_count,
        "bytes": entry.statistics.file_size_in_bytes,
    }


def split_name(name: str) -> tuple[str, str] | None:
    """``t$partitions`` as table and metadata table; None for the name of an ordinary table."""
    table, separator, kind = name.rpartition(_SEPARATOR)
    return (table, kind) if separator and metadata_columns(kind) else None


def describe_metadata_table(
    catalog: Catalog, database: str, name: str, kind: str
) -> messages.MetadataTableDescription:
    """Columns of a metadata table of a table that exists."""
    catalog.load_table_info(Identifier(database, name))
    return messages.MetadataTableDescription({"columns": _columns(metadata_columns(kind) or ())})


def read_metadata_table(catalog: Catalog, request: messages.NamedTable) -> messages.Rows:
    """SELECT from a metadata table."""
    parts = split_name(request.table)
    assert parts is not None  # Java asks only for tables that were described as metadata tables
    content = metadata_table(opened(catalog, request, parts[0]), parts[1])
    return messages.Rows(_columns(content.columns), [list(row) for row in content.rows])


def _columns(columns: Sequence[tuple[str, str]]) -> list[Json]:
    return [{"name": name, "type": kind} for name, kind in columns]
