"""Reads data files in Spark's Python workers: slices of files come in, Arrow batches go back.

Runs in workers only; what :class:`ReadFiles` holds crosses to them pickled.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.storage import storage_for

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql.types import StructType

_LOG = logging.getLogger(__name__)

#: Columns of the rows that come in; ``number`` comes back with every row of that file.
SLICES = "number INT, path STRING, start BIGINT, length BIGINT, partition STRING"
NUMBER = "__number"

# These say that file and table do not belong together. A skipped file would hide it.
_NEVER_SKIPPED = ("FILE_COLUMN_MISSING", "FILE_COLUMN_TYPE", "FILE_HEADER_MISMATCH")


@dataclass(frozen=True)
class ReadFiles:
    """The function of a scan over files of one format.

    Parameters
    ----------
    format
        Name of the format.
    request
        What is read.
    result
        Columns of the answer: those of the request, nested ones perhaps with fewer fields, and
        :data:`NUMBER`.
    storage_options
        Credentials and the like.
    ignore_corrupt, ignore_lost
        Options ``scan.ignore-corrupt-files`` and ``scan.ignore-lost-files``.
    """

    format: str
    request: ReadRequest
    result: StructType
    storage_options: Mapping[str, str]
    ignore_corrupt: bool = False
    ignore_lost: bool = False

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Read slice after slice."""
        import pyarrow
        from pyspark.sql.pandas.types import to_arrow_schema

        schema = to_arrow_schema(self.result, timezone="UTC")
        for batch in batches:
            for row in batch.to_pylist():
                number = row.pop("number")
                for rows in self._rows(FileSlice(**row)):
                    arrays = [
                        conform(column, field.type)
                        for column, field in zip(rows.columns, schema, strict=False)
                    ]
                    arrays.append(pyarrow.repeat(pyarrow.scalar(number, pyarrow.int32()), rows.num_rows))
                    yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)

    def _rows(self, file: FileSlice) -> Iterator[pyarrow.RecordBatch]:
        storage = storage_for(file.path, self.storage_options)
        try:
            yield from file_format(self.format).read(storage, file, self.request)
        except FileNotFoundError as error:
            if not self.ignore_lost:
                raise self._unreadable(file, "it does not exist any more") from error
            _LOG.warning("Skipped a file of %s that is gone: %s", self.request.table, file.path)
        except (errors.PaimonError, OSError, ValueError) as error:
            if not self.ignore_corrupt or getattr(error, "condition", None) in _NEVER_SKIPPED:
                if isinstance(error, errors.PaimonError):
                    raise
                raise self._unreadable(file, str(error) or type(error).__name__) from error
            _LOG.warning("Skipped the rest of %s of %s: %s", file.path, self.request.table, error)

    def _unreadable(self, file: FileSlice, reason: str) -> errors.IllegalStateError:
        return errors.IllegalStateError(
            "FILE_UNREADABLE",
            path=file.path,
            table=self.request.table,
            format=self.format.upper(),
            reason=reason.rstrip("."),
        )


def conform(array: pyarrow.Array, kind: pyarrow.DataType) -> pyarrow.Array:
    """The same values as the Arrow type that Spark knows them by; a struct loses fields that are not wanted.

    Examples
    --------
    >>> import pyarrow as pa
    >>> whole = pa.array([{"a": 1, "b": "x"}, None], pa.struct([("a", pa.int32()), ("b", pa.string())]))
    >>> conform(whole, pa.struct([("b", pa.string())])).to_pylist()
    [{'b': 'x'}, None]
    """
    import pyarrow
    from pyarrow import types

    if array.type.equals(kind):
        return array
    if array.offset and (types.is_struct(kind) or types.is_list(kind) or types.is_map(kind)):
        array = pyarrow.concat_arrays([array])  # buffers without the rows that a slice leaves out
    missing = array.is_null() if array.null_count else None
    if types.is_struct(kind):
        fields = [conform(array.field(field.name), field.type) for field in kind]
        return pyarrow.StructArray.from_arrays(fields, fields=list(kind), mask=missing)
    if types.is_list(kind):
        return pyarrow.ListArray.from_arrays(
            array.offsets, conform(array.values, kind.value_type), type=kind, mask=missing
        )
    if types.is_map(kind):
        keys, items = conform(array.keys, kind.key_type), conform(array.items, kind.item_type)
        return pyarrow.MapArray.from_arrays(array.offsets, keys, items, type=kind, mask=missing)
    return array.cast(kind)
