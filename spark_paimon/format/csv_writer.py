"""Writing CSV, column by column and without a Python object for a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_paimon.format.base import WriteRequest
from spark_paimon.format.compressed import CompressedOutput
from spark_paimon.format.csv_dialect import Dialect
from spark_paimon.format.rows import parts_of
from spark_paimon.format.text_arrays import bytes_of
from spark_paimon.format.texts import to_texts
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa

_BOM = "\ufeff"
_BLANK = r"^\s*$"


class CsvWriter:
    """One CSV file that is being written."""

    def __init__(self, storage: Storage, path: str, request: WriteRequest) -> None:
        options = request.table_options
        dialect = Dialect.of(options)
        self._columns = list(request.columns)
        self._field, self._line = dialect.field.decode(), dialect.line.decode()
        self._quote, self._escape = dialect.quote.decode(), dialect.escape.decode()
        self._null = dialect.null.decode()
        special = {self._field[0], self._line[0], self._quote, self._escape, "\r", _BOM}
        if self._line == "\r\n":
            special.add("\n")
        self._special = sorted(special)
        self._special_bytes = bytes({text.encode()[0] for text in special})
        level = options.get("file.compression.zstd-level")
        self._output = CompressedOutput(storage, path, request.compression, level)
        if dialect.header:
            self._write_header()

    def _write_header(self) -> None:
        import pyarrow as pa

        names = [self._spelled(pa.array([column.name])) for column in self._columns]
        self._write_lines(names)

    def write(self, batch: pa.RecordBatch) -> None:
        """See :meth:`FileWriter.write`."""
        with self._output.closed_on_error():
            for part in parts_of(batch):
                self._write_lines(
                    [
                        self._spelled(to_texts(values, column))
                        for values, column in zip(part.columns, self._columns, strict=True)
                    ]
                )

    def size(self) -> int:
        """See :meth:`FileWriter.size`."""
        return self._output.size()

    def close(self) -> None:
        """See :meth:`FileWriter.close`."""
        self._output.close()

    def _write_lines(self, texts: list[pa.StringArray]) -> None:
        import pyarrow.compute as pc

        parts: list[pa.StringArray | str] = []
        for column in texts:
            parts += [column, self._field]
        parts[-1] = self._line
        self._output.write(bytes_of(pc.binary_join_element_wise(*parts, "")))

    def _spelled(self, texts: pa.StringArray) -> pa.StringArray:
        """Texts as they stand in the file: quoted where they need it, the null literal for NULL."""
        import pyarrow as pa
        import pyarrow.compute as pc

        quoting = self._needing_quotes(texts)
        if quoting is not None:
            inner = texts
            if self._escape != self._quote:
                inner = pc.replace_substring(inner, self._escape, self._escape * 2)
            inner = pc.replace_substring(inner, self._quote, self._escape + self._quote)
            quoted = pc.binary_join_element_wise(self._quote, inner, self._quote, "")
            texts = pc.if_else(quoting, quoted, texts)
        return pc.fill_null(texts, pa.scalar(self._null)) if texts.null_count else texts

    def _needing_quotes(self, texts: pa.StringArray) -> pa.BooleanArray | None:
        """True where a text must be quoted; None where none must."""
        import pyarrow.compute as pc

        # The empty text is quoted whatever NULL is: most readers take nothing between delimiters for NULL.
        needed = pc.equal(texts, "")
        if self._null:
            needed = pc.or_(needed, pc.equal(texts, self._null))
        if len(self._columns) == 1:
            needed = pc.or_(needed, pc.match_substring_regex(texts, _BLANK))
        data = bytes_of(texts)
        if len(data.translate(None, self._special_bytes)) < len(data):
            for character in self._special:
                if character.encode() in data:
                    needed = pc.or_(needed, pc.match_substring(texts, character))
        return needed if needed.true_count else None
