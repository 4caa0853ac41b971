"""Filters over partition columns, as the JSON text in which Paimon's clients send them.

Either direction may widen a filter and never narrows it: whoever asks checks every partition of the answer
again. So a part that cannot be said, or is not understood, counts as true.

Examples
--------
>>> from spark_paimon.partition.predicate import Comparison
>>> from spark_paimon.schema import Field, IntType, StringType
>>> keys = (Field(0, "dt", StringType()), Field(1, "hh", IntType()))
>>> text = filter_to_json(Not(Comparison("<", "hh", 5)), keys)
>>> filter_from_json(text, keys)
Comparison(op='>=', column='hh', value=5, pad=0)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.wire.literals import NotUnderstoodError, is_exact, literal_text, read_literal
from spark_paimon.partition import Value
from spark_paimon.partition.like import is_well_formed
from spark_paimon.partition.predicate import (
    TEXT_OPERATIONS,
    And,
    Comparison,
    Constant,
    In,
    IsNull,
    Not,
    NullSafeEqual,
    Or,
    Predicate,
)
from spark_paimon.schema import CharType, Field, IntegralType, TextType, parse_type

LONGEST = 1 << 20
"""Characters of a filter that is sent or looked at."""

DEEPEST = 64
"""Levels of a filter, where AND in AND and OR in OR are one level."""

_MOST_LITERALS = 1000

_OPERATIONS = {
    "=": "EQUAL",
    "<": "LESS_THAN",
    "<=": "LESS_OR_EQUAL",
    ">": "GREATER_THAN",
    ">=": "GREATER_OR_EQUAL",
    "starts_with": "STARTS_WITH",
    "ends_with": "ENDS_WITH",
    "contains": "CONTAINS",
    "like": "LIKE",
}
_OPPOSITES = {
    "=": "NOT_EQUAL",
    "<": "GREATER_OR_EQUAL",
    "<=": "GREATER_THAN",
    ">": "LESS_OR_EQUAL",
    ">=": "LESS_THAN",
}

# What can be said about a part: None where everything passes, this text where nothing does.
_NOTHING = '{"kind":"LEAF","transform":{"name":"NULL"},"function":"FALSE","literals":[]}'


def filter_to_json(predicate: Predicate, fields: Sequence[Field]) -> str | None:
    """The text of a filter that lets through all that `predicate` does.

    Parameters
    ----------
    fields
        The partition columns in key order.

    Returns
    -------
    str or None
        None when every partition passes all that can be said, or it would take more than :data:`LONGEST`.
    """
    text = _Writer(fields).passing(predicate, DEEPEST)
    return text if text is not None and len(text) <= LONGEST else None


def filter_from_json(text: str, fields: Sequence[Field]) -> Predicate:
    """The filter that a text stands for.

    Parameters
    ----------
    text
        From a client; may be anything.
    fields
        The partition columns in key order. They are known by name.

    Returns
    -------
    Predicate
        ``Constant(True)`` for whatever is not understood, as a whole or in part.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        return Constant(True)
    try:
        tree = json.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        return Constant(True)
    return _Reader({field.name: field for field in fields}).node(tree, DEEPEST)


