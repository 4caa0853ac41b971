"""Filters over partition columns, and which partitions they certainly exclude.

A filter arrives as a JSON tree and is evaluated when only some keys are known, level by level of a walk or
row by row of a registry. The answer is about excluding only: a partition is kept unless no row of it could
pass, and whoever reads the rows applies the whole filter again.

Examples
--------
>>> from spark_paimon.schema import Field, IntType, StringType
>>> columns = (Field(0, "dt", StringType()), Field(1, "hh", IntType()))
>>> tree = {"op": "and", "args": [{"op": "=", "column": "dt", "value": "x"},
...                               {"op": "<", "column": "hh", "value": 5}]}
>>> predicate = parse(tree, columns)
>>> predicate.may_match({"dt": "x"}), predicate.may_match({"dt": "x", "hh": 7})
(True, False)
>>> predicate.leading_equalities(("dt", "hh"))
{'dt': 'x'}
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import Any

from spark_paimon import errors
from spark_paimon.partition.like import like
from spark_paimon.partition.values import Value
from spark_paimon.schema.types import (
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    Field,
    IntegralType,
    LocalZonedTimestampType,
    TextType,
    TimestampType,
    TimeType,
)

# Sets of the outcomes that are still possible, as bits: a filter over unbound keys may be anything.
_TRUE, _FALSE, _NULL = 1, 2, 4
_ANY = _TRUE | _FALSE | _NULL
_BOOLEAN = _TRUE | _FALSE


def _lift(rule: Callable[[int, int], int]) -> tuple[tuple[int, ...], ...]:
    """Table of a rule over single outcomes, for all pairs of sets of outcomes."""
    singles = (_TRUE, _FALSE, _NULL)

    def combine(left: int, right: int) -> int:
        result = 0
        for one in singles:
            for other in singles:
                if one & left and other & right:
                    result |= rule(one, other)
        return result

    return tuple(tuple(combine(left, right) for right in range(_ANY + 1)) for left in range(_ANY + 1))


def _and(one: int, other: int) -> int:
    return _FALSE if _FALSE in (one, other) else _NULL if _NULL in (one, other) else _TRUE


def _or(one: int, other: int) -> int:
    return _TRUE if _TRUE in (one, other) else _NULL if _NULL in (one, other) else _FALSE


_AND, _OR = _lift(_and), _lift(_or)
_NOT = tuple((s & _NULL) | (_FALSE if s & _TRUE else 0) | (_TRUE if s & _FALSE else 0) for s in range(8))

Bound = Mapping[str, Value]


@dataclass(frozen=True)
class Predicate:
    """Filter over partition columns; the base of all nodes."""

    def outcomes(self, bound: Bound) -> int:
        """Set of possible outcomes, as bits, when the keys in `bound` have those values (None is NULL)."""
        return _ANY

    def may_match(self, bound: Bound) -> bool:
        """Whether some row of a partition with these key values could pass; absent keys may be anything.

        SQL rules for NULL hold: ``hh = 1`` does not pass where ``hh`` is NULL, ``hh <=> NULL`` does.
        """
        return self.outcomes(bound) & _TRUE != 0

    @property
    def always_false(self) -> bool:
        """Whether no row of any partition can pass, so that nothing needs to be looked at."""
        return not self.may_match({})

    def conjuncts(self) -> Iterator[Predicate]:
        """The parts that must all hold."""
        yield self

    def equality(self) -> tuple[str, Value] | None:
        """Column and value, when the filter holds for no other value of that column."""
        return None

    def leading_equalities(self, keys: Sequence[str]) -> dict[str, Value]:
        """Values that the leading run of keys must have for the filter to hold; None is NULL."""
        found: dict[str, Value] = {}
        for part in self.conjuncts():
            equality = part.equality()
            if equality is not None:
                found.setdefault(*equality)
        result: dict[str, Value] = {}
        for key in keys:
            if key not in found:
                break
            result[key] = found[key]
        return result


@dataclass(frozen=True)
class Unknown(Predicate):
    """Something that cannot be judged from partition values: keeps everything."""


@dataclass(frozen=True)
class Constant(Predicate):
    """True or false whatever the values."""

    value: bool

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        return _TRUE if self.value else _FALSE


@dataclass(frozen=True)
class And(Predicate):
    """All parts hold."""

    args: tuple[Predicate, ...]

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        return reduce(lambda known, part: _AND[known][part.outcomes(bound)], self.args, _TRUE)

    def conjuncts(self) -> Iterator[Predicate]:
        """See :meth:`Predicate.conjuncts`."""
        for part in self.args:
            yield from part.conjuncts()


@dataclass(frozen=True)
class Or(Predicate):
    """At least one part holds."""

    args: tuple[Predicate, ...]

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        return reduce(lambda known, part: _OR[known][part.outcomes(bound)], self.args, _FALSE)

    def equality(self) -> tuple[str, Value] | None:
        """See :meth:`Predicate.equality`."""
        return self.args[0].equality() if len(self.args) == 1 else None


@dataclass(frozen=True)
class Not(Predicate):
    """The part does not hold."""

    arg: Predicate

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        return _NOT[self.arg.outcomes(bound)]


@dataclass(frozen=True)
class IsNull(Predicate):
    """The column is NULL."""

    column: str

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        if self.column not in bound:
            return _BOOLEAN
        return _TRUE if bound[self.column] is None else _FALSE

    def equality(self) -> tuple[str, Value] | None:
        """See :meth:`Predicate.equality`."""
        return self.column, None


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": operator.contains,
    "like": like,
}
#: Operations that look at parts of a text: their literals are not padded.
TEXT_OPERATIONS = ("starts_with", "ends_with", "contains", "like")


@dataclass(frozen=True)
class Comparison(Predicate):
    """The column compared with a literal; NULL on either side gives NULL.

    Parameters
    ----------
    op
        One of ``= < <= > >=``, or of :data:`TEXT_OPERATIONS` on a column of texts.
    pad
        Length of a CHAR column, 0 for other types. SQL compares CHAR as if padded, but whether values are
        stored padded differs between writers: only what fails both ways is excluded.
    """

    op: str
    column: str
    value: Value
    pad: int = 0

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        if self.value is None:
            return _NULL
        if self.column not in bound:
            return _ANY
        value = bound[self.column]
        if value is None:
            return _NULL
        compare = _COMPARE[self.op]
        outcome = _TRUE if compare(value, self.value) else _FALSE
        if self.pad:
            literal = self.value if self.op in TEXT_OPERATIONS else str(self.value).ljust(self.pad)
            outcome |= _TRUE if compare(str(value).ljust(self.pad), literal) else _FALSE
        return outcome

    def equality(self) -> tuple[str, Value] | None:
        """See :meth:`Predicate.equality`."""
        return (self.column, self.value) if self.op == "=" and self.value is not None else None


@dataclass(frozen=True)
class NullSafeEqual(Predicate):
    """The column equals a literal, where NULL equals NULL."""

    column: str
    value: Value
    pad: int = 0

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        if self.column not in bound:
            return _BOOLEAN
        value = bound[self.column]
        if value is None or self.value is None:
            return _TRUE if value is self.value else _FALSE
        return Comparison("=", self.column, self.value, self.pad).outcomes(bound)

    def equality(self) -> tuple[str, Value] | None:
        """See :meth:`Predicate.equality`."""
        return self.column, self.value


@dataclass(frozen=True)
class In(Predicate):
    """The column equals one of some literals.

    Parameters
    ----------
    values
        The literals that are not NULL.
    has_null
        Whether NULL was among the literals: then the filter is NULL where it is not true.
    """

    column: str
    values: frozenset[Value]
    has_null: bool = False
    pad: int = 0

    def outcomes(self, bound: Bound) -> int:
        """See :meth:`Predicate.outcomes`."""
        missed = _NULL if self.has_null else _FALSE
        if not self.values and not self.has_null:
            return _FALSE
        if self.column not in bound:
            return (_TRUE if self.values else 0) | missed | _NULL
        value = bound[self.column]
        if value is None:
            return _NULL
        if value in self.values:
            return _TRUE
        if self.pad and str(value).ljust(self.pad) in {str(other).ljust(self.pad) for other in self.values}:
            return _TRUE | missed
        return missed

    def equality(self) -> tuple[str, Value] | None:
        """See :meth:`Predicate.equality`."""
        return (self.column, next(iter(self.values))) if len(self.values) == 1 else None


def parse(tree: Mapping[str, Any] | None, columns: Iterable[Field]) -> Predicate:
    """The predicate of a JSON tree.

    What cannot be judged from partition values (another column, an unknown operation) keeps everything.

    Parameters
    ----------
    tree
        Nodes ``{"op": "and"|"or", "args": [...]}``, ``{"op": "not", "arg": ...}``,
        ``{"op": "="|"<=>"|"<"|"<="|">"|">="|"starts_with"|"ends_with"|"contains"|"like",
        "column": ..., "value": ...}``,
        ``{"op": "in", "column": ..., "values": [...]}``, ``{"op": "is_null"|"is_not_null", "column": ...}``,
        ``{"op": "true"|"false"|"unknown"}``; None is true.
    columns
        The partition columns.

    Raises
    ------
    InvalidInputError
        The tree is malformed, or a literal is not of its column's type.
    """
    if tree is None:
        return Constant(True)
    return _Parser({column.name: column for column in columns}).node(tree)


class _Parser:
    def __init__(self, columns: Mapping[str, Field]) -> None:
        self.columns = columns

    def node(self, tree: Any) -> Predicate:
        if not isinstance(tree, Mapping) or "op" not in tree:
            raise _invalid(tree, "it has no operation")
        op = tree["op"]
        try:
            if op in ("true", "false"):
                return Constant(op == "true")
            if op in ("and", "or"):
                args = tuple(self.node(arg) for arg in tree["args"])
                return And(args) if op == "and" else Or(args)
            if op == "not":
                return Not(self.node(tree["arg"]))
            if op in _COMPARE or op in ("<=>", "in", "is_null", "is_not_null"):
                column = self.columns.get(tree["column"])
                return Unknown() if column is None else self.leaf(op, column, tree)
        except KeyError as missing:
            raise _invalid(tree, f"{missing} is missing") from missing
        return Unknown()

    def leaf(self, op: str, column: Field, tree: Mapping[str, Any]) -> Predicate:
        name, kind = column.name, column.type
        pad = kind.length if isinstance(kind, CharType) else 0
        if op == "is_null":
            return IsNull(name)
        if op == "is_not_null":
            return Not(IsNull(name))
        if op == "in":
            values = [_literal(value, kind, tree) for value in tree["values"]]
            return In(name, frozenset(v for v in values if v is not None), None in values, pad)
        if op in TEXT_OPERATIONS and not isinstance(kind, TextType):
            return Unknown()
        value = _literal(tree["value"], kind, tree)
        if op == "<=>":
            return NullSafeEqual(name, value, pad)
        return Comparison(op, name, value, pad)


_NUMBERS = (IntegralType, DateType, TimeType, TimestampType, LocalZonedTimestampType)


def _literal(value: Any, kind: DataType, tree: Any) -> Value:
    if value is None:
        return None
    if isinstance(kind, TextType) and isinstance(value, str):
        return value
    if isinstance(kind, BooleanType) and isinstance(value, bool):
        return value
    if isinstance(kind, _NUMBERS) and isinstance(value, int) and not isinstance(value, bool):
        return value
    if (
        isinstance(kind, DecimalType)
        and isinstance(value, (str, int, Decimal))
        and not isinstance(value, bool)
    ):
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return number
    raise _invalid(tree, f"{value!r} is not a {kind.bare_sql()} value")


def _invalid(tree: Any, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("PARTITION_PREDICATE_INVALID", node=tree, reason=reason)
