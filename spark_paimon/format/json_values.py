"""JSON lines as columns by the exact rules, whatever is on the lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spark_paimon.format.texts import from_texts
from spark_paimon.schema import (
    ArrayType,
    DataType,
    Field,
    IntType,
    MapType,
    MultisetType,
    RowType,
)
from spark_paimon.schema.arrow import type_to_arrow
from spark_paimon.schema.types import BytesType

if TYPE_CHECKING:
    import pyarrow as pa

_BLANKS = b" \t\r\n"


class Number(str):
    """A JSON number as it is spelled, so that no digit is lost."""

    __slots__ = ()


def parse_line(line: bytes) -> dict[str, Any]:
    """Object of a line; numbers stay texts.

    Raises
    ------
    ValueError
        The line is no JSON object, or more than one.

    Examples
    --------
    >>> parse_line(b'{"a": 1.50, "a": 2e1}')
    {'a': '2e1'}
    """
    text = line.decode()
    try:
        value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)
        if "\\u" in text:
            # Half of a surrogate pair is no character, and cannot be stored as UTF-8.
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value


def objects_of(block: bytes, delimiter: bytes) -> tuple[list[dict[str, Any]], list[int], dict[int, str]]:
    """Objects of the lines that are not blank, the numbers of these lines from 0, and what is wrong by row.

    Examples
    --------
    >>> objects_of(b'{"a":"x"}' + bytes([10, 10]) + b'3', bytes([10]))
    ([{'a': 'x'}, {}], [0, 2], {1: 'it is no JSON object'})
    """
    objects: list[dict[str, Any]] = []
    numbers: list[int] = []
    wrong: dict[int, str] = {}
    for number, line in enumerate(block.split(delimiter)):
        stripped = line.strip(_BLANKS)
        if not stripped:
            continue
        try:
            objects.append(parse_line(stripped))
        except ValueError as error:
            wrong[len(objects)] = str(error)
            objects.append({})
        numbers.append(number)
    return objects, numbers, wrong


class Assembler:
    """Columns of objects.

    Parameters
    ----------
    case_sensitive
        Whether keys are matched exactly only.
    time_zone
        Zone of TIMESTAMP WITH LOCAL TIME ZONE texts that name none.

    Attributes
    ----------
    wrong
        Row to the reason why it is malformed.
    """

    def __init__(self, case_sensitive: bool, time_zone: str) -> None:
        self._case_sensitive = case_sensitive
        self._time_zone = time_zone
        self.wrong: dict[int, str] = {}

    def columns(self, objects: Sequence[dict[str, Any]], fields: Sequence[Field]) -> list[pa.Array]:
        """Values of some fields of the objects; :attr:`wrong` grows."""
        rows = list(range(len(objects)))
        return [self._column(self._members(objects, field), rows, field) for field in fields]

    def _members(self, objects: Sequence[dict[str, Any] | None], field: Field) -> list[Any]:
        name = field.name
        if self._case_sensitive:
            return [None if value is None else value.get(name) for value in objects]
        lowered = name.lower()
        values = []
        for value in objects:
            if value is None or name in value:
                values.append(None if value is None else value[name])
            else:
                values.append(next((value[key] for key in reversed(value) if key.lower() == lowered), None))
        return values

    def _column(self, values: list[Any], rows: list[int], field: Field) -> pa.Array:
        kind = field.type
        if isinstance(kind, ArrayType):
            return self._lists(values, rows, field, kind.element)
        if isinstance(kind, MapType):
            return self._maps(values, rows, field, kind.key, kind.value)
        if isinstance(kind, MultisetType):
            return self._maps(values, rows, field, kind.element, IntType(nullable=False))
        if isinstance(kind, RowType):
            return self._structs(values, rows, field, kind)
        return self._scalars(values, rows, field)

    def _scalars(self, values: list[Any], rows: list[int], field: Field) -> pa.Array:
        import pyarrow as pa

        no_numbers = isinstance(field.type, BytesType)
        texts: list[str | None] = []
        for value, row in zip(values, rows, strict=True):
            text: str | None = None
            if value is True or value is False:
                text = "true" if value else "false"
            elif isinstance(value, str) and not (no_numbers and isinstance(value, Number)):
                text = str(value)
            elif value is not None:
                self._reject(row, field)
            texts.append(text)
        result, malformed = from_texts(pa.array(texts, pa.string()), field, self._time_zone)
        if malformed.true_count:
            for row, bad in zip(rows, malformed.to_pylist(), strict=True):
                if bad:
                    self._reject(row, field)
        return result

    def _reject(self, row: int, field: Field) -> None:
        self.wrong.setdefault(row, f"the value of {field.name} is no {field.type.bare_sql()}")

    def _only(self, values: list[Any], rows: list[int], field: Field, kind: type) -> list[Any]:
        checked = []
        for value, row in zip(values, rows, strict=True):
            if value is not None and not isinstance(value, kind):
                self._reject(row, field)
                value = None
            checked.append(value)
        return checked

    def _lists(self, values: list[Any], rows: list[int], field: Field, element: DataType) -> pa.Array:
        import pyarrow as pa

        lists = self._only(values, rows, field, list)
        items, owners = _flattened(lists, rows, list)
        child = self._column(items, owners, Field(-1, field.name, element))
        return pa.ListArray.from_arrays(_offsets(lists), child, type=_arrow(field))

    def _maps(
        self, values: list[Any], rows: list[int], field: Field, key: DataType, value: DataType
    ) -> pa.Array:
        import pyarrow as pa

        maps = self._only(values, rows, field, dict)
        keys, owners = _flattened(maps, rows, list)
        items, _ = _flattened(maps, rows, lambda found: list(found.values()))
        return pa.MapArray.from_arrays(
            _offsets(maps),
            self._column(keys, owners, Field(-1, field.name, key)),
            self._column(items, owners, Field(-1, field.name, value)),
            type=_arrow(field),
        )

    def _structs(self, values: list[Any], rows: list[int], field: Field, kind: RowType) -> pa.Array:
        import pyarrow as pa

        structs = self._only(values, rows, field, dict)
        children = [self._column(self._members(structs, child), rows, child) for child in kind.fields]
        return pa.StructArray.from_arrays(
            children,
            fields=list(_arrow(field)),
            mask=pa.array([value is None for value in structs], pa.bool_()),
        )


def _arrow(field: Field) -> pa.DataType:
    return type_to_arrow(field.type, field.name)


def _flattened(
    values: list[Any], rows: list[int], items_of: Callable[[Any], list[Any]]
) -> tuple[list[Any], list[int]]:
    """Items of all values behind each other, and the row that each belongs to."""
    items: list[Any] = []
    owners: list[int] = []
    for value, row in zip(values, rows, strict=True):
        if value:
            items += items_of(value)
            owners += [row] * len(value)
    return items, owners


def _offsets(values: list[Any]) -> pa.Array:
    """Offsets of lists of these lengths; NULL, which makes the list NULL, where there is no value."""
    import pyarrow as pa

    offsets: list[int | None] = []
    total = 0
    for value in values:
        offsets.append(None if value is None else total)
        total += len(value or ())
    return pa.array([*offsets, total], pa.int32())