class _Writer:
    """Texts that let through at least the rows for which a predicate is true, or for which it is false.

    Negation is not in the protocol, and SQL's NULL is neither true nor false: so NOT swaps the two questions.
    """

    def __init__(self, fields: Sequence[Field]) -> None:
        self.positions = {field.name: at for at, field in enumerate(fields)}
        self.fields = fields

    def passing(self, predicate: Predicate, depth: int, wanted: bool = True) -> str | None:
        """Text for the rows for which `predicate` is `wanted`."""
        if depth == 0:
            return None
        if isinstance(predicate, Not):
            return self.passing(predicate.arg, depth - 1, not wanted)
        if isinstance(predicate, Constant):
            return None if predicate.value == wanted else _NOTHING
        if isinstance(predicate, (And, Or)):
            parts = [self.passing(part, depth - 1, wanted) for part in _parts_of(predicate)]
            return _all(parts) if isinstance(predicate, And) == wanted else _any(parts)
        column = getattr(predicate, "column", None)
        if column not in self.positions:
            return None
        if isinstance(predicate, IsNull):
            return self.leaf("IS_NULL" if wanted else "IS_NOT_NULL", column)
        if isinstance(predicate, NullSafeEqual):
            return self.null_safe(predicate, wanted)
        if isinstance(predicate, In):
            return self.membership(predicate, wanted)
        return self.comparison(predicate, wanted) if isinstance(predicate, Comparison) else None

    def null_safe(self, predicate: NullSafeEqual, wanted: bool) -> str | None:
        if predicate.value is None:
            return self.passing(IsNull(predicate.column), 1, wanted)
        equal = self.comparison(Comparison("=", predicate.column, predicate.value, predicate.pad), wanted)
        return equal if wanted else _any([self.leaf("IS_NULL", predicate.column), equal])

    def membership(self, predicate: In, wanted: bool) -> str | None:
        if not predicate.values and not predicate.has_null:
            return _NOTHING if wanted else None
        if not predicate.values or (predicate.has_null and not wanted):
            return _NOTHING
        kind = self.type(predicate.column)
        if not is_exact(kind) or (isinstance(kind, CharType) and not wanted):
            return self.leaf("IS_NOT_NULL", predicate.column)
        values: list[Any] = sorted(predicate.values, key=lambda value: (value is not None, value))
        if len(values) > _MOST_LITERALS:
            if not wanted or isinstance(kind, CharType):
                return self.leaf("IS_NOT_NULL", predicate.column)
            return self.leaf("BETWEEN", predicate.column, [values[0], values[-1]])
        if isinstance(kind, CharType):
            return _any([self.comparison(Comparison("=", predicate.column, one), True) for one in values])
        return self.leaf("IN" if wanted else "NOT_IN", predicate.column, values)

    def comparison(self, predicate: Comparison, wanted: bool) -> str | None:
        op, column, value = predicate.op, predicate.column, predicate.value
        if value is None:
            return _NOTHING
        kind = self.type(column)
        if isinstance(kind, CharType):
            # Stored with its padding or without, by whoever: only a beginning is the same both ways.
            beginning = str(value).rstrip(" ")
            if wanted and beginning and op in ("=", "starts_with"):
                return self.leaf("STARTS_WITH", column, [beginning])
        elif is_exact(kind):
            function = _OPERATIONS[op] if wanted else _OPPOSITES.get(op)
            if function is not None and not (op == "like" and not is_well_formed(str(value))):
                return self.leaf(function, column, [value])
        return self.leaf("IS_NOT_NULL", column)

    def type(self, column: str) -> Any:
        return self.fields[self.positions[column]].type

    def leaf(self, function: str, column: str, values: Sequence[Value] = ()) -> str:
        at = self.positions[column]
        kind = self.fields[at].type
        reference = {"index": at, "name": column, "type": kind.to_json()}
        transform = json.dumps({"name": "FIELD_REF", "fieldRef": reference})
        literals = ",".join(literal_text(value, kind) for value in values)
        return f'{{"kind":"LEAF","transform":{transform},"function":"{function}","literals":[{literals}]}}'


def _parts_of(predicate: And | Or) -> list[Predicate]:
    # SQL of many conditions arrives as a chain of pairs, which would be as deep as it is long.
    found: list[Predicate] = []
    waiting: list[Predicate] = [predicate]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (And, Or)) and type(part) is type(predicate):
            waiting.extend(reversed(part.args))
        else:
            found.append(part)
    return found


def _all(parts: Sequence[str | None]) -> str | None:
    said = [part for part in parts if part is not None]
    if _NOTHING in said:
        return _NOTHING
    return _compound("AND", said) if said else None


def _any(parts: Sequence[str | None]) -> str | None:
    said = [part for part in parts if part is not None]
    if len(said) < len(parts):
        return None
    possible = [part for part in said if part != _NOTHING]
    return _compound("OR", possible) if possible else _NOTHING


