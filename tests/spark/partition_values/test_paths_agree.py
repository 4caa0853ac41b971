"""Tasks in the JVM and Python spell a directory alike: thousands of random values, and real writes."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import pytest

from spark_paimon.bridge.tables import describe
from spark_paimon.partition import PartitionLayout
from spark_paimon.partition.values import Value
from spark_paimon.schema import Field, parse_type
from tests.spark.partition_values.tables import MANAGED, SEED, Tables, component
from tests.spark.partition_values.values import DEFAULT_NAME, NO_PATHS, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHARACTERS = (
    *map(chr, range(128)),
    *"\x85\xa0\u1680\u180e\u2000\u2007\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff",
    *"éßİıẞαЖא中𝒳😀🏳\u0301\u200d\ufe0f\ud7ff\ue000\ufffd\U0010ffff",
)
_WIDE = Context(prec=60)
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_MICROS_PER_DAY = 86_400_000_000
SETTINGS = [(value_only, legacy) for value_only in (False, True) for legacy in (False, True)]


def random_text(draw: random.Random) -> str:
    """A text, often nothing but blanks, often with an escape in it."""
    pool = draw.choice([CHARACTERS, CHARACTERS[:128], " \t\u3000\xa0\u2007", "%25aA=/F.", "._0a"])
    return "".join(draw.choice(pool) for _ in range(draw.choice([0, 1, 1, 2, 3, 8, 30])))


def random_decimal(draw: random.Random, precision: int, scale: int) -> Decimal:
    """A number with up to all digits of the type."""
    digits = draw.randrange(10 ** draw.randint(0, precision))
    return Decimal(digits if draw.random() < 0.5 else -digits).scaleb(-scale, context=_WIDE)


def random_micros(draw: random.Random) -> int:
    """A moment of the years 1 to 9999, often on a full second, never one that Java would take for an int."""
    day = draw.choice([draw.randint(_FIRST_DAY, _LAST_DAY), _FIRST_DAY, -141_432, 19_727, _LAST_DAY])
    unit = draw.choice([1, 1000, 1_000_000, 60_000_000, _MICROS_PER_DAY])
    micros = day * _MICROS_PER_DAY + draw.randrange(_MICROS_PER_DAY) // unit * unit
    return micros if abs(micros) > 2**31 else micros + 2**33


class Java:
    """The class that tasks use, called by reflection because nobody but a task needs it."""

    def __init__(self, spark: SparkSession, paths: dict[str, Any]) -> None:
        self.gateway = spark.sparkContext._gateway  # type: ignore[attr-defined]
        self.jvm = spark._jvm
        loader = self.jvm.Thread.currentThread().getContextClassLoader()
        kind = self.jvm.Class.forName("org.sparkpaimon.PartitionPaths", True, loader)
        methods = {method.getName(): method for method in kind.getDeclaredMethods()}
        for name in ("parse", "directory"):
            methods[name].setAccessible(True)
        node = self.jvm.com.fasterxml.jackson.databind.ObjectMapper().readTree(json.dumps(paths))
        self.instance = methods["parse"].invoke(None, self._array(self.jvm.Object, [node]))
        self.directory_of = methods["directory"]

    def _array(self, kind: Any, items: list[Any]) -> Any:
        array = self.gateway.new_array(kind, len(items))
        for at, item in enumerate(items):
            array[at] = item
        return array

    def directory(self, keys: list[str], values: list[Any], types: list[Any]) -> str:
        """Relative directory of Catalyst values."""
        names = self.jvm.java.util.ArrayList()
        for key in keys:
            names.add(key)
        arguments = [
            names,
            self._array(self.jvm.Object, values),
            self._array(self.jvm.org.apache.spark.sql.types.DataType, types),
        ]
        return str(self.directory_of.invoke(self.instance, self._array(self.jvm.Object, arguments)))


def _catalyst(spark: SparkSession, kind: str, value: Value) -> Any:
    jvm: Any = spark._jvm
    if value is None:
        return None
    if isinstance(value, str):
        return jvm.org.apache.spark.unsafe.types.UTF8String.fromString(value)
    if isinstance(value, Decimal):
        return jvm.org.apache.spark.sql.types.Decimal.apply(f"{value:f}")
    return value


def _spark_type(spark: SparkSession, kind: str) -> Any:
    types: Any = spark._jvm.org.apache.spark.sql.types  # type: ignore[union-attr]
    return types.DataType.fromDDL("STRING" if kind.startswith(("CHAR", "VARCHAR")) else kind)


KINDS: dict[str, Callable[[random.Random], Value]] = {
    "STRING": random_text,
    "VARCHAR(40)": random_text,
    "CHAR(3)": lambda draw: random_text(draw)[:3].ljust(3),
    "TINYINT": lambda draw: draw.randint(-128, 127),
    "INT": lambda draw: draw.choice([draw.randint(-(2**31), 2**31 - 1), 0, -1, 2**31 - 1, -(2**31)]),
    "BIGINT": lambda draw: draw.choice([draw.randint(-(2**63), 2**63 - 1), 2**63 - 1, -(2**63)]),
    "BOOLEAN": lambda draw: draw.random() < 0.5,
    "DATE": lambda draw: draw.choice([draw.randint(_FIRST_DAY, _LAST_DAY), _FIRST_DAY, -141_432, _LAST_DAY]),
    "TIMESTAMP_NTZ": random_micros,
    "DECIMAL(10,2)": lambda draw: random_decimal(draw, 10, 2),
    "DECIMAL(38,0)": lambda draw: random_decimal(draw, 38, 0),
    "DECIMAL(38,38)": lambda draw: random_decimal(draw, 38, 38),
    "DECIMAL(38,18)": lambda draw: random_decimal(draw, 38, 18),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("value_only", "legacy"), SETTINGS)
def test_p19_java_and_python_agree_on_random_values(
    tables: Tables, kind: str, value_only: bool, legacy: bool
) -> None:
    _compare(
        tables, kind, value_only, legacy, 150 if kind in ("STRING", "DATE", "TIMESTAMP_NTZ") else 40, SEED
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("value_only", "legacy"), SETTINGS)
def test_p19_java_and_python_agree_on_many_random_values(
    tables: Tables, kind: str, value_only: bool, legacy: bool, seed: int
) -> None:
    _compare(tables, kind, value_only, legacy, 1000, seed)


def _compare(tables: Tables, kind: str, value_only: bool, legacy: bool, count: int, seed: int) -> None:
    spark, draw = tables.spark, random.Random(f"{seed}-{kind}-{value_only}-{legacy}")
    ours = "TIMESTAMP(6)" if kind == "TIMESTAMP_NTZ" else kind
    values = [KINDS[kind](draw) if draw.random() < 0.95 else None for _ in range(count)]
    refused = {DEFAULT_NAME, *(NO_PATHS if value_only else ())}
    values = [value for value in values if value not in refused]
    # One path with a level for each value: no text has a slash of its own.
    keys = [f"{level}_{random_text(draw)}" for level in range(len(values))]
    columns = tuple(Field(level, key, parse_type(ours)) for level, key in enumerate(keys))
    layout = PartitionLayout(columns, value_only, legacy_name=legacy)
    python = layout.path(layout.spec(dict(zip(keys, values, strict=True))))
    java = Java(spark, _paths(tables, value_only, legacy)).directory(
        keys, [_catalyst(spark, kind, value) for value in values], [_spark_type(spark, kind)] * len(values)
    )
    for value, ours_text, theirs in zip(values, python.split("/"), java.split("/"), strict=True):
        assert theirs == ours_text, repr(value)
    again = layout.values(layout.parse_path(python) or {})
    for key, value in zip(keys, values, strict=True):
        blank = isinstance(value, str) and not value.strip(_JAVA_WHITESPACE)
        hidden = value_only and isinstance(value, str) and value[:1] in ("_", ".")
        assert hidden or again[key] == (None if blank else value)


# What java.lang.Character.isWhitespace says, which neither Python nor SQL calls by that name.
_JAVA_WHITESPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)


def _paths(tables: Tables, value_only: bool, legacy: bool) -> dict[str, Any]:
    """What the JVM is told about a table of these options."""
    catalog = tables.catalogs["paimon"]
    name = f"partition_values.paths_{value_only}_{legacy}".lower()
    if not catalog.table_exists(name):
        options = f"'format-table.partition-path-only-value' = '{str(value_only).lower()}', "
        options += f"'partition.legacy-name' = '{str(legacy).lower()}'"
        tables.spark.sql(
            f"CREATE TABLE paimon.{name} (id INT, p STRING) USING parquet PARTITIONED BY (p) "
            f"TBLPROPERTIES ({options})"
        )
    return dict(describe(catalog.get_table(name)).paths)


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.slow)], ids=["some", "many"])
@pytest.mark.parametrize("value_only", [False, True], ids=["key_value", "value_only"])
def test_p30_random_texts_survive_a_write(tables: Tables, count: int, value_only: bool) -> None:
    draw = random.Random(SEED + count)
    refused = {DEFAULT_NAME, *(NO_PATHS if value_only else ())}
    texts = sorted({text for _ in range(count) if (text := random_text(draw)) not in refused})
    table = tables.create("STRING", MANAGED, value_only)
    table.insert([(number, quoted(text)) for number, text in enumerate(texts)])
    stored = [text if text.strip(_JAVA_WHITESPACE) else None for text in texts]
    assert table.rows() == Counter(enumerate(stored))
    assert table.directories() == {component(text, value_only=value_only) for text in stored}
    assert table.registered() == sorted({text or DEFAULT_NAME for text in stored})
    some = [text for text in draw.sample(texts, 10) if text.strip(_JAVA_WHITESPACE)]
    chosen = ", ".join(map(quoted, some))
    assert table.rows(f"p IN ({chosen})") == Counter((texts.index(text), text) for text in some)
