"""TEXT files: one column, a line for each row.

NULL is written as an empty line and so read back as the empty string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, FileWriter, ReadRequest, WriteRequest
from spark_paimon.format.compressed import CODEC_SUFFIXES, CompressedOutput, codec_of_name
from spark_paimon.format.lines import line_blocks, plain_cuts
from spark_paimon.format.rows import batches_of, parts_of
from spark_paimon.format.text_arrays import bytes_of
from spark_paimon.options import TableOptions
from spark_paimon.schema import Field, TextType, to_arrow
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Text:
    """The format TEXT.

    Examples
    --------
    >>> Text().extension("gzip")
    '.text.gz'
    """

    name: str = "text"
    default_compression: str = "none"
    codecs: tuple[str, ...] = tuple(CODEC_SUFFIXES)
    counts_rows: bool = False
    extra: str | None = None

    def extension(self, compression: str, *, name_codec: bool = False) -> str:
        """See :meth:`FileFormat.extension`."""
        return f".text{CODEC_SUFFIXES[compression]}"

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """See :meth:`FileFormat.check`."""
        if len(columns) != 1 or not isinstance(columns[0].type, TextType):
            raise errors.UnsupportedError(
                "FORMAT_COLUMNS_UNSUPPORTED",
                format="TEXT",
                table=table,
                reason="it needs exactly one column besides the partition columns, of type STRING",
            )
        options.get("text.line-delimiter")

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """See :meth:`FileFormat.why_python_reads`."""
        return None

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """See :meth:`FileFormat.why_python_writes`."""
        return "Spark needs Hadoop's native library for zstd" if compression == "zstd" else None

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """See :meth:`FileFormat.spark_read_options`."""
        return {"lineSep": options.get("text.line-delimiter"), "wholetext": "false"}

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """See :meth:`FileFormat.spark_write_options`."""
        return {"compression": compression, "lineSep": options.get("text.line-delimiter")}

    def sliceable(self, path: str, options: TableOptions) -> bool:
        """See :meth:`FileFormat.sliceable`."""
        return codec_of_name(path) == "none" and options.get("text.line-delimiter") == "\n"

    def cuts(self, storage: Storage, path: str, size: int, target: int, options: TableOptions) -> list[int]:
        """See :meth:`FileFormat.cuts`."""
        return plain_cuts(storage, path, size, target, self.name)

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """See :meth:`FileFormat.count_rows`."""
        return None

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pa.RecordBatch]:
        """See :meth:`FileFormat.read`."""
        delimiter = request.table_options.get("text.line-delimiter").encode()
        schema = to_arrow(request.columns)
        for block in line_blocks(storage, file, request.table, self.name, delimiter):
            lines = _split(block, delimiter, file, request)
            yield from batches_of([lines] * len(schema), len(lines), schema, request.batch_rows)

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> FileWriter:
        """See :meth:`FileFormat.open_writer`."""
        return _TextWriter(storage, path, request)


def _split(block: bytes, delimiter: bytes, file: FileSlice, request: ReadRequest) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = block.removesuffix(delimiter) if block.endswith(delimiter) else block
    try:
        text = pa.array([whole], pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        # Spark puts the replacement character in place of bytes that are no UTF-8, and so do we.
        text = pa.array([whole.decode(errors="replace")], pa.string())
    return pc.split_pattern(text, delimiter.decode()).values


class _TextWriter:
    """One TEXT file that is being written."""

    def __init__(self, storage: Storage, path: str, request: WriteRequest) -> None:
        options = request.table_options
        self._request = request
        self._line = options.get("text.line-delimiter")
        level = options.get("file.compression.zstd-level")
        self._begun = False
        self._output = CompressedOutput(storage, path, request.compression, level)

    def write(self, batch: pa.RecordBatch) -> None:
        """See :meth:`FileWriter.write`."""
        import pyarrow.compute as pc

        with self._output.closed_on_error():
            for part in parts_of(batch):
                lines = pc.fill_null(part.column(0), "")
                # The last bytes of a value and the delimiter behind it can make up a delimiter too.
                followed = (
                    pc.binary_join_element_wise(lines, self._line[:-1], "") if self._line[1:] else lines
                )
                found = self._line.encode() in bytes_of(followed)
                if found and pc.any(pc.match_substring(followed, self._line)).as_py():
                    raise self._refused(
                        f"it contains the line delimiter {self._line!r} and would become several rows"
                    )
                if not self._begun and len(lines) and lines[0].as_py().startswith("\ufeff"):
                    raise self._refused(
                        "it would be the first one of a file and begins with a byte order mark, "
                        "which readers leave out"
                    )
                self._begun = self._begun or len(lines) > 0
                self._output.write(bytes_of(pc.binary_join_element_wise(lines, self._line, "")))

    def _refused(self, reason: str) -> errors.InvalidInputError:
        return errors.InvalidInputError(
            "FILE_VALUE_REFUSED",
            column=self._request.columns[0].name,
            table=self._request.table,
            format="TEXT",
            reason=reason,
        )

    def size(self) -> int:
        """See :meth:`FileWriter.size`."""
        return self._output.size()

    def close(self) -> None:
        """See :meth:`FileWriter.close`."""
        self._output.close()


FORMAT = Text()
