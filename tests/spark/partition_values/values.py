"""Partition values that are hard to get right, with the text that each of them must have on disk."""

from __future__ import annotations

from dataclasses import dataclass, field

DEFAULT_NAME = "__DEFAULT_PARTITION__"
_ESCAPED = {*map(chr, range(0x20)), "\x7f", *"\"#%'*/:=?\\{}[]^"}


def escaped(text: str) -> str:
    """A key or value as a component of a path, by the table of the specification and not by the product's."""
    return "".join(f"%{ord(char):02X}" if char in _ESCAPED else char for char in text)


def quoted(text: str) -> str:
    """A SQL literal of a text. A ``$`` is spelled out, because Spark would substitute ``${…}``."""
    inner = text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
    return f"'{inner}'"


@dataclass(frozen=True)
class Value:
    """One value of a partition column.

    Parameters
    ----------
    sql
        Expression of the value in a row.
    text
        What directory and registry hold, unescaped; None where that is the name of the NULL partition.
    forms
        Literals of a PARTITION clause that mean the value; the first one does so in an INSERT as well.
    """

    sql: str
    text: str | None
    forms: tuple[str, ...]

    @property
    def form(self) -> str:
        """One literal for a PARTITION clause, another one for different values where there are several."""
        return self.forms[len(self.sql) % len(self.forms)]

    @property
    def stored_form(self) -> str:
        """The same for statements in which Spark casts the literal, and for which NULL is the only NULL."""
        return self.forms[0] if self.text is None else self.form


@dataclass(frozen=True)
class Kind:
    """A column type with its values; ``others`` are literals that no row has.

    ``nulls`` are values that a row may have and a PARTITION clause must not: they are stored as NULL.
    """

    name: str
    ddl: str
    values: tuple[Value, ...]
    others: tuple[str, ...]
    nulls: tuple[str, ...] = ()
    is_text: bool = field(default=False)

    def null(self) -> Value:
        """NULL, which has two names in a PARTITION clause."""
        return Value(f"CAST(NULL AS {self.ddl})", None, ("NULL", quoted(DEFAULT_NAME)))


BLANKS = ("", " ", "   ", "\t", "\n", "\u3000", "\u2003 ")

# Beyond the list of section K: every escaped character, blanks that are none, look-alikes, names of our own.
TEXTS = (
    *("01", "1", "-1", "1.50", "2024-1-5", "a/b", "a=b", "a:b", "a%b", "a%2Fb", "a%2fb", "é", "e\u0301"),
    *("😀", "👩‍👩‍👧", "line\nbreak", "\\", "a\\b", "'", '"', "a'b\"c", "../x", "_x", "_temporary", ".x"),
    *(
        "*",
        "[x]",
        "{x}",
        "A",
        "a",
        "?",
        "#",
        "+",
        "&",
        "a b",
        " a",
        "a ",
        "a\tb",
        "\x00",
        "\x01",
        "\x7f",
        "^",
    ),
    *(
        "\u00a0",
        "\u0085",
        "\u200b",
        "\ufeff",
        "中文 value",
        "null",
        "NULL",
        "None",
        "true",
        "${env:HOME}",
        "`",
    ),
    *(
        ";",
        "--",
        "p=1",
        "p=",
        "=",
        "%",
        "%%",
        "%2",
        "%zz",
        "%25",
        "a//b",
        "/",
        "/a",
        "a/",
        "~",
        "C:\\x",
        "a,b",
    ),
    *(
        "http://x/y?z=1#f",
        "_SUCCESS",
        "x" * 240,
        "é" * 110,
        "__HIVE_DEFAULT_PARTITION__",
        "a&b",
    ),
    *("schema.x", "|", "<>", "a\r\nb", "0", "00", "-0", "1e3", "ß", "ẞ", "\u0131", "\u0130", "\u202eabc"),
)
# No path, or not one of a format table, in value-only layout; harmless behind `p=`.
NO_PATHS = (".", "..", "_delta_log")


def _texts(*texts: str, forms: tuple[str, ...] = ()) -> tuple[Value, ...]:
    return tuple(Value(quoted(text), text, (quoted(text), *forms)) for text in texts)


def _typed(literal: str, *texts: str) -> tuple[Value, ...]:
    return tuple(Value(literal.format(text), text, (quoted(text),)) for text in texts)


