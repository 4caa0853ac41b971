"""A table with old rows, the statements that change it, and what may be read after one of them failed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from spark_paimon.catalog import Catalog
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table import FormatTable
from tests.format_tables import directory

Row = tuple[int, str]

OLD: tuple[Row, ...] = ((1, "a"), (2, "a"), (3, "b"), (9, "keep"))
"""Rows of every table; each is a file of its own."""

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
STRANGER = "_temporary/.tmp.of-somebody-else"
DYNAMIC = "spark.sql.sources.partitionOverwriteMode"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Statement:
    """A statement on the table ``{t}``.

    Parameters
    ----------
    old
        Rows that the statement may remove.
    new
        Rows that it adds.
    mixed
        Whether a reader may meet old and new rows together while it runs.
    kept
        Partitions that it has no business with.
    """

    name: str
    sql: str
    old: frozenset[Row] = frozenset()
    new: frozenset[Row] = frozenset()
    mixed: bool = False
    kept: Collection[str] = ("b", "keep")
    prepare: Callable[[Scene], None] = lambda scene: None
    mode: str = "static"

    def __str__(self) -> str:
        return self.name

    @property
    def others(self) -> frozenset[Row]:
        """Rows that are there before, afterwards, and whatever happens."""
        return frozenset(OLD) - self.old

    @property
    def before(self) -> Counter[Row]:
        return Counter(self.others | self.old)

    @property
    def after(self) -> Counter[Row]:
        return Counter(self.others | self.new)


@dataclass(frozen=True)
class Scene:
    """The table of one test."""

    session: SparkSession
    catalog: Catalog
    database: str
    table: str

    @classmethod
    def make(cls, session: SparkSession, catalog: Catalog, database: str) -> Scene:
        """A table with three partitions; a stranger is writing into each of them."""
        scene = cls(session, catalog, database, f"t{next(_numbers)}")
        schema = pa.schema([("id", pa.int32()), ("dt", pa.string())])
        options = {"type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true"}
        catalog.create_table(scene.full_name, schema, ["dt"], options)
        for row in OLD:
            scene.put(*row)
        partitions = sorted({dt for _, dt in OLD})
        statistics = [({"dt": dt}, scene.measured(dt)) for dt in partitions]
        catalog.create_partitions(scene.full_name, [{"dt": dt} for dt in partitions], statistics=statistics)
        for partition in partitions:
            stranger = scene.path / f"dt={partition}" / STRANGER
            stranger.parent.mkdir()
            stranger.write_bytes(b"half of a file")
        return scene

    @property
    def full_name(self) -> str:
        return f"{self.database}.{self.table}"

    @property
    def format_table(self) -> FormatTable:
        return self.catalog.get_table(self.full_name)

    @property
    def path(self) -> Path:
        return directory(self.format_table)

    def put(self, number: int, partition: str) -> None:
        """A committed file with one row."""
        file = self.path / f"dt={partition}" / f"old-{number}.parquet"
        file.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": pa.array([number], pa.int32())}), file)

    def measured(self, partition: str) -> PartitionStatistics:
        files = sorted((self.path / f"dt={partition}").glob("*.parquet"))
        size = sum(file.stat().st_size for file in files)
        return PartitionStatistics(len(files), size, len(files), 1)

    def run(self, statement: Statement) -> None:
        self.session.conf.set(DYNAMIC, statement.mode)
        self.session.sql(statement.sql.format(t=self.table))

    def rows(self) -> Counter[Row]:
        """What a reader gets."""
        return Counter(tuple(row) for row in self.session.sql(f"SELECT id, dt FROM {self.table}").collect())

    def listed_files(self) -> list[str]:
        """Paths in ``$files``."""
        rows = self.session.sql(f"SELECT file_path FROM `{self.table}$files`").collect()
        return [row.file_path for row in rows]

    def recorded(self) -> dict[str, int]:
        """Row counts that the catalog has, by partition; -1 where it does not know."""
        rows = self.catalog.list_partitions(self.full_name)
        return {row.spec["dt"]: row.statistics.record_count for row in rows}

    def staged(self) -> list[str]:
        """Files that are staged and not the stranger's."""
        files = (path for path in self.path.rglob("_temporary/*") if path.is_file())
        return sorted(str(path.relative_to(self.path)) for path in files if not str(path).endswith(STRANGER))

    def state(self, partitions: Collection[str]) -> dict[str, tuple[int, bytes]]:
        """Every file in some partitions, and the stranger's in all: which file it is and what is in it."""
        return {str(path.relative_to(self.path)): _identity(path) for path in self._files(partitions)}

    def _files(self, partitions: Collection[str]) -> Iterator[Path]:
        for partition in partitions:
            yield from (path for path in (self.path / f"dt={partition}").rglob("*") if path.is_file())
        yield from self.path.glob(f"*/{STRANGER}")


