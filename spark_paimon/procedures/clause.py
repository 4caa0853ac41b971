"""The ``partition`` argument of procedures."""

from __future__ import annotations

from spark_paimon.partition.layout import unescape
from spark_paimon.partition.values import Value
from spark_paimon.table.format_table import FormatTable


def partition_values(table: FormatTable, text: str) -> dict[str, Value]:
    """Read ``dt=2025-01-01/hh=10``, with the escaping of directory names; the name of the NULL partition
    means NULL.

    A column without a value, as in ``dt=2025-01-01/hh``, is allowed and says nothing.

    Raises
    ------
    InvalidInputError
        The text has another form, or a value that is no value of its column's type.
    NoSuchColumnError
        A column without a value is no partition column.
    """
    parts = text.split("/")
    for part in parts:
        if part and "=" not in part:
            table.layout.resolve(unescape(part), table.full_name)
    named = [part for part in parts if "=" in part or not part]
    texts = table.layout.parse_name("/".join(named), partial=True) if named else {}
    return table.layout.literals(texts, table.full_name)
