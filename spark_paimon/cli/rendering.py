"""Result tables as text for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def as_text(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> str:
    """A table with aligned columns; numbers to the right, an unknown value is empty.

    Parameters
    ----------
    columns
        Name and Spark type of each column.
    rows
        Values; timestamps as microseconds since the epoch.

    Examples
    --------
    >>> columns = [("partition", "string"), ("record_count", "bigint")]
    >>> print(as_text(columns, [("dt=a", 1200), ("dt=b", None)]))
    partition  record_count
    dt=a               1200
    dt=b
    """
    cells = [[name for name, _ in columns]]
    cells += [["" if value is None else str(value) for value in row] for row in _readable(columns, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    align = [str.rjust if kind.lower() in ("bigint", "int") else str.ljust for _, kind in columns]
    return "\n".join(
        "  ".join(place(cell, width) for place, cell, width in zip(align, row, widths, strict=True)).rstrip()
        for row in cells
    )


def as_json(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> str:
    """One array of objects; timestamps as ISO 8601 text in UTC, an unknown value is null.

    Examples
    --------
    >>> print(as_json([("partition", "string"), ("at", "timestamp")], [("dt=a", 1500000)]))
    [
      {
        "partition": "dt=a",
        "at": "1970-01-01T00:00:01.500000Z"
      }
    ]
    """
    names = [name for name, _ in columns]
    objects = [dict(zip(names, row, strict=True)) for row in _readable(columns, rows)]
    return json.dumps(objects, indent=2, ensure_ascii=False)


def _readable(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    timestamps = {index for index, (_, kind) in enumerate(columns) if kind.lower() == "timestamp"}
    return [
        [
            _iso(value) if index in timestamps and value is not None else value
            for index, value in enumerate(row)
        ]
        for row in rows
    ]


def _iso(microseconds: int) -> str:
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