def _integers(name: str, ddl: str, bits: int) -> Kind:
    high = (1 << (bits - 1)) - 1
    numbers = (0, 1, -1, 12, 100, high, -high - 1)
    values = tuple(
        Value(f"CAST('{n}' AS {ddl})", str(n), (str(n), f"'{n}'", f"'{'-' * (n < 0)}000{abs(n)}'"))
        for n in numbers
    )
    return Kind(name, ddl, values, (f"CAST(7 AS {ddl})", f"CAST(-9 AS {ddl})"))


def _decimals(name: str, ddl: str, *texts: str) -> Kind:
    values = tuple(Value(f"CAST('{t}' AS {ddl})", t, (f"'{t}'", f"' {t}'")) for t in texts)
    return Kind(name, ddl, values, (f"CAST('0.5' AS {ddl})", f"CAST('-0.25' AS {ddl})"))


def _padded(text: str) -> Value:
    padded = text.ljust(3)
    return Value(quoted(text), padded, (quoted(text), quoted(padded)))


_DAYS = (
    *("2024-01-05", "0001-01-01", "0099-12-31", "1500-02-28", "1582-10-04", "1582-10-10", "1582-10-15"),
    *("1900-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"),
)
_TIMES = (
    *("2024-01-05 00:00:00.000000", "0001-01-01 00:00:00.000000", "1500-02-28 23:59:59.999999"),
    *("1582-10-10 12:30:00.000000", "1900-01-01 00:00:00.000000", "1969-12-31 23:59:59.999999"),
    *("2024-03-10 02:30:00.000000", "2024-01-05 10:20:30.120000", "9999-12-31 23:59:59.999999"),
)


def _day(text: str) -> Value:
    year, month, day = text.split("-")
    return Value(f"DATE'{text}'", text, (quoted(text), f"DATE'{text}'", f"'{year}-{int(month)}-{int(day)}'"))


def _time(text: str) -> Value:
    return Value(f"TIMESTAMP_NTZ'{text}'", text, (quoted(text), f"TIMESTAMP_NTZ'{text}'"))


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("string", "STRING", _texts(*TEXTS, *NO_PATHS), ("'zzz'", "'%2F'"), BLANKS, True),
        Kind(
            "varchar",
            "VARCHAR(40)",
            _texts(*(t for t in TEXTS[::3] if len(t) <= 40), "a" * 40),
            ("'zzz'", "'y'"),
            BLANKS[:3],
            True,
        ),
        Kind(
            "char",
            "CHAR(3)",
            tuple(_padded(t) for t in (*(t for t in TEXTS if len(t.rstrip(" ")) <= 3 and t != "a "), "abc")),
            ("'zzz'", "'y'"),
            ("", "   "),
            True,
        ),
        _integers("tinyint", "TINYINT", 8),
        _integers("smallint", "SMALLINT", 16),
        _integers("int", "INT", 32),
        _integers("bigint", "BIGINT", 64),
        _decimals(
            "decimal",
            "DECIMAL(10,2)",
            *("1.50", "-1.50", "0.00", "0.01", "-0.01", "12.00", "99999999.99", "-99999999.99"),
        ),
        _decimals(
            "decimal38",
            "DECIMAL(38,10)",
            *("1.5000000000", "-" + "9" * 28 + "." + "9" * 10, "9" * 28 + "." + "9" * 10, "0.0000000001"),
            *("-0.0000000001", "0.0000000000", "1234567890123456789012345678.0123456789"),
        ),
        _decimals("decimal38_0", "DECIMAL(38,0)", "9" * 38, "-" + "9" * 38, "0", "1" + "0" * 37, "-1"),
        _decimals("decimal38_38", "DECIMAL(38,38)", "0." + "9" * 38, "-0." + "0" * 37 + "1", "0." + "0" * 38),
        Kind("date", "DATE", tuple(map(_day, _DAYS)), ("DATE'2000-01-01'", "DATE'1582-10-11'")),
        Kind(
            "timestamp_ntz",
            "TIMESTAMP_NTZ",
            tuple(map(_time, _TIMES)),
            ("TIMESTAMP_NTZ'2000-01-01 00:00:00'", "TIMESTAMP_NTZ'2024-01-05 10:20:30'"),
        ),
        Kind(
            "boolean",
            "BOOLEAN",
            (Value("true", "true", ("true", "'TRUE'")), Value("false", "false", ("false", "'FALSE'"))),
            ("NOT true",),
        ),
    )
}
