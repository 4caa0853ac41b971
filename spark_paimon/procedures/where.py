"""Conditions on partition columns, as the ``where`` argument of a procedure writes them.

A small part of SQL: ``=  ==  <=>  <>  !=  <  <=  >  >=``, ``[NOT] IN (…)``, ``[NOT] BETWEEN … AND …``,
``[NOT] LIKE 'prefix%'``, ``IS [NOT] NULL``, ``AND``, ``OR``, ``NOT`` and parentheses, over partition
columns and literals. Anything else is an error that shows the place: a condition that deletes partitions
must not be guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

from spark_paimon import errors
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.values import literal_value
from spark_paimon.schema import Field, TextType

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>'(?:[^']|'')*'|"(?:[^"]|"")*")
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+))
      | (?P<quoted>`(?:[^`]|``)+`)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><=>|<=|>=|<>|!=|==|=|<|>|\(|\)|,)
    )""",
    re.VERBOSE,
)
_COMPARISONS = {
    "=": "=",
    "==": "=",
    "<=>": "<=>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "<>": "<>",
    "!=": "<>",
}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TYPED = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_KEYWORDS = frozenset(("AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "LIKE", "TRUE", "FALSE"))

Tree = dict[str, Any]


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int

    @property
    def keyword(self) -> str:
        upper = self.text.upper()
        return upper if self.kind == "word" and upper in _KEYWORDS else ""


def parse_where(text: str, layout: PartitionLayout, table: str, case_sensitive: bool = False) -> Tree:
    """Read a condition.

    Returns
    -------
    dict
        The tree that :mod:`spark_paimon.partition.predicate` reads.

    Raises
    ------
    InvalidInputError
        ``WHERE_MALFORMED`` with the position, or a literal that is no value of its column's type.
    NoSuchColumnError
        A name is no partition column.

    Examples
    --------
    >>> from spark_paimon.schema import IntType
    >>> layout = PartitionLayout((Field(0, "hh", IntType()),))
    >>> parse_where("hh >= 10 AND hh <> '12'", layout, "db.t")["op"]
    'and'
    """
    return _Parser(text, layout, table, case_sensitive).parse()


class _Parser:
    def __init__(self, text: str, layout: PartitionLayout, table: str, case_sensitive: bool) -> None:
        self._text = text
        self._layout = layout
        self._table = table
        self._case_sensitive = case_sensitive
        self._columns = {column.name: column for column in layout.columns}
        self._tokens = self._split()
        self._next = 0

    def parse(self) -> Tree:
        tree = self._either()
        if self._token.kind != "end":
            self._fail("expected AND, OR or the end")
        return tree

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = 0
        end = len(self._text.rstrip())
        while position < end:
            found = _TOKEN.match(self._text, position)
            if found is None:
                start = position + len(self._text[position:]) - len(self._text[position:].lstrip())
                self._fail("this cannot begin a word, a number or a text", start)
            kind = str(found.lastgroup)
            tokens.append(_Token(kind, found[kind], found.start(kind)))
            position = found.end()
        tokens.append(_Token("end", "", end))
        # `date` alone may well be a column; before a quoted text it is the type of a literal.
        return [
            _Token("typed", token.text, token.position)
            if token.text.upper() in _TYPED and token.kind == "word" and following.kind == "string"
            else token
            for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True)
        ]

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _fail(self, reason: str, position: int | None = None) -> NoReturn:
        at = self._token.position if position is None else position
        raise errors.InvalidInputError(
            "WHERE_MALFORMED",
            table=self._table,
            position=at + 1,
            reason=reason,
            text=self._text,
            marker=" " * at + "^",
        )

    def _take(self, word: str) -> bool:
        """Step over a keyword or sign if it is next."""
        token = self._token
        if token.keyword == word or (token.kind == "sign" and token.text == word):
            self._next += 1
            return True
        return False

    def _require(self, word: str) -> None:
        if not self._take(word):
            self._fail(f"expected {word}")

    def _either(self) -> Tree:
        return self._joined("or", "OR", self._both)

    def _both(self) -> Tree:
        return self._joined("and", "AND", self._negated)

    def _joined(self, op: str, word: str, operand: Callable[[], Tree]) -> Tree:
        operands = [operand()]
        while self._take(word):
            operands.append(operand())
        return operands[0] if len(operands) == 1 else {"op": op, "args": operands}

    def _negated(self) -> Tree:
        if self._take("NOT"):
            return _not(self._negated())
        if self._take("("):
            tree = self._either()
            self._require(")")
            return tree
        return self._condition()

    def _condition(self) -> Tree:
        if not self._at_column():
            return self._flipped()
        column = self._column()
        if self._take("IS"):
            negated = self._take("NOT")
            self._require("NULL")
            return {"op": "is_not_null" if negated else "is_null", "column": column.name}
        negated = self._take("NOT")
        if self._take("IN"):
            tree = self._among(column)
        elif self._take("BETWEEN"):
            low = self._compared(column, ">=")
            self._require("AND")
            tree = {"op": "and", "args": [low, self._compared(column, "<=")]}
        elif self._take("LIKE"):
            tree = self._like(column)
        elif negated:
            self._fail("expected IN, BETWEEN or LIKE")
        else:
            tree = self._compared(column, self._comparison())
        return _not(tree) if negated else tree

    def _comparison(self) -> str:
        token = self._token
        if token.kind != "sign" or token.text not in _COMPARISONS:
            self._fail("expected a comparison, IN, BETWEEN, LIKE or IS")
        self._next += 1
        return _COMPARISONS[token.text]

    def _flipped(self) -> Tree:
        """``literal op column``: the literal can only be read once the column is known."""
        start = self._next
        self._skip_literal()
        op = self._comparison()
        column = self._column()
        end, self._next = self._next, start
        tree = self._compared(column, _FLIPPED.get(op, op))
        self._next = end
        return tree

    def _skip_literal(self) -> None:
        if self._token.kind == "typed":
            self._next += 1
        token = self._token
        if token.kind not in ("string", "number") and token.keyword not in ("TRUE", "FALSE", "NULL"):
            self._fail("expected a partition column or a literal")
        self._next += 1

    def _compared(self, column: Field, op: str) -> Tree:
        value = self._literal(column, null_allowed=op == "<=>")
        if value is None:
            return {"op": "is_null", "column": column.name}
        if op == "<>":
            return _not({"op": "=", "column": column.name, "value": value})
        return {"op": op, "column": column.name, "value": value}

    def _among(self, column: Field) -> Tree:
        self._require("(")
        values = [self._literal(column)]
        while self._take(","):
            values.append(self._literal(column))
        self._require(")")
        return {"op": "in", "column": column.name, "values": values}

    def _like(self, column: Field) -> Tree:
        token = self._token
        if token.kind != "string" or not isinstance(column.type, TextType):
            self._fail("LIKE needs a STRING column and a quoted pattern")
        pattern = _unquoted(token.text)
        parts = re.findall(r"\\.|.", pattern, re.DOTALL)
        prefix = parts[:-1] if parts and parts[-1] == "%" else parts
        if any(part in ("%", "_", "\\") for part in prefix):
            self._fail("only patterns with one % at the end can be used")
        self._next += 1
        text = "".join(part[-1] for part in prefix)
        if prefix is parts:
            return {"op": "=", "column": column.name, "value": text}
        return {"op": "starts_with", "column": column.name, "value": text}

    def _at_column(self) -> bool:
        token = self._token
        return token.kind == "quoted" or (token.kind == "word" and not token.keyword)

    def _column(self) -> Field:
        if not self._at_column():
            self._fail("expected a partition column")
        token = self._token
        if self._tokens[self._next + 1].text == "(":
            self._fail("functions cannot be used")
        self._next += 1
        name = _unquoted(token.text) if token.kind == "quoted" else token.text
        return self._columns[self._layout.resolve(name, self._table, self._case_sensitive)]

    def _literal(self, column: Field, null_allowed: bool = False) -> Any:
        if self._token.kind == "typed":
            self._next += 1
        token = self._token
        if token.kind == "string":
            text = _unquoted(token.text)
        elif token.kind == "number":
            text = token.text
            if isinstance(column.type, TextType):
                self._fail(
                    f"{column.name} is a {column.type.bare_sql()} column, so quote the value: '{text}'"
                )
        elif token.keyword in ("TRUE", "FALSE"):
            text = token.text.lower()
        elif token.keyword == "NULL" and null_allowed:
            self._next += 1
            return None
        else:
            hint = f"; nothing equals NULL, write {column.name} IS NULL" if token.keyword == "NULL" else ""
            self._fail("expected a literal" + hint)
        self._next += 1
        value = literal_value(text, column.type, column.name, self._table)
        return str(value) if isinstance(value, Decimal) else value


def _not(tree: Tree) -> Tree:
    return {"op": "not", "arg": tree}


def _unquoted(text: str) -> str:
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)