def _identity(path: Path) -> tuple[int, bytes]:
    return path.stat().st_ino, path.read_bytes()


def _foreign_directories(scene: Scene) -> None:
    """A partition that another program wrote, and one that it removed."""
    scene.put(71, "x")
    (scene.path / "dt=b" / "old-3.parquet").unlink()
    (scene.path / "dt=b" / STRANGER).unlink()
    (scene.path / "dt=b" / "_temporary").rmdir()
    (scene.path / "dt=b").rmdir()


_A = frozenset({(1, "a"), (2, "a")})
_ALL = frozenset(OLD)

APPEND = Statement(
    "append",
    "INSERT INTO {t} VALUES (11, 'a'), (12, 'n')",
    new=frozenset({(11, "a"), (12, "n")}),
    mixed=True,
)
OVERWRITE = Statement(
    "overwrite",
    "INSERT OVERWRITE {t} PARTITION (dt = 'a') VALUES (21), (22)",
    old=_A,
    new=frozenset({(21, "a"), (22, "a")}),
)
OVERWRITE_DYNAMIC = Statement(
    "overwrite-dynamic",
    "INSERT OVERWRITE {t} VALUES (31, 'a'), (32, 'n')",
    old=_A,
    new=frozenset({(31, "a"), (32, "n")}),
    mode="dynamic",
)
OVERWRITE_TABLE = Statement(
    "overwrite-table",
    "INSERT OVERWRITE {t} VALUES (41, 'a'), (42, 'n')",
    old=_ALL,
    new=frozenset({(41, "a"), (42, "n")}),
    kept=(),
)
REPLACE = Statement(
    "replace",
    f"CREATE OR REPLACE TABLE {{t}} USING parquet PARTITIONED BY (dt) {PROPERTIES} AS "
    "SELECT * FROM VALUES (61, 'a'), (62, 'n') AS v(id, dt)",
    old=_ALL,
    new=frozenset({(61, "a"), (62, "n")}),
    kept=(),
)
TRUNCATE = Statement("truncate", "TRUNCATE TABLE {t} PARTITION (dt = 'a')", old=_A)
TRUNCATE_TABLE = Statement("truncate-table", "TRUNCATE TABLE {t}", old=_ALL, kept=())
ADD = Statement(
    "add",
    "ALTER TABLE {t} ADD IF NOT EXISTS PARTITION (dt = 'm') PARTITION (dt = 'n')",
    kept=("a", "b", "keep"),
)
DROP = Statement("drop", "ALTER TABLE {t} DROP IF EXISTS PARTITION (dt = 'a')", old=_A)
MSCK = Statement(
    "msck",
    "MSCK REPAIR TABLE {t} SYNC PARTITIONS",
    old=frozenset({(3, "b")}),
    new=frozenset({(71, "x")}),
    mixed=True,
    kept=("a", "keep", "x"),
    prepare=_foreign_directories,
)
ANALYZE = Statement("analyze", "ANALYZE TABLE {t} COMPUTE STATISTICS", kept=("a", "b", "keep"))

STATEMENTS = (
    APPEND, OVERWRITE, OVERWRITE_DYNAMIC, OVERWRITE_TABLE, REPLACE, TRUNCATE, TRUNCATE_TABLE, ADD, DROP, MSCK,
    ANALYZE,
)  # fmt: skip
