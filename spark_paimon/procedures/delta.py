"""``sys.convert_to_delta``: a directory of Parquet files becomes a Delta table in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from spark_paimon import errors
from spark_paimon.partition.escaping import DELTA_LOG
from spark_paimon.partition.spelling import format_value
from spark_paimon.partition.values import Value
from spark_paimon.procedures.model import Parameter, Procedure, ProcedureContext
from spark_paimon.schema import DateType, Field, TimestampType, TimeType, to_spark
from spark_paimon.statistics import UNKNOWN
from spark_paimon.statistics.measure import MeasuredDirectory, ParallelRowCounter, count_rows, measure
from spark_paimon.storage import join
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.scan import PartitionPlan, plan_partitions

HIVE_DEFAULT_NAME = "__HIVE_DEFAULT_PARTITION__"
"""What Delta reads as NULL in the name of a partition directory."""

_WITHOUT_MEANING = {"nullable", "containsNull", "valueContainsNull", "metadata"}
_MANY_SPELLINGS = (DateType, TimestampType, TimeType)


class DeltaEngine(Protocol):
    """What delta-spark does in the session of the call."""

    def convert(self, location: str, partitioning: Sequence[tuple[str, Any]]) -> None:
        """Make a Delta table of a directory; partition columns come with their types in Spark's JSON.

        Raises
        ------
        UnsupportedError
            ``DELTA_MISSING``: the session has no delta-spark.
        """

    def columns(self, location: str) -> dict[str, Any]:
        """Names and types, in Spark's JSON, of the columns of a Delta table."""

    def add_columns(self, location: str, columns: Sequence[tuple[str, Any]]) -> None:
        """Add columns to a Delta table."""

    def count(self, location: str) -> int:
        """Rows of a Delta table."""


def convert_to_delta(
    table: FormatTable, engine: DeltaEngine, row_counter: ParallelRowCounter | None = None
) -> None:
    """Make an external table of Parquet files a Delta table in place, and forget our registration.

    No file is moved or written anew. When the directory is a Delta table already, only the registration goes,
    so that a conversion that was interrupted in between is finished by the next call.

    Parameters
    ----------
    table
        A table with a directory of its own choice.
    engine
        Converts.
    row_counter
        Counts rows of files; threads of this process when None.

    Raises
    ------
    UnsupportedError
        ``DELTA_CONVERSION_REFUSED``: the table has something that Delta would not read as the same rows;
        nothing was changed. Or ``DELTA_MISSING``.
    IllegalStateError
        ``DELTA_CONVERSION_DIFFERS``: Delta reads something else. Its log was removed again, so the table is
        as it was.

    Notes
    -----
    Delta takes columns and types from the files. Columns that only the table knows are added; another type is
    refused.
    """
    assert table.catalog is not None
    if not table.info.external:
        raise _refused(table, "it is not external: its directory is the catalog's. Create it with a LOCATION")
    if not _is_delta(table):
        settle_killed(table)
        plan = _convertible(table)
        rows = _rows(table, plan, row_counter)
        _convert(table, engine)
        try:
            _complete(table, engine, rows)
        except BaseException:
            # The directory had no log before, so this one is the conversion's own.
            table.storage.delete_directory(join(table.location, DELTA_LOG))
            raise
    table.catalog.drop_table(table.identifier)


def _convert(table: FormatTable, engine: DeltaEngine) -> None:
    try:
        engine.convert(table.location, [(field.name, to_spark(field.type)) for field in table.layout.columns])
    except BaseException:
        _is_delta(table)  # which takes an empty log away
        raise


def _is_delta(table: FormatTable) -> bool:
    """Whether there is a log with a commit in it; a conversion that failed can leave an empty one."""
    log = join(table.location, DELTA_LOG)
    try:
        entries = table.storage.list_directory(log)
    except FileNotFoundError:
        return False
    if any(entry.name.endswith((".json", ".parquet")) for entry in entries):
        return True
    table.storage.delete_directory(log)
    return False