def _compound(function: str, parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f'{{"kind":"COMPOUND","function":"{function}","children":[{",".join(parts)}]}}'


class _Reader:
    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.fields = fields

    def node(self, tree: Any, depth: int) -> Predicate:
        if isinstance(tree, Mapping) and depth > 0:
            kind, function = tree.get("kind"), tree.get("function")
            if kind == "COMPOUND" and function in ("AND", "OR"):
                children = _flattened(tree, function)
                if children is not None:
                    parts = tuple(self.node(child, depth - 1) for child in children)
                    return And(parts) if function == "AND" else Or(parts)
            if kind == "LEAF" and isinstance(function, str):
                try:
                    return self.leaf(function, tree)
                except (NotUnderstoodError, errors.PaimonError):
                    pass
        return Constant(True)

    def leaf(self, function: str, tree: Mapping[str, Any]) -> Predicate:
        transform, literals = tree.get("transform"), tree.get("literals")
        if not isinstance(transform, Mapping) or not isinstance(literals, (list, type(None))):
            raise NotUnderstoodError(function)
        if transform.get("name") == "NULL" and function == "FALSE":
            return Constant(False)
        if transform.get("name") != "FIELD_REF" or function not in _LEAVES:
            raise NotUnderstoodError(function)
        field = self.field(transform.get("fieldRef"))
        count, read = _LEAVES[function]
        values = [read_literal(literal, field.type) for literal in literals or ()]
        if count is not None and len(values) != count:
            raise NotUnderstoodError(function)
        return read(field, values)

    def field(self, reference: Any) -> Field:
        name = reference.get("name") if isinstance(reference, Mapping) else None
        field = self.fields.get(name) if isinstance(name, str) else None
        if field is None:
            raise NotUnderstoodError("column")
        named = reference.get("type")
        if named is not None:
            # Who takes the column for another type compares other values.
            kind = parse_type(named) if isinstance(named, str) else None
            both_whole = isinstance(kind, IntegralType) and isinstance(field.type, IntegralType)
            if kind is None or (type(kind) is not type(field.type) and not both_whole):
                raise NotUnderstoodError("type")
        return field


def _flattened(tree: Mapping[str, Any], function: str) -> list[Any] | None:
    """Children of a compound, those of children of the same function among them; None when malformed.

    Java chains pairs, so that a list of twenty values is twenty levels deep.
    """
    found: list[Any] = []
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping) and node.get("kind") == "COMPOUND" and node.get("function") == function:
            children = node.get("children")
            if not isinstance(children, list):
                return None
            waiting.extend(reversed(children))
        else:
            found.append(node)
    return found


def _pad(field: Field) -> int:
    return field.type.length if isinstance(field.type, CharType) else 0


def _comparison(op: str, field: Field, values: Sequence[Value]) -> Predicate:
    value = values[0]
    if op in TEXT_OPERATIONS and not isinstance(field.type, TextType):
        raise NotUnderstoodError(op)
    if op == "like" and value is not None and not is_well_formed(str(value)):
        raise NotUnderstoodError(op)
    return Comparison(op, field.name, value, _pad(field))


def _between(field: Field, values: Sequence[Value]) -> Predicate:
    low, high = values
    return And((_comparison(">=", field, [low]), _comparison("<=", field, [high])))


def _in(field: Field, values: Sequence[Value]) -> Predicate:
    known = frozenset(value for value in values if value is not None)
    return In(field.name, known, None in values, _pad(field))


def _negated(read: Callable[[Field, Sequence[Value]], Predicate]) -> Callable[..., Predicate]:
    return lambda field, values: Not(read(field, values))


def _is_null(field: Field, _: Sequence[Value]) -> Predicate:
    return IsNull(field.name)


# Function -> number of its literals, None for any; and what it makes of them.
_LEAVES: dict[str, tuple[int | None, Callable[[Field, Sequence[Value]], Predicate]]] = {
    **{function: (1, partial(_comparison, op)) for op, function in _OPERATIONS.items()},
    "NOT_EQUAL": (1, _negated(partial(_comparison, "="))),
    "BETWEEN": (2, _between),
    "NOT_BETWEEN": (2, _negated(_between)),
    "IN": (None, _in),
    "NOT_IN": (None, _negated(_in)),
    "IS_NULL": (0, _is_null),
    "IS_NOT_NULL": (0, _negated(_is_null)),
}
