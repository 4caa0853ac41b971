"""Writes that Spark's Python workers do."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_paimon.bridge import messages
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.partitions import to_wire
from spark_paimon.bridge.workers import worker_function
from spark_paimon.format import file_format
from spark_paimon.schema.types import (
    ArrayType,
    DataType,
    Field,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
)
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile
from spark_paimon.table.write import StagedWriter, WriteSettings

if TYPE_CHECKING:
    import pyarrow

BATCH_ROWS = 16_384
"""Rows that reach a worker at once."""
_MICRO_DIGITS = 6


def why_python_writes(table: FormatTable) -> str | None:
    """Why the workers write a table and not Spark itself; None where Spark does."""
    return file_format(table.format).why_python_writes(
        table.schema.data_fields, table.table_options, table.file_compression
    )


def begun(table: FormatTable, jvm_session: Any) -> messages.BegunWrite:
    """What the tasks of a write need to know besides the description of the table."""
    job = str(uuid.uuid4())
    if why_python_writes(table) is None:
        return messages.BegunWrite(None, job)
    from pyspark.sql.types import StringType, StructType

    settings = WriteSettings.of(table, columns=spark_columns(table.schema.fields))
    function = worker_function(jvm_session, _WriteTask(settings, job), StructType().add("file", StringType()))
    return messages.BegunWrite(function, job)


class _WriteTask:
    """Runs in a Spark worker: stages the rows of one task and answers with the files, one JSON text each.

    Rows come sorted by partition, so that one file at a time is open.
    """

    def __init__(self, settings: WriteSettings, job: str) -> None:
        self._settings = settings
        self._job = job

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        with StagedWriter(self._settings, open_files=1, announce=_Notes(self._job)) as writer:
            for batch in batches:
                writer.write(batch)
            files = writer.finish()
        reports = [json.dumps(self._report(file)) for file in files]
        yield pyarrow.record_batch({"file": pyarrow.array(reports, pyarrow.string())})

    def _report(self, file: StagedFile) -> Json:
        values = self._settings.layout.values(file.spec)
        return {
            "staged": file.staged,
            "final": file.final,
            "rows": file.rows,
            "size": file.size,
            "created_directory": file.created_directory,
            "values": {key: to_wire(value) for key, value in values.items()},
        }


class _Notes:
    """A local file with one line for each file that this task begins; the task's part in the JVM made it.

    The JVM takes it away before it removes what is noted there, so that nothing is begun after that.
    """

    def __init__(self, job: str) -> None:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None  # there is one in every worker
        # The first of the directories that Spark gives to this executor, which are gone when it ends.
        folder = os.environ["SPARK_LOCAL_DIRS"].split(",")[0]
        self._path = Path(folder) / f"spark-paimon-{job}-{context.taskAttemptId()}"

    def __call__(self, file: StagedFile) -> None:
        note = json.dumps({"staged": file.staged, "created_directory": file.created_directory})
        with self._path.open("r+", encoding="utf-8") as notes:  # never creates it
            notes.seek(0, os.SEEK_END)
            notes.write(note + "\n")


def spark_columns(columns: Iterable[Field]) -> tuple[Field, ...]:
    """The columns as Spark has them: it knows no part of a second smaller than a microsecond.

    Examples
    --------
    >>> [column.type.sql() for column in spark_columns([Field(0, "t", TimestampType(precision=9))])]
    ['TIMESTAMP(6)']
    """
    return tuple(replace(column, type=_at_most_micros(column.type)) for column in columns)


def _at_most_micros(kind: DataType) -> DataType:
    if isinstance(kind, (TimestampType, LocalZonedTimestampType)):
        return replace(kind, precision=min(kind.precision, _MICRO_DIGITS))
    if isinstance(kind, (ArrayType, MultisetType)):
        return replace(kind, element=_at_most_micros(kind.element))
    if isinstance(kind, MapType):
        return replace(kind, key=_at_most_micros(kind.key), value=_at_most_micros(kind.value))
    if isinstance(kind, RowType):
        return replace(kind, fields=spark_columns(kind.fields))
    return kind
