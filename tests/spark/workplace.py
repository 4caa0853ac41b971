"""A session of its own in an empty database of one of the catalogs."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

MANAGED = ("paimon", "rest")
"""Catalogs that hold the partitions of tables that ask for it."""

EVERY = (*MANAGED, "fs")

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Workplace:
    """Where a test works; unqualified names mean tables of its database."""

    session: SparkSession
    catalog: str
    database: str
    tables: Path
    directory: Path

    @classmethod
    def make(cls, spark: SparkSession, catalog: str, warehouse: Path, directory: Path) -> Workplace:
        """Create the database, and a session that shares nothing but the context with other tests."""
        session = spark.newSession()
        database = f"db{next(_numbers)}"
        session.sql(f"CREATE DATABASE {catalog}.{database}")
        session.sql(f"USE {catalog}.{database}")
        return cls(session, catalog, database, warehouse / f"{database}.db", directory)

    def sql(self, statement: str) -> DataFrame:
        """Run a statement."""
        return self.session.sql(statement)

    def run(self, *statements: str) -> None:
        """Run statements one after another."""
        for statement in statements:
            self.session.sql(statement)

    def values(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of a query, sorted by their text."""
        return sorted((tuple(row) for row in self.sql(query).collect()), key=str)

    def rows(self, statement: str) -> list[str]:
        """Rows of a statement as ``1 | a | NULL``."""
        return [" | ".join(map(_text, row)) for row in self.sql(statement).collect()]

    def partitions(self, table: str, clause: str = "") -> list[str]:
        """SHOW PARTITIONS."""
        return self.rows(f"SHOW PARTITIONS {table} {clause}")

    def directories(self, table: str) -> list[str]:
        """Paths of all directories below a table, relative to it; neither staging nor metadata."""
        root = self.tables / table
        paths = [path.relative_to(root) for path in root.rglob("*") if path.is_dir()]
        hidden = {"_temporary", "schema"} if self.catalog == "fs" else {"_temporary"}
        return sorted(str(path) for path in paths if not hidden & set(path.parts))

    def plan(self, query: str) -> str:
        """The physical plan of a query."""
        return self.rows(f"EXPLAIN {query}")[0]

    def scanned(self, query: str) -> int:
        """How many partitions the only scan of a query reads, as EXPLAIN tells."""
        (number,) = re.findall(r"partitions scanned: (\d+)", self.plan(query))
        return int(number)

    def fails(self, statement: str, kind: str, condition: str = "*", text: str = "") -> None:
        """Check that a statement fails with a class, a condition and a piece of text."""
        with pytest.raises(PySparkException) as caught:
            self.sql(statement).collect()
        error = caught.value
        assert kind in ("*", type(error).__name__), f"{statement}: {error!r}"
        assert condition in ("*", error.getCondition()), f"{statement}: {error!r}"
        assert text in str(error), f"{statement}: {error!r}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL" if value is None else str(value)
