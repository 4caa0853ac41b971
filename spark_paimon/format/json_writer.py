"""Writing JSON lines, column by column and without a Python object for a value.

Maps of Arrow have no NULL keys, so that ``json.map-null-key-mode`` has nothing to decide here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format.base import WriteRequest
from spark_paimon.format.compressed import CompressedOutput
from spark_paimon.format.rows import parts_of
from spark_paimon.format.text_arrays import bytes_of
from spark_paimon.format.texts import to_texts
from spark_paimon.schema import (
    ArrayType,
    BooleanType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    IntType,
    MapType,
    MultisetType,
    RowType,
)
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa

# No DECIMAL: readers that take a number for a double, as Paimon's in Java, would round it.
_BARE = (BooleanType, IntegralType)
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_CONTROLS = [chr(code) for code in range(32)]
_SPECIAL = "".join(_CONTROLS).encode() + b'"\\'


_Nested = ArrayType | MapType | MultisetType | RowType


class JsonWriter:
    """One JSON file that is being written."""

    def __init__(self, storage: Storage, path: str, request: WriteRequest) -> None:
        options = request.table_options
        self._request = request
        self._columns = list(request.columns)
        self._line = options.get("json.line-delimiter")
        level = options.get("file.compression.zstd-level")
        self._output = CompressedOutput(storage, path, request.compression, level)

    def write(self, batch: pa.RecordBatch) -> None:
        """See :meth:`FileWriter.write`."""
        import pyarrow.compute as pc

        with self._output.closed_on_error():
            for part in parts_of(batch):
                lines = self._object(part.columns, self._columns, "}" + self._line)
                if len(self._line) > 1 or self._line not in "\r\n":
                    self._refuse_delimiter(lines)
                self._output.write(bytes_of(pc.fill_null(lines, "")))

    def size(self) -> int:
        """See :meth:`FileWriter.size`."""
        return self._output.size()

    def close(self) -> None:
        """See :meth:`FileWriter.close`."""
        self._output.close()

    def _refuse_delimiter(self, lines: pa.StringArray) -> None:
        import pyarrow.compute as pc

        if pc.max(pc.count_substring(lines, self._line)).as_py() > 1:
            raise self._refused(
                "(any)", f"its JSON contains the line delimiter {self._line!r} (json.line-delimiter)"
            )

    def _refused(self, column: str, reason: str) -> errors.InvalidInputError:
        return errors.InvalidInputError(
            "FILE_VALUE_REFUSED", column=column, table=self._request.table, format="JSON", reason=reason
        )

    def _object(self, arrays: Sequence[pa.Array], fields: Sequence[Field], end: str) -> pa.StringArray:
        import pyarrow.compute as pc

        parts: list[pa.StringArray | str] = []
        for number, (array, field) in enumerate(zip(arrays, fields, strict=True)):
            key = json.dumps(field.name, ensure_ascii=False)
            parts += [f"{',' if number else '{'}{key}:", self._fragments(array, field)]
        return pc.binary_join_element_wise(*parts, end, "")

    def _fragments(self, array: pa.Array, field: Field) -> pa.StringArray:
        """JSON of each value; ``null`` for NULL."""
        import pyarrow.compute as pc

        kind = field.type
        if isinstance(kind, (ArrayType, MapType, MultisetType, RowType)):
            texts = self._nested(array, field, kind)
        else:
            texts = to_texts(array, field)
            if isinstance(kind, (FloatType, DoubleType)):
                texts = pc.if_else(pc.is_finite(array), texts, _quoted(texts))
            elif not isinstance(kind, _BARE):
                texts = _quoted(texts)
        return pc.fill_null(texts, "null") if texts.null_count else texts

    def _nested(self, array: pa.Array, field: Field, kind: _Nested) -> pa.StringArray:
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(kind, RowType):
            if not kind.fields:
                return pc.if_else(array.is_valid(), "{}", pa.scalar(None, pa.string()))
            texts = self._object(array.flatten(), kind.fields, "}")
            return pc.if_else(array.is_valid(), texts, pa.scalar(None, pa.string()))
        if isinstance(kind, ArrayType):
            items = self._fragments(array.flatten(), Field(-1, field.name, kind.element))
            return _bracketed("[", _lists(array.value_lengths(), items), "]")
        key, value = (
            (kind.key, kind.value) if isinstance(kind, MapType) else (kind.element, IntType(nullable=False))
        )
        entries = pc.list_flatten(array.cast(_as_list(array.type)))
        lengths = pc.list_value_length(array.cast(_as_list(array.type)))
        keys = to_texts(pc.struct_field(entries, 0), Field(-1, field.name, key))
        values = self._fragments(pc.struct_field(entries, 1), Field(-1, field.name, value))
        members = pc.binary_join_element_wise(_quoted(keys), values, ":")
        return _bracketed("{", _lists(lengths, members), "}")


def _as_list(kind: pa.MapType) -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.struct([kind.key_field.with_nullable(True), kind.item_field]))


def _lists(lengths: pa.Array, items: pa.StringArray) -> pa.StringArray:
    """Items of each list with commas between them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.cumulative_sum(pc.fill_null(lengths, 0).cast(pa.int32()))
    starts = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    joined = pc.binary_join(pa.ListArray.from_arrays(starts, items), ",")
    return pc.if_else(lengths.is_valid(), joined, pa.scalar(None, pa.string()))


def _bracketed(before: str, texts: pa.StringArray, behind: str) -> pa.StringArray:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(before, texts, behind, "")


def _quoted(texts: pa.StringArray) -> pa.StringArray:
    """JSON strings."""
    import pyarrow.compute as pc

    data = bytes_of(texts)
    if len(data.translate(None, _SPECIAL)) < len(data):
        texts = pc.replace_substring(texts, "\\", "\\\\")
        texts = pc.replace_substring(texts, '"', '\\"')
        for character in _CONTROLS:
            if character.encode() in data:
                escape = _SHORT_ESCAPES.get(character, f"\\u{ord(character):04x}")
                texts = pc.replace_substring(texts, character, escape)
    return _bracketed('"', texts, '"')
