"""Reading the partitions of a table page by page.

A page costs what its rows cost, however many partitions the table has: it is a range of one of the two
indexes over partitions, which begins behind the row at which the page before ended. A pattern is a range of
names, and values that a filter fixes for the leading keys are a range of canonical names; the narrower of the
two is walked and the other tested on the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select
from sqlalchemy.engine import Connection, Row
from sqlalchemy.sql import ColumnElement, Select

from spark_paimon import errors
from spark_paimon.catalog import partition_store, registration
from spark_paimon.catalog.models import PartitionPage, Spec
from spark_paimon.catalog.registration import TableContext
from spark_paimon.catalog.tables import partitions

if TYPE_CHECKING:
    from spark_paimon.partition.predicate import Predicate

LOOKED_AT = 10_000
"""Rows that are looked at for one page at most; with a filter that keeps few of them it is short or empty."""

_STEP = 1_000
_LAST_CHARACTER = "\U0010ffff"


@dataclass(frozen=True)
class Pattern:
    """Which names are wanted: one, or all that begin with a text.

    Examples
    --------
    >>> Pattern.parse("dt=2025-01-01/%", "db.t")
    Pattern(text='dt=2025-01-01/', is_prefix=True)
    >>> Pattern.parse("k_1=a", "db.t").matches("kx1=a")
    False
    """

    text: str
    is_prefix: bool

    @classmethod
    def parse(cls, pattern: str, table: object) -> Pattern:
        r"""Read ``name`` or ``beginning%``; ``_`` is an ordinary character, ``\`` takes the next as it is.

        Raises
        ------
        InvalidInputError
            ``PARTITION_PATTERN_INVALID``: a ``%`` before the end, or a text that no name can hold.
        """
        text = ""
        characters = iter(pattern)
        for character in characters:
            if character == "%":
                if next(characters, None) is not None:
                    raise _bad_pattern(pattern, table, "a '%' may only be its last character")
                return cls(_storable(text, pattern, table), True)
            text += next(characters, "\\") if character == "\\" else character
        return cls(_storable(text, pattern, table), False)

    def matches(self, name: str) -> bool:
        """Whether a name is wanted."""
        return name.startswith(self.text) if self.is_prefix else name == self.text


def _storable(text: str, pattern: str, table: object) -> str:
    if "\0" in text or not _is_text(text):
        raise _bad_pattern(ascii(pattern), table, "it holds a character that no name can hold")
    return text


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _bad_pattern(pattern: str, table: object, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("PARTITION_PATTERN_INVALID", pattern=pattern, table=table, reason=reason)


def behind(prefix: str) -> str | None:
    """First text, by code points, behind all that begin with ``prefix``; None where none follows.

    Examples
    --------
    >>> behind("dt=1"), behind("dt=1/"), behind("")
    ('dt=2', 'dt=10', None)
    """
    kept = prefix.rstrip(_LAST_CHARACTER)
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    # No text holds surrogates.
    return kept[:-1] + chr(0xE000 if following == 0xD800 else following)


@dataclass(frozen=True)
class Position:
    """The last row of a page."""

    name: str
    canonical_name: str

    @classmethod
    def parse(cls, token: str, context: TableContext) -> Position:
        """Read a token. The row itself may be gone.

        Raises
        ------
        InvalidInputError
            ``PAGE_TOKEN_INVALID``.
        """
        try:
            spec = context.layout.parse_name(token)
            position = cls(token, context.layout.canonical_name(spec))
            if context.layout.name(spec) == token and _is_text(token):
                return position
        except errors.InvalidInputError:
            pass
        raise errors.InvalidInputError("PAGE_TOKEN_INVALID", token=ascii(token), table=context.identifier)


@dataclass(frozen=True)
class PageQuery:
    """Which rows are walked, in which order, and which of them are kept.

    Parameters
    ----------
    pattern, predicate
        What the rows must match; None is anything.
    leading
        Canonical name of the leading run of keys, when these rows are walked; None to walk names.
    complete
        Whether it names all keys.
    """

    table_id: int
    context: TableContext
    pattern: Pattern | None
    predicate: Predicate | None
    leading: str | None
    complete: bool

    @classmethod
    def plan(
        cls, table_id: int, context: TableContext, pattern: Pattern | None, predicate: Predicate | None
    ) -> PageQuery:
        """Choose the narrower of the two ranges; the choice depends on nothing else than the question."""
        leading, complete = None, False
        if predicate is not None and (pattern is None or pattern.is_prefix):
            fixed = context.layout.prefix(predicate.leading_equalities(context.layout.keys))
            if fixed:
                leading, complete = registration.prefix_names(context, fixed)
        if pattern is not None and leading is not None and len(pattern.text) > len(leading):
            leading, complete = None, False
        return cls(table_id, context, pattern, predicate, leading, complete)

    def select(self, after: Position | None, count: int) -> Select[Any]:
        """Query for the next rows."""
        query = select(*partition_store.PARTITION_COLUMNS).where(partitions.c.table_id == self.table_id)
        if self.leading is None:
            query = query.where(*self._names(after)).order_by(partitions.c.name)
        else:
            query = query.where(*self._canonical_names(self.leading, after))
            query = query.order_by(partitions.c.canonical_name, partitions.c.name)
        return query.limit(count)

    def _names(self, after: Position | None) -> list[ColumnElement[bool]]:
        column = partitions.c.name
        low, conditions = "", list[ColumnElement[bool]]()
        if self.pattern is not None:
            low = self.pattern.text
            end = behind(low)
            if not self.pattern.is_prefix:
                conditions.append(column <= low)
            elif end is not None:
                conditions.append(column < end)
        # One lower bound: of two, the database may begin its walk at the wrong one.
        if after is not None and after.name >= low:
            conditions.append(column > after.name)
        elif low:
            conditions.append(column >= low)
        return conditions

    def _canonical_names(self, leading: str, after: Position | None) -> list[ColumnElement[bool]]:
        column = partitions.c.canonical_name
        low = leading if self.complete else leading + "/"
        end = behind(low)
        upper = column <= low if self.complete or end is None else column < end
        if after is None or after.canonical_name < low:
            return [upper, column >= low]
        return [
            upper,
            column >= after.canonical_name,
            or_(column > after.canonical_name, partitions.c.name > after.name),
        ]

    def keeps(self, name: str, spec: Spec) -> bool:
        """Whether a row that was walked belongs to the answer."""
        if self.leading is not None and self.pattern is not None and not self.pattern.matches(name):
            return False
        return self.predicate is None or self.predicate.may_match(self.context.layout.values(spec))


def read_page(connection: Connection, query: PageQuery, after: Position | None, limit: int) -> PartitionPage:
    """Read the page behind a row; see :meth:`.EmbeddedCatalog.partitions_page`."""
    if query.predicate is None:
        rows = connection.execute(query.select(after, limit + 1)).fetchall()
        page = rows[:limit]
        found = partition_store.read_partitions(page, partition_store.specs_of(page))
        return PartitionPage(found, page[-1].name if len(rows) > limit else None)
    found = []
    remaining = LOOKED_AT
    while True:
        count = min(max(limit - len(found), _STEP), remaining)
        rows = connection.execute(query.select(after, count + 1)).fetchall()
        kept: list[tuple[Row[Any], Spec]] = []
        looked_at = 0
        for row, spec in zip(rows[:count], partition_store.specs_of(rows[:count]), strict=True):
            looked_at += 1
            if query.keeps(row.name, spec):
                kept.append((row, spec))
                if len(found) + len(kept) == limit:
                    break
        found += partition_store.read_partitions([row for row, _ in kept], [spec for _, spec in kept])
        remaining -= looked_at
        if looked_at == len(rows):
            return PartitionPage(found)
        last = rows[looked_at - 1].name
        if len(found) == limit or remaining <= 0:
            return PartitionPage(found, last)
        after = Position.parse(last, query.context)