def _convertible(table: FormatTable) -> PartitionPlan:
    if table.format != "parquet":
        raise _refused(table, f"its files are {table.format} and not parquet")
    if table.partition_only_value_in_path:
        raise _refused(table, "the names of its partition directories do not tell the column")
    plan = plan_partitions(table)
    for entry in plan.partitions:
        for column in table.layout.columns:
            reason = _misread(table, column, entry.spec[column.name], entry.values[column.name])
            if reason is not None:
                name = table.layout.name(entry.spec)
                raise _refused(table, f"in the name of the partition {name} Delta would read {reason}")
    return plan


def _misread(table: FormatTable, column: Field, text: str, value: Value) -> str | None:
    if value is None:
        if text == HIVE_DEFAULT_NAME:
            return None
        return f"'{text}' and not NULL, which Delta calls {HIVE_DEFAULT_NAME}"
    if text == HIVE_DEFAULT_NAME:
        return "NULL and not this text"
    if isinstance(column.type, _MANY_SPELLINGS) and text != format_value(value, column.type):
        return f"no {column.type.bare_sql()}, as which it is written with partition.legacy-name=false"
    return None


def _rows(table: FormatTable, plan: PartitionPlan, row_counter: ParallelRowCounter | None) -> int:
    parallelism = int(table.table_options.get("format-table.statistics.parallelism"))
    directories = [
        MeasuredDirectory(table.layout.name(entry.spec) if entry.spec else "", entry.location, entry.format)
        for entry in plan.partitions
    ]
    counter = partial(row_counter or partial(count_rows, storage=table.storage), parallelism=parallelism)
    measured = measure(table.storage, directories, counter, parallelism)
    for directory, numbers in zip(directories, measured, strict=True):
        if numbers.record_count == UNKNOWN:
            raise _refused(table, f"not all files in {directory.location} can be read")
    if not any(numbers.file_count for numbers in measured):
        raise _refused(table, "it has no files, from which Delta would take its columns")
    return sum(numbers.record_count for numbers in measured)


def _complete(table: FormatTable, engine: DeltaEngine, rows: int) -> None:
    found = {name.lower(): kind for name, kind in engine.columns(table.location).items()}
    wanted = [(field.name, to_spark(field.type)) for field in table.schema.fields]
    missing = [(name, kind) for name, kind in wanted if name.lower() not in found]
    if missing:
        engine.add_columns(table.location, missing)
        found.update({name.lower(): kind for name, kind in missing})
    for name, kind in wanted:
        if not _same(found[name.lower()], kind):
            raise _differs(table, f"the column {name} as {found[name.lower()]} and not as {kind}")
    count = engine.count(table.location)
    if count != rows:
        raise _differs(table, f"{count} rows and not {rows}")


def _same(one: Any, other: Any) -> bool:
    """Whether two types in Spark's JSON are the same but for NULLs, and for lengths of text, which Delta does
    not keep.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        keys, others = ({*kind} - _WITHOUT_MEANING for kind in (one, other))
        return keys == others and all(_same(one[key], other[key]) for key in keys)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(_text(one) == _text(other))


def _text(kind: Any) -> Any:
    return "string" if isinstance(kind, str) and kind.startswith(("char(", "varchar(")) else kind


def _refused(table: FormatTable, reason: str) -> errors.UnsupportedError:
    return errors.UnsupportedError("DELTA_CONVERSION_REFUSED", table=table.full_name, reason=reason)


def _differs(table: FormatTable, found: str) -> errors.IllegalStateError:
    return errors.IllegalStateError("DELTA_CONVERSION_DIFFERS", table=table.full_name, found=found)


def _run(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    if context.delta is None:
        raise errors.UnsupportedError("DELTA_MISSING", reason="this is not a Spark session")
    convert_to_delta(table, context.delta, context.count_rows)
    return [(table.full_name, table.location)]


PROCEDURE = Procedure(
    name="convert_to_delta",
    description="Make an external table of Parquet files a Delta table in place, and unregister it here.",
    parameters=(Parameter("table", "string", description="Table, with or without its database."),),
    result=(("table", "STRING"), ("location", "STRING")),
    action=_run,
)
