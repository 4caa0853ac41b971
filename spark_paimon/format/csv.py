"""CSV files: fields by position, NULL told from the empty string, line breaks inside quotes.

Spark's own reader and writer are never used: they take a quoted null literal for NULL, trim blanks, lose the
rows of a single NULL column, and do not know doubled quotes together with an escape character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format import csv_dialect, csv_parser
from spark_paimon.format.base import FileSlice, FileWriter, ReadRequest, WriteRequest
from spark_paimon.format.compressed import CODEC_SUFFIXES, TextInput, codec_of_name
from spark_paimon.format.csv_dialect import Dialect
from spark_paimon.format.csv_parser import Columns
from spark_paimon.format.csv_records import Records, UnclosedQuoteError
from spark_paimon.format.rows import batches_of, check_not_null, report_malformed
from spark_paimon.format.texts import from_texts
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    ArrayType,
    Field,
    MapType,
    MultisetType,
    RowType,
    TextType,
    VariantType,
    to_arrow,
)
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa

_WITHOUT_TEXT = (ArrayType, MapType, MultisetType, RowType, VariantType)
# Names that an error lists of a header and of a table.
_MOST_NAMES = 40
_WHY_PYTHON = (
    "Spark reads and writes quoted NULL literals, doubled quotes, blanks and empty lines differently"
)


@dataclass(frozen=True)
class Csv:
    """The format CSV.

    Examples
    --------
    >>> Csv().extension("gzip")
    '.csv.gz'
    """

    name: str = "csv"
    default_compression: str = "none"
    codecs: tuple[str, ...] = tuple(CODEC_SUFFIXES)
    counts_rows: bool = False
    extra: str | None = None

    def extension(self, compression: str, *, name_codec: bool = False) -> str:
        """See :meth:`FileFormat.extension`."""
        return f".csv{CODEC_SUFFIXES[compression]}"

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """See :meth:`FileFormat.check`."""
        for column in columns:
            if isinstance(column.type, _WITHOUT_TEXT):
                raise errors.UnsupportedError(
                    "FORMAT_TYPE_UNSUPPORTED",
                    format="CSV",
                    type=column.type,
                    column=column.name,
                    table=table,
                    formats="PARQUET" if isinstance(column.type, VariantType) else "PARQUET, ORC, JSON",
                )
        csv_dialect.check(options)

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """See :meth:`FileFormat.why_python_reads`."""
        return _WHY_PYTHON

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """See :meth:`FileFormat.why_python_writes`."""
        return _WHY_PYTHON

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """See :meth:`FileFormat.spark_read_options`; never asked."""
        return {}

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """See :meth:`FileFormat.spark_write_options`; never asked."""
        return {}

    def sliceable(self, path: str, options: TableOptions) -> bool:
        """See :meth:`FileFormat.sliceable`."""
        return codec_of_name(path) == "none" and options.get("csv.line-delimiter") == "\n"

    def cuts(self, storage: Storage, path: str, size: int, target: int, options: TableOptions) -> list[int]:
        """See :meth:`FileFormat.cuts`: the first end of a record behind each multiple of the target."""
        if size <= target:
            return []
        with TextInput(storage, FileSlice(path), "", self.name) as text:
            return _cuts(text, Records(Dialect.of(options)), size, target) if text.codec == "none" else []

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """See :meth:`FileFormat.count_rows`."""
        return None

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pa.RecordBatch]:
        """See :meth:`FileFormat.read`."""
        return _Reading(file, request).batches(storage)

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> FileWriter:
        """See :meth:`FileFormat.open_writer`."""
        from spark_paimon.format.csv_writer import CsvWriter

        return CsvWriter(storage, path, request)


def _cuts(text: TextInput, records: Records, size: int, target: int) -> list[int]:
    found: list[int] = []
    goal = target
    for offset, block in csv_parser.record_blocks(text.chunks(), records):
        while goal <= offset + len(block):
            end = 0 if goal <= offset else records.first_end(block, goal - offset)
            if end < 0 or offset + end >= size:
                break
            found.append(offset + end)
            goal = (found[-1] // target + 1) * target
    return found


class _Reading:
    """One slice that is being read."""

    def __init__(self, file: FileSlice, request: ReadRequest) -> None:
        self._file = file
        self._request = request
        self._dialect = Dialect.of(request.table_options)
        self._records = Records(self._dialect)
        self._schema = to_arrow(request.columns)
        positions = {column.name: at for at, column in enumerate(request.stored)}
        self._selected = [positions[column.name] for column in request.columns]
        self._judged = self._positions_that_can_be_malformed()
        self._no_values = {at: self._spellings_of_null(request.stored[at]) for at in self._judged}
        self._rows = 0
        self._bad_rows = 0

    def _positions_that_can_be_malformed(self) -> list[int]:
        """Columns that decide about rows; strict modes mind the fields behind the last selected one too."""
        last = len(self._request.stored)
        if self._dialect.mode == "PERMISSIVE":
            last = max(self._selected, default=-1) + 1
        return list(range(last))

    def _spellings_of_null(self, column: Field) -> list[str]:
        """Texts that are NULL in quotes as well, as they cannot be a value of the column.

        What quotes every field writes ``""`` for a number that is missing.
        """
        import pyarrow as pa

        texts = pa.array(sorted({"", self._dialect.null.decode()}), pa.string())
        _, malformed = from_texts(texts, column, self._request.time_zone)
        return [text for text, bad in zip(texts.to_pylist(), malformed.to_pylist(), strict=True) if bad]

    def batches(self, storage: Storage) -> Iterator[pa.RecordBatch]:
        with TextInput(storage, self._file, self._request.table, "csv") as text:
            try:
                for block in self._blocks(text):
                    yield from batches_of(*self._columns(block), self._schema, self._request.batch_rows)
            except UnclosedQuoteError as error:
                raise self._malformed("its last record", str(error)) from error
        if self._bad_rows:
            outcome = "left out" if self._dialect.mode == "DROPMALFORMED" else "read with NULLs"
            report_malformed(self._file, self._request.table, self._bad_rows, outcome)

    def _blocks(self, text: TextInput) -> Iterator[bytes]:
        file = self._file
        chunks = text.chunks(file.start)
        if file.length >= 0 and text.codec == "none":
            chunks = _limited(chunks, file.length)
        blocks = csv_parser.record_blocks(chunks, self._records, file.start)
        if self._dialect.header and file.start == 0:
            blocks = self._without_header(blocks)
        for _, block in blocks:
            yield block

    def _without_header(self, blocks: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        first = next(blocks, None)
        if first is None:
            return
        offset, block = first
        end = self._records.first_end(block, 1)
        end = len(block) if end < 0 else end
        if self._request.table_options.get("csv.enforce-header"):
            self._check_header(block[:end])
        if end < len(block):
            yield offset + end, block[end:]
        yield from blocks

    def _check_header(self, header: bytes) -> None:
        request = self._request
        rows = self._records.rows(header, len(request.stored))
        found = [(name or b"").decode(errors="replace") for name in rows[0]] if rows else []
        expected = [column.name for column in request.stored]
        for position, (name, column) in enumerate(zip(found, expected, strict=False), 1):
            same = name == column if request.case_sensitive else name.lower() == column.lower()
            if not same:
                raise errors.IllegalStateError(
                    "FILE_HEADER_MISMATCH",
                    position=position,
                    path=self._file.path,
                    table=request.table,
                    found=_listed(found),
                    expected=_listed(expected),
                )

    def _columns(self, block: bytes) -> tuple[list[pa.Array], int]:
        """Values of the selected columns of a block, and its number of rows."""
        stored = self._request.stored
        # Texts of a column of text are always values; they are needed only where they are selected.
        needed = {
            at for at in self._judged if at in self._selected or not isinstance(stored[at].type, TextType)
        }
        parsed = csv_parser.parse_by_arrow(block, self._records, len(stored), needed)
        if parsed is None:
            parsed = csv_parser.parse_exactly(block, self._records, len(stored), self._judged)
        values, malformed = self._values(parsed)
        if malformed:
            self._bad_rows += int(_any(malformed.values()).true_count)
        columns = self._by_mode(values, malformed, parsed)
        rows = len(columns[0]) if columns else self._kept_rows(malformed, parsed.rows)
        check_not_null(columns, self._file, self._request)
        self._rows += parsed.rows
        return columns, rows

    def _values(self, parsed: Columns) -> tuple[dict[int, pa.Array], dict[int, pa.BooleanArray]]:
        """Values by position, and where a field is malformed for the columns that have such fields."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values, malformed = {}, {}
        for at, texts in sorted(parsed.texts.items()):
            for spelling in self._no_values[at]:
                found = pc.equal(texts, spelling)
                if found.true_count:
                    texts = pc.if_else(found, pa.scalar(None, texts.type), texts)
            values[at], wrong = from_texts(texts, self._request.stored[at], self._request.time_zone)
            if at in parsed.broken:
                wrong = pc.or_(wrong, parsed.broken[at])
            if wrong.true_count:
                malformed[at] = wrong
        return values, malformed

    def _by_mode(
        self, values: dict[int, pa.Array], malformed: dict[int, pa.BooleanArray], parsed: Columns
    ) -> list[pa.Array]:
        import pyarrow as pa
        import pyarrow.compute as pc

        mode = self._dialect.mode
        if malformed and mode == "FAILFAST":
            self._fail(malformed)
        if malformed and mode == "DROPMALFORMED":
            kept = pc.invert(_any(malformed.values()))
            return [values[at].filter(kept) for at in self._selected]
        columns = []
        for at in self._selected:
            before = [wrong for position, wrong in malformed.items() if position <= at]
            column = values[at]
            if before:
                column = pc.if_else(_any(before), pa.scalar(None, column.type), column)
            columns.append(column)
        return columns

    def _kept_rows(self, malformed: dict[int, pa.BooleanArray], rows: int) -> int:
        if malformed and self._dialect.mode == "DROPMALFORMED":
            return rows - int(_any(malformed.values()).true_count)
        return rows

    def _fail(self, malformed: dict[int, pa.BooleanArray]) -> None:
        import pyarrow.compute as pc

        row, at = min((pc.index(wrong, True).as_py(), at) for at, wrong in malformed.items())
        column = self._request.stored[at]
        part = f" of the part from byte {self._file.start}" if self._file.start else ""
        position = f"record {self._rows + row + 1}{part}"
        raise self._malformed(position, f"column {column.name} holds no {column.type.bare_sql()}")

    def _malformed(self, position: str, reason: str) -> errors.IllegalStateError:
        return errors.IllegalStateError(
            "FILE_RECORD_MALFORMED",
            path=self._file.path,
            table=self._request.table,
            position=position,
            reason=reason,
        )


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"and {rest} more"] if rest > 0 else [])])


def _any(masks: Iterable[pa.BooleanArray]) -> pa.BooleanArray:
    import pyarrow.compute as pc

    first, *others = masks
    for mask in others:
        first = pc.or_(first, mask)
    return first


def _limited(chunks: Iterator[bytes], length: int) -> Iterator[bytes]:
    for chunk in chunks:
        if length <= 0:
            return
        yield chunk[:length]
        length -= len(chunk)


FORMAT = Csv()
