"""JSON files: one object a line, columns by name.

Read by Python: Spark's reader takes a number in quotes, which is what Paimon's Java writer makes of every
number, for NULL, and ignores what stands behind an object on its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, FileWriter, ReadRequest, WriteRequest
from spark_paimon.format.compressed import CODEC_SUFFIXES, codec_of_name
from spark_paimon.format.lines import line_blocks, plain_cuts
from spark_paimon.format.rows import batches_of, check_not_null, report_malformed
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    DecimalType,
    Field,
    MapType,
    MultisetType,
    TextType,
    TimeType,
    VariantType,
    to_arrow,
    types_in,
)
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa

_PARTS_OF_OBJECTS = ("{", "}", '"', ":", ",", "[", "]", "\\")
_WHY_PYTHON_READS = "Spark reads numbers in quotes as NULL and ignores a second object on a line"


@dataclass(frozen=True)
class Json:
    """The format JSON.

    Examples
    --------
    >>> Json().extension("zstd")
    '.json.zst'
    """

    name: str = "json"
    default_compression: str = "none"
    codecs: tuple[str, ...] = tuple(CODEC_SUFFIXES)
    counts_rows: bool = False
    extra: str | None = None

    def extension(self, compression: str, *, name_codec: bool = False) -> str:
        """See :meth:`FileFormat.extension`."""
        return f".json{CODEC_SUFFIXES[compression]}"

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """See :meth:`FileFormat.check`."""
        for column in columns:
            if any(isinstance(kind, VariantType) for kind in types_in(column.type)):
                raise errors.UnsupportedError(
                    "FORMAT_TYPE_UNSUPPORTED",
                    format="JSON",
                    type=column.type,
                    column=column.name,
                    table=table,
                    formats="PARQUET",
                )
        delimiter = options.get("json.line-delimiter")
        if delimiter in _PARTS_OF_OBJECTS:
            expected = "a text that no object contains, such as a line break"
            raise errors.InvalidInputError(
                "OPTION_MALFORMED", key="json.line-delimiter", value=delimiter, expected=expected
            )

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """See :meth:`FileFormat.why_python_reads`."""
        return _WHY_PYTHON_READS

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """See :meth:`FileFormat.why_python_writes`."""
        if compression == "zstd":
            return "Spark needs Hadoop's native library for zstd"
        if options.get("json.line-delimiter") != "\n":
            return "Spark does not notice a value that contains the line delimiter"
        for kind in (found for column in columns for found in types_in(column.type)):
            if isinstance(kind, TimeType):
                return "Spark's JSON writer has no TIME"
            if isinstance(kind, DecimalType):
                return "Spark writes DECIMAL as a number, which Paimon's Java reader rounds to a double"
            key = kind.key if isinstance(kind, MapType) else None
            key = kind.element if isinstance(kind, MultisetType) else key
            if key is not None and not isinstance(key, TextType):
                return f"Spark writes keys of type {key.bare_sql()} as internal numbers"
        return None

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """See :meth:`FileFormat.spark_read_options`; never asked."""
        return {}

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """See :meth:`FileFormat.spark_write_options`."""
        return {
            "compression": compression,
            "dateFormat": "yyyy-MM-dd",
            "encoding": "UTF-8",
            "ignoreNullFields": "false",
            "lineSep": options.get("json.line-delimiter"),
            "timeZone": "UTC",
            "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS'Z'",
            "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS",
        }

    def sliceable(self, path: str, options: TableOptions) -> bool:
        """See :meth:`FileFormat.sliceable`."""
        return codec_of_name(path) == "none" and options.get("json.line-delimiter") == "\n"

    def cuts(self, storage: Storage, path: str, size: int, target: int, options: TableOptions) -> list[int]:
        """See :meth:`FileFormat.cuts`."""
        return plain_cuts(storage, path, size, target, self.name)

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """See :meth:`FileFormat.count_rows`."""
        return None

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pa.RecordBatch]:
        """See :meth:`FileFormat.read`."""
        return _Reading(file, request).batches(storage)

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> FileWriter:
        """See :meth:`FileFormat.open_writer`."""
        from spark_paimon.format.json_writer import JsonWriter

        return JsonWriter(storage, path, request)


class _Reading:
    """One slice that is being read."""

    def __init__(self, file: FileSlice, request: ReadRequest) -> None:
        from spark_paimon.format.json_parser import ArrowJson

        options = request.table_options
        self._file = file
        self._request = request
        self._delimiter = options.get("json.line-delimiter").encode()
        self._forgiving = options.get("json.ignore-parse-errors")
        self._schema = to_arrow(request.columns)
        positions = {column.name: at for at, column in enumerate(request.stored)}
        self._selected = [positions[column.name] for column in request.columns]
        self._arrow = ArrowJson(request.stored, request.case_sensitive, request.time_zone)
        self._lines = 0
        self._bad_rows = 0

    def batches(self, storage: Storage) -> Iterator[pa.RecordBatch]:
        blocks = line_blocks(storage, self._file, self._request.table, "json", self._delimiter)
        for block in blocks:
            columns = self._arrow.columns(block, self._delimiter)
            rows = len(columns[0]) if columns else 0
            if columns is None:
                columns, rows = self._exact_columns(block)
            selected = [columns[at] for at in self._selected]
            check_not_null(selected, self._file, self._request)
            yield from batches_of(selected, rows, self._schema, self._request.batch_rows)
            self._lines += block.count(self._delimiter)
        if self._bad_rows:
            report_malformed(self._file, self._request.table, self._bad_rows, "read as rows of NULLs")

    def _exact_columns(self, block: bytes) -> tuple[list[pa.Array], int]:
        from spark_paimon.format.json_values import Assembler, objects_of

        request = self._request
        objects, numbers, wrong = objects_of(block, self._delimiter)
        assembler = Assembler(request.case_sensitive, request.time_zone)
        columns = assembler.columns(objects, request.stored)
        wrong = {**assembler.wrong, **wrong}
        if wrong and not self._forgiving:
            first = min(wrong)
            raise self._malformed(numbers[first], wrong[first])
        self._bad_rows += len(wrong)
        if assembler.wrong:
            for row in assembler.wrong:
                objects[row] = {}
            columns = assembler.columns(objects, request.stored)
        return columns, len(objects)

    def _malformed(self, line: int, reason: str) -> errors.IllegalStateError:
        part = f" of the part from byte {self._file.start}" if self._file.start else ""
        return errors.IllegalStateError(
            "FILE_RECORD_MALFORMED",
            path=self._file.path,
            table=self._request.table,
            position=f"line {self._lines + line + 1}{part}",
            reason=reason,
        )


FORMAT = Json()
