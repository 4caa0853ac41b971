"""What crosses between Java and Python: one request and one response for every operation.

Both are JSON objects with these fields. Typed values cross as the wire forms of
:mod:`spark_paimon.partition.values`: DATE as days, TIMESTAMP as microseconds, DECIMAL as text. Every
request but
``open_catalog`` names the opened catalog in ``catalog``. A call answers ``{"result": response}`` or
``{"error": {condition, sqlState, class, message, parameters, traceback}}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

Json = Any
"""A JSON value whose inner form a docstring below describes."""

Request = TypeVar("Request")


def decode(kind: type[Request], message: Mapping[str, Json]) -> Request:
    """Build a request from JSON; fields that it does not have are ignored, missing ones without default an
    error.
    """
    names = {item.name for item in fields(kind)}  # type: ignore[arg-type]
    found = {name: value for name, value in message.items() if name in names}
    if "session" in found:
        found["session"] = Session(**found["session"])
    return kind(**found)


@dataclass(frozen=True)
class Session:
    """What every request tells of the session: name of the catalog in SQL, settings ``spark.paimon.*``."""

    catalog: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OfTable:
    """A request about a table; ``use`` holds options of a reader or writer."""

    database: str
    table: str
    session: Session = field(default=Session(), kw_only=True)
    use: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)


@dataclass(frozen=True)
class Done:
    """The answer of an operation that has nothing to tell."""


# ---- catalogs and databases
# ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenCatalog:
    """``open_catalog``: the name and the options of ``spark.sql.catalog.<name>``; ``secrets`` is the
    text of the file that the option ``secrets-file`` names.
    """

    name: str
    options: Mapping[str, str] = field(repr=False)
    secrets: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class OpenedCatalog:
    """The key under which later requests name the catalog."""

    catalog: str


@dataclass(frozen=True)
class ListDatabases:
    """``list_databases``."""


@dataclass(frozen=True)
class DatabaseNames:
    """Names, sorted."""

    databases: Sequence[str]


@dataclass(frozen=True)
class NamedDatabase:
    """``load_database``."""

    database: str


@dataclass(frozen=True)
class DatabaseProperties:
    """Properties as DESCRIBE DATABASE shows them; ``comment``, ``location`` and ``owner`` are among them."""

    properties: Mapping[str, str]


@dataclass(frozen=True)
class CreateDatabase:
    """``create_database``."""

    database: str
    properties: Mapping[str, str]


@dataclass(frozen=True)
class AlterDatabase:
    """``alter_database``."""

    database: str
    set: Mapping[str, str]
    remove: Sequence[str]


@dataclass(frozen=True)
class DropDatabase:
    """``drop_database``."""

    database: str
    cascade: bool


# ---- tables
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListTables:
    """``list_tables``."""

    database: str


@dataclass(frozen=True)
class TableNames:
    """Names, sorted."""

    tables: Sequence[str]


@dataclass(frozen=True)
class NamedTable(OfTable):
    """``load_table``, ``drop_table``, ``truncate_table``, ``read_metadata_table`` and other requests
    without more.

    A name such as ``t$partitions`` means a metadata table.
    """


@dataclass(frozen=True)
class TableDescription:
    """A table as Spark needs it.

    ``columns``: ``{name, type (Spark's JSON), nullable, comment}`` in declared order. ``paths``:
    ``{value_only,
    default_name, legacy_name, escaped}``. ``write``: ``{reason,
    extension, file_prefix, target_file_size, target_file_rows, options, line_delimiter, clustered,
    batch_rows}``, where a reason says why Python writes and null that Spark does.
    """

    full_name: str
    uuid: str
    columns: Sequence[Json]
    partition_keys: Sequence[str]
    location: str
    managed: bool
    format: str
    dynamic: Mapping[str, str]
    properties: Mapping[str, str]
    metadata_directories: Sequence[str]
    paths: Json
    list_parallelism: int
    write: Json


@dataclass(frozen=True)
class MetadataTableDescription:
    """Answer of ``load_table`` for a metadata table: ``metadata.columns`` as in :class:`Rows`."""

    metadata: Json


@dataclass(frozen=True)
class Rows:
    """Rows that were computed on the driver; ``columns``: ``{name, type}`` with Spark's type text."""

    columns: Sequence[Json]
    rows: Sequence[Sequence[Json]]


@dataclass(frozen=True)
class DefineTable(OfTable):
    """``create_table``, ``stage_table``, ``begin_staged_write``: a new table.

    ``columns`` as in :class:`TableDescription`; ``partitioning``: ``{transform, text, columns}``; ``like``:
    the
    properties of the table that CREATE TABLE LIKE copies; ``mode`` (staging): create, replace,
    create_or_replace.
    """

    columns: Sequence[Json]
    partitioning: Sequence[Json]
    properties: Mapping[str, str]
    like: Mapping[str, str] = field(default_factory=dict)
    mode: str = "create"


@dataclass(frozen=True)
class FinishStagedTable(DefineTable):
    """``commit_staged_table``, ``abort_staged_table``: the same definition and the files of
    :class:`FinishWrite`.
    """

    files: Sequence[Json] = ()


@dataclass(frozen=True)
class AlterTable:
    """``alter_table``; ``changes``: ``{change, …}``, one for each of Spark's table changes."""

    database: str
    table: str
    changes: Sequence[Json]


@dataclass(frozen=True)
class DroppedTable:
    """Whether there was such a table."""

    dropped: bool


@dataclass(frozen=True)
class RenameTable:
    """``rename_table``."""

    database: str
    table: str
    new_database: str
    new_table: str


# ---- partitions
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SomePartitions(OfTable):
    """``list_partitions``, ``load_partition``, ``drop_partitions``, ``truncate_partitions``: column to
    typed value.
    """

    partitions: Sequence[Mapping[str, Json]] = ()
    ignore_if_not_exists: bool = False


@dataclass(frozen=True)
class AddPartitions(OfTable):
    """``add_partitions``: typed values, and Spark's properties of each partition."""

    partitions: Sequence[Mapping[str, Json]]
    options: Sequence[Mapping[str, str]]
    ignore_if_exists: bool = False


@dataclass(frozen=True)
class PartitionValues:
    """One array of typed values a partition, in key order."""

    partitions: Sequence[Sequence[Json]]


@dataclass(frozen=True)
class PartitionMetadata:
    """What is known of one partition, as texts."""

    metadata: Mapping[str, str]


@dataclass(frozen=True)
class Statement(OfTable):
    """What every rewritten statement carries of the session that runs it."""

    current_database: str
    case_sensitive: bool
    time_zone: str


@dataclass(frozen=True)
class AddPartitionsStatement(Statement):
    """``add_partitions_statement``: literals as texts, and a location or null for each."""

    partitions: Sequence[Mapping[str, str | None]]
    locations: Sequence[str | None]
    if_not_exists: bool


@dataclass(frozen=True)
class TruncatePartitionsStatement(Statement):
    """``truncate_partitions_statement``: literals as texts, complete or not."""

    partitions: Sequence[Mapping[str, str | None]]


@dataclass(frozen=True)
class DropPartitionsStatement(Statement):
    """``drop_partitions_statement``: literals as texts, complete or not."""

    partitions: Sequence[Mapping[str, str | None]]
    if_exists: bool
    purge: bool


@dataclass(frozen=True)
class AnalyzeStatement(Statement):
    """``analyze_statement``: literals as texts; ``columns`` also names those without a value."""

    partition: Mapping[str, str | None]
    columns: Sequence[str]
    noscan: bool


@dataclass(frozen=True)
class RepairStatement(Statement):
    """``repair_statement``: mode ADD, DROP or SYNC."""

    mode: str


# ---- scans and writes
# ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlanScan(OfTable):
    """``plan_scan``: a condition on partition columns in the form of
    :mod:`spark_paimon.partition.predicate`, null for none.
    """

    predicate: Json


@dataclass(frozen=True)
class PlannedScan:
    """``partitions``: ``{values, location, format, rows, bytes}``; ``total`` is null where it is not
    known.

    ``readers``, for each format of these partitions: ``{reader (spark or python), reason, options,
    python_endings, checks}``, the last one the fields of
    :class:`spark_paimon.format.native.FileChecks`. ``settings``: what of Spark's settings the scan has in
    place of the session's. ``signatures`` as :func:`spark_paimon.format.signature.signatures`.
    """

    total: int | None
    partitions: Sequence[Json]
    readers: Mapping[str, Json]
    settings: Mapping[str, str]
    signatures: Json


@dataclass(frozen=True)
class PreparePythonReader(OfTable):
    """``python_reader``: how tasks read files of one format in Python; the object of the call is the
    session.

    ``schema``: the stored columns that the query wants, as JSON of Spark's ``StructType``.
    """

    format: str
    schema: Json
    time_zone: str


@dataclass(frozen=True)
class PythonReader:
    """``function`` as :func:`spark_paimon.bridge.workers.worker_function` describes it; ``input`` and
    ``output``: its columns as JSON of Spark's ``StructType``.
    """

    function: Json
    input: Json
    output: Json


@dataclass(frozen=True)
class FileCuts(OfTable):
    """``file_cuts``: ``files`` are path, size and modification time, each larger than ``target`` bytes."""

    format: str
    files: Sequence[Sequence[Json]]
    target: int


@dataclass(frozen=True)
class CutFiles:
    """Ascending offsets for each file, none for one that stays whole."""

    cuts: Sequence[Sequence[int]]


@dataclass(frozen=True)
class BeginWrite(OfTable):
    """``begin_write``: mode append, overwrite or overwrite-dynamic; ``static``: column to typed value.

    ``uuid``: of the table for which Spark planned the write. ``partition_clause``: the literals of the
    PARTITION clause of an INSERT that gives one for every column it names.
    """

    uuid: str
    mode: str
    static: Mapping[str, Json]
    partition_clause: Mapping[str, str | None]


@dataclass(frozen=True)
class BegunWrite:
    """``function``: what workers run, as :func:`spark_paimon.bridge.workers.worker_function` describes it,
    null where Spark writes; ``job``: name of this write on the executors.
    """

    function: Json
    job: str


@dataclass(frozen=True)
class FinishWrite(BeginWrite):
    """``commit_write``, ``abort_write``: ``{values, staged, final, rows, size, created_directory}`` a
    file.
    """

    files: Sequence[Json]


@dataclass(frozen=True)
class UnsupportedOverwrite:
    """``overwrite_unsupported``: a condition that is no equality on partition columns."""

    database: str
    table: str
    condition: str


# ---- procedures
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoadProcedure:
    """``load_procedure``."""

    namespace: str
    name: str


@dataclass(frozen=True)
class ProcedureDescription:
    """``parameters``: ``{name, type, default_sql}``, the last one only where it has a default."""

    name: str
    description: str
    parameters: Sequence[Json]


@dataclass(frozen=True)
class ListProcedures:
    """``list_procedures``."""

    namespace: str


@dataclass(frozen=True)
class ProcedureNames:
    """Names, sorted."""

    procedures: Sequence[str]


@dataclass(frozen=True)
class MaxPartition:
    """``max_partition``: the table as the function's argument names it."""

    name: str
    current_database: str
    session: Session = Session()


@dataclass(frozen=True)
class MaxPartitionValue:
    """Text of the largest value."""

    value: str


@dataclass(frozen=True)
class CallProcedure:
    """``call_procedure``: typed arguments by name; the object of the call is the session."""

    name: str
    arguments: Mapping[str, Json]
    current_database: str
    case_sensitive: bool
    time_zone: str
    session: Session = Session()
