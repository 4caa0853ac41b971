"""A table of one combination on its way through the statements, with a model of what must be in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from tests.spark.partition_values.tables import MANAGED, Case, Rows, Table, Tables, values_query
from tests.spark.partition_values.values import Kind, Value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_BATCH = 40


@dataclass
class Oracle:
    """The same rows where no partition is involved: what Spark itself makes of a condition on them."""

    spark: SparkSession
    name: str

    def texts(self, column: str = "p") -> dict[int, str | None]:
        """Value of each row as text."""
        return dict(self.spark.sql(f"SELECT id, CAST({column} AS STRING) FROM {self.name}").collect())

    def ids(self, conditions: Sequence[str]) -> list[list[int]]:
        """Ids of the rows for which each condition holds, all in one query."""
        columns = ", ".join(f"({condition})" for condition in conditions)
        rows = self.spark.sql(f"SELECT id, {columns} FROM {self.name}").collect()
        return [sorted(row[0] for row in rows if row[at] is True) for at in range(1, len(conditions) + 1)]


def oracle_of(spark: SparkSession, kind: Kind, rows: Sequence[tuple[int, str]], name: str) -> Oracle:
    """A view of the rows; for CHAR a table of Spark's own, because padding is a matter of table columns."""
    query = f"SELECT id, CAST(p AS {kind.ddl}) AS p FROM ({values_query(rows)})"
    if kind.ddl.startswith("CHAR"):
        spark.sql(f"CREATE TABLE spark_catalog.default.{name} (id INT, p {kind.ddl}) USING parquet")
        spark.sql(f"INSERT INTO spark_catalog.default.{name} {values_query(rows)}")
        return Oracle(spark, f"spark_catalog.default.{name}")
    spark.sql(query).createOrReplaceTempView(name)
    return Oracle(spark, name)


def selected_ids(table: Table, conditions: Sequence[str]) -> list[list[int]]:
    """Ids that the table has for each condition, with one scan for each and many scans in a job."""
    found: list[list[int]] = []
    for start in range(0, len(conditions), _BATCH):
        batch = conditions[start : start + _BATCH]
        scans = " UNION ALL ".join(
            f"SELECT {at} AS q, id FROM {{t}} WHERE {text}" for at, text in enumerate(batch)
        )
        ids: list[list[int]] = [[] for _ in batch]
        for at, number in table.sql(scans):
            ids[at].append(number)  # type: ignore[index,arg-type]
        found += map(sorted, ids)
    return found


@dataclass
class Trip:
    """One table and what must be in it.

    ``values`` has the values with rows, NULL last; ``text`` each of them as Spark's text.
    """

    case: Case
    table: Table
    oracle: Oracle
    values: list[Value]
    text: dict[Value, str | None]
    expected: Rows = field(default_factory=Counter)
    ids: Iterator[int] = field(default_factory=lambda: count(100_000))

    @property
    def managed(self) -> bool:
        """Whether the catalog has the partitions."""
        return self.case.source == MANAGED

    def add(self, value: Value) -> int:
        """Expect one row more; its id."""
        number = next(self.ids)
        self.expected[number, self.text[value]] += 1
        return number

    def lose(self, value: Value) -> None:
        """Expect no row of the value any more."""
        text = self.text[value]
        self.expected = Counter({row: n for row, n in self.expected.items() if row[1] != text})

    def check(self) -> None:
        """The table has exactly the expected rows."""
        assert self.table.rows() == self.expected


def start(tables: Tables, case: Case) -> Trip:
    """Create the table and insert two rows for each value, and one for each blank that becomes NULL."""
    kind = case.kind
    table = tables.create(kind.ddl, case.source, case.value_only)
    values = [value for value in case.values if case.storable(value)] + [kind.null()]
    rows = [(number, value.sql) for number, value in enumerate(values * 2, start=1)]
    blanks = [(number, f"'{text}'") for number, text in enumerate(kind.nulls, start=10_001)]
    table.insert(rows + blanks)
    stored = rows + [(number, f"CAST(NULL AS {kind.ddl})") for number, _ in blanks]
    oracle = oracle_of(tables.spark, kind, stored, f"oracle_{table.name.rsplit('.', 1)[1]}")
    texts = oracle.texts()
    text = {value: texts[number] for number, value in enumerate(values, start=1)}
    return Trip(case, table, oracle, values, text, Counter(texts.items()))


def conditions(kind: Kind, values: Sequence[Value], each: int) -> list[str]:
    """Conditions on ``p``, `each` of them for every value, in turn from all the forms a filter can have."""
    literals = [value.sql for value in values if value.text is not None]
    many = ", ".join([*literals[:14], *kind.others])
    general = [
        "p IS NULL",
        "p IS NOT NULL",
        f"p IN ({many})",
        f"p NOT IN ({many})",
        "id % 3 = 0",
        "p <=> NULL",
    ]
    turn = count()
    for at, v in enumerate(literals):
        w = literals[(at + 3) % len(literals)]
        forms = [
            f"p <=> {v}",
            f"p IN ({v}, {w}, {kind.others[0]})",
            f"CAST(p AS STRING) = CAST({v} AS STRING)",
            f"p < {v}",
            f"p IS NULL OR p = {v}",
            f"coalesce(p, {w}) = {v}",
            f"p >= {v} AND p <= {w}",
            f"NOT (p = {v} OR p = {w})",
            f"(p = {v} AND id % 2 = 0) OR (p = {w} AND id % 2 = 1)",
            f"{v} = p AND id > 3",
            f"p IN ({v}, NULL)",
            f"p > {v} OR id = 2",
            f"CASE WHEN p = {v} THEN true ELSE p IS NULL END",
        ]
        if kind.is_text:
            forms += [
                f"startswith(p, substr({v}, 1, 1))",
                f"upper(p) = upper({v})",
                f"length(p) = length({v}) AND p <> {w}",
                f"concat(p, 'x') = concat({v}, 'x')",
            ]
        general.append(f"p = {v}")
        general += [forms[next(turn) % len(forms)] for _ in range(each)]
    return general
