"""The pattern over names of partitions that goes with a filter.

Such a pattern reaches servers that look at names only, as indexes do. It never drops a partition that the
filter lets through, so it says nothing about values that may be spelled in several ways: ``hh=1`` and
``hh=01`` are one INT.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from spark_paimon.partition import PartitionLayout, Predicate, escape, is_blank
from spark_paimon.partition.like import literal_prefix
from spark_paimon.partition.predicate import Comparison, In
from spark_paimon.schema import VarCharType


def pattern_for(predicate: Predicate, layout: PartitionLayout) -> str | None:
    """The longest pattern that names of all partitions have for which `predicate` may hold.

    Returns
    -------
    str or None
        A complete name, or a beginning and ``%``; ``_`` in it is meant as it stands, and matching any
        character there only widens the answer. None when every name would match.

    Examples
    --------
    >>> from spark_paimon.partition.predicate import And
    >>> from spark_paimon.schema import Field, IntType, StringType
    >>> layout = PartitionLayout((Field(0, "dt", StringType()), Field(1, "city", StringType())))
    >>> day = Comparison("=", "dt", "2024-01-31")
    >>> pattern_for(day, layout), pattern_for(And((day, Comparison("starts_with", "city", "B"))), layout)
    ('dt=2024-01-31/%', 'dt=2024-01-31/city=B%')
    """
    fixed = predicate.leading_equalities(layout.keys)
    done: list[str] = []
    for column in layout.columns:
        key = escape(column.name)
        if "%" in key or not _is_plain(column.name):
            break
        is_text = isinstance(column.type, VarCharType)
        if column.name in fixed and fixed[column.name] is None:
            if not _is_plain(layout.default_name):
                break
            done.append(f"{key}={layout.default_name}")
            continue
        value = fixed.get(column.name)
        if isinstance(value, str) and is_text and _is_plain(value) and not is_blank(value):
            done.append(f"{key}={value}")
            continue
        beginning = _plain_part(_beginning(predicate, column.name)) if is_text else ""
        if not is_blank(beginning):
            return "/".join([*done, f"{key}={beginning}%"])
        break
    if len(done) == len(layout.columns):
        return "/".join(done) or None
    return "/".join([*done, "%"]) if done else None


def _beginning(predicate: Predicate, column: str) -> str:
    """What every value of a column of texts begins with when the filter holds."""
    found = ""
    lows: list[str] = []
    highs: list[str] = []
    for op, value in _bounds(predicate, column):
        if op in ("starts_with", "like"):
            found = max(found, value if op == "starts_with" else literal_prefix(value), key=len)
        if op in (">", ">=", "="):
            lows.append(value)
        if op in ("<", "<=", "="):
            highs.append(value)
    # Python compares code points, which is the order of the values.
    pairs = zip(max(lows), min(highs), strict=False) if lows and highs else ()
    between = "".join(low for low, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return max(found, between, key=len)


def _bounds(predicate: Predicate, column: str) -> Iterator[tuple[str, str]]:
    for part in predicate.conjuncts():
        if isinstance(part, Comparison) and part.column == column and isinstance(part.value, str):
            yield part.op, part.value
        elif isinstance(part, In) and part.column == column and part.values:
            yield ">=", str(min(part.values, key=str))
            yield "<=", str(max(part.values, key=str))
        elif not isinstance(part, In) and part.equality() is not None:
            name, value = part.equality() or ("", None)
            if name == column and isinstance(value, str):
                yield "=", value


def _is_plain(text: str) -> bool:
    return _plain_part(text) == text


def _plain_part(text: str) -> str:
    """The beginning of a text up to what is escaped in names, or is half of a character."""
    for at, char in enumerate(text):
        if escape(char) != char or "\ud800" <= char <= "\udfff":
            return text[:at]
    return text
