"""Tables with one row or more for each value, in every layout and from every source of partitions."""

# Paths are compared as texts here, exactly as they are.
# ruff: noqa: PTH118, PTH119, PTH208

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from spark_paimon.catalog import load_catalog
from spark_paimon.catalog.interface import Catalog
from tests.spark.partition_values.values import DEFAULT_NAME, KINDS, NO_PATHS, Kind, Value, escaped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANAGED, DISCOVERED, EXTERNAL = "managed", "filesystem", "external"
SOURCES = (MANAGED, DISCOVERED, EXTERNAL)
DATABASE = "partition_values"
SEED = 20250714
_NUMBERS = count(1)
Rows = Counter[tuple[int, str | None]]


@dataclass(frozen=True)
class Case:
    """A combination of the matrix."""

    kind: Kind
    value_only: bool
    source: str
    values: tuple[Value, ...]

    @property
    def id(self) -> str:
        """Name of the case in the test report."""
        return f"{self.kind.name}-{'value_only' if self.value_only else 'key_value'}-{self.source}"

    def storable(self, value: Value) -> bool:
        """Whether rows with the value can be written: their directory must be one that readers find."""
        if not self.value_only or value.text is None:
            return True
        if value.text in NO_PATHS:
            return False
        return self.source == MANAGED or value.text[0] not in "_."

    def listed(self, value: Value) -> bool:
        """Whether a listing of the directories finds the partition."""
        return not self.value_only or value.text is None or value.text[0] not in "_."


def matrix() -> list[Case]:
    """Every type in every layout from every source."""
    return [
        Case(kind, value_only, source, kind.values)
        for kind in KINDS.values()
        for value_only in (False, True)
        for source in SOURCES
    ]


def sample(kept: int, texts: int, values: int) -> list[Case]:
    """The four kinds that matter most in both layouts, some of the other combinations, some of the values."""
    draw = random.Random(SEED)
    cases = matrix()
    must = [c for c in cases if c.source == MANAGED and c.kind.name in ("string", "int", "date", "decimal")]
    chosen = must + draw.sample([case for case in cases if case not in must], kept)
    return [
        Case(
            case.kind,
            case.value_only,
            case.source,
            tuple(
                draw.sample(
                    case.kind.values, min(len(case.kind.values), texts if case.kind.is_text else values)
                )
            ),
        )
        for case in chosen
    ]


@dataclass
class Table:
    """A table of a test and what Spark and the disk say about it."""

    spark: SparkSession
    name: str
    location: Path
    catalog: Catalog
    column: str = "p"
    ids: Iterable[int] = field(default_factory=lambda: count(1))

    @property
    def column_sql(self) -> str:
        """The partition column for SQL text."""
        return "`" + self.column.replace("`", "``") + "`"

    @property
    def short_name(self) -> str:
        """Database and table, without the catalog."""
        return self.name.split(".", 1)[1]

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement in which ``{t}`` is the table and ``{p}`` its partition column."""
        text = statement.replace("{t}", self.name).replace("{p}", self.column_sql)
        return [tuple(row) for row in self.spark.sql(text).collect()]

    def insert(self, rows: Sequence[tuple[int, str]]) -> None:
        """Insert rows of ids and SQL expressions in one job of one task."""
        self.sql(f"INSERT INTO {{t}} {values_query(rows)}")

    def rows(self, where: str = "true") -> Rows:
        """Ids and values as text, each row as often as it is there."""
        return Counter(self.sql(f"SELECT id, CAST({{p}} AS STRING) FROM {{t}} WHERE {where}"))  # type: ignore[arg-type]

    def shown(self) -> Counter[str | None]:
        """Values as SHOW PARTITIONS shows them, unescaped."""
        names = [str(name) for (name,) in self.sql("SHOW PARTITIONS {t}")]
        prefix = f"{self.column}="
        texts = [re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), name) for name in names]
        assert all(text.startswith(prefix) for text in texts), texts
        # Java's order, which for emoji is another one than Python's.
        assert names == sorted(names, key=lambda name: name.encode("utf-16-be"))
        return Counter(text[len(prefix) :] for text in texts)

    def registered(self) -> list[str]:
        """Raw texts of the registrations, sorted."""
        return sorted(row.spec[self.column] for row in self.catalog.list_partitions(self.short_name))

    def forget_registrations(self) -> None:
        """Empty the registry and leave directories and files alone, as a lost catalog would."""
        specs = [row.spec for row in self.catalog.list_partitions(self.short_name)]
        self.catalog.drop_partitions(self.short_name, specs)

    def statistics(self) -> dict[str, int]:
        """Number of files of each registration, by raw text."""
        rows = self.catalog.list_partitions(self.short_name)
        return {row.spec[self.column]: row.statistics.file_count for row in rows}

    def disk(self) -> set[str]:
        """Everything below the table, and what was left beside it, except for catalogs' own files.

        An empty ``_temporary`` is nothing: one write leaves it behind, another one tidies it up.
        """
        found = set()
        for folder, folders, files in os.walk(self.location):
            if os.path.basename(folder) == "_temporary" and not folders and not files:
                continue
            relative = os.path.relpath(folder, self.location)
            found.update(os.path.normpath(os.path.join(relative, name)) for name in files)
            found.add(os.path.normpath(relative))
        beside = {f"../{name}" for name in os.listdir(self.location.parent) if name[0] in "_."}
        return {name for name in found if not re.match(r"(schema(/|$)|\.$)", name)} | beside

    def directories(self) -> set[str]:
        """Names of the directories of the table's first level, without its metadata."""
        return {entry.name for entry in os.scandir(self.location) if entry.is_dir()} - {"schema"}


def values_query(rows: Sequence[tuple[int, str]]) -> str:
    """A query of rows with an id and a value; it has one task, so that a value becomes one file."""
    listed = ", ".join(f"({number}, {sql})" for number, sql in rows)
    return f"SELECT /*+ COALESCE(1) */ * FROM VALUES {listed} AS rows(id, p)"


def component(
    text: str | None, column: str = "p", value_only: bool = False, default: str = DEFAULT_NAME
) -> str:
    """Name of the directory that a value must have."""
    value = escaped(default if text is None else text)
    return value if value_only else f"{escaped(column)}={value}"


@dataclass
class Tables:
    """Makes the tables of the tests in one database of both catalogs."""

    spark: SparkSession
    root: Path
    catalogs: dict[str, Catalog]

    def create(
        self,
        ddl: str,
        source: str = MANAGED,
        value_only: bool = False,
        column: str = "p",
        location: Path | None = None,
        options: Mapping[str, str] | None = None,
    ) -> Table:
        """A table with ``id INT`` and one partition column."""
        catalog = "fs" if source == DISCOVERED else "paimon"
        name = f"t{next(_NUMBERS)}"
        properties = dict(options or {})
        if value_only:
            properties["format-table.partition-path-only-value"] = "true"
        if source == MANAGED:
            properties["metastore.partitioned-table"] = "true"
        quoted_column = "`" + column.replace("`", "``") + "`"
        statement = (
            f"CREATE TABLE {catalog}.{DATABASE}.{name} (id INT, {quoted_column} {ddl}) USING parquet "
            f"PARTITIONED BY ({quoted_column})"
        )
        if source == EXTERNAL:
            location = location or self.root / "external" / name
            escaped_location = str(location).replace("\\", "\\\\").replace("'", "\\'")
            statement += f" LOCATION '{escaped_location}'"
        if properties:
            listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
            statement += f" TBLPROPERTIES ({listed})"
        self.spark.sql(statement)
        opened = self.catalogs[catalog]
        place = opened.load_table_info(f"{DATABASE}.{name}").location
        return Table(
            self.spark, f"{catalog}.{DATABASE}.{name}", Path(place.removeprefix("file:")), opened, column
        )


def open_tables(spark: SparkSession, warehouse_root: Path) -> Tables:
    """The databases, and the catalogs as another program sees them."""
    for catalog in ("paimon", "fs"):
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {catalog}.{DATABASE}")
    catalogs = {
        "paimon": load_catalog({"metastore": "embedded", "warehouse": str(warehouse_root / "embedded")}),
        "fs": load_catalog({"metastore": "filesystem", "warehouse": str(warehouse_root / "filesystem")}),
    }
    return Tables(spark, warehouse_root, catalogs)
