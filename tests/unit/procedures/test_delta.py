"""``sys.convert_to_delta`` with an engine of the test's own; ``tests/submit/test_delta.py`` has Delta's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.procedures import ProcedureContext, procedure
from spark_paimon.procedures.analyze import analyze
from spark_paimon.procedures.delta import convert_to_delta
from spark_paimon.procedures.repair import repair
from spark_paimon.storage import local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.partitions import add_partitions, drop_partitions
from tests.format_tables import create, directory, put


class Engine:
    """Writes a log, and reads what it is told to."""

    def __init__(self, rows: int, fails: bool = False, **columns: Any) -> None:
        self.rows, self.fails, self.types = rows, fails, columns
        self.added: list[str] = []

    def convert(self, location: str, partitioning: Sequence[tuple[str, Any]]) -> None:
        log = Path(local_path(location)) / "_delta_log"
        log.mkdir()
        if self.fails:
            raise RuntimeError("it failed")
        (log / "00000000000000000000.json").write_text("{}")

    def columns(self, location: str) -> dict[str, Any]:
        return self.types

    def add_columns(self, location: str, columns: Sequence[tuple[str, Any]]) -> None:
        self.added += [name for name, _ in columns]

    def count(self, location: str) -> int:
        return self.rows


@pytest.fixture
def table(catalog: Catalog, tmp_path: Path) -> FormatTable:
    options = {"path": str(tmp_path / "outside"), "metastore.partitioned-table": "false"}
    made = create(catalog, {"dt": "STRING"}, options=options)
    put(made, "dt=a/x.parquet", rows=3)
    return made


def log_of(table: FormatTable) -> Path:
    return directory(table) / "_delta_log"


def test_rows_and_columns_are_compared_before_the_registration_goes(
    catalog: Catalog, table: FormatTable
) -> None:
    convert_to_delta(table, Engine(3, ID="long", dt="string"))
    assert not catalog.table_exists("db.t")
    assert log_of(table).exists()


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        (Engine(2, id="long", dt="string"), "2 rows and not 3"),
        (Engine(3, id="integer", dt="string"), "the column id as integer and not as long"),
    ],
)
def test_a_difference_takes_the_log_away_again(
    catalog: Catalog, table: FormatTable, engine: Engine, text: str
) -> None:
    with pytest.raises(errors.IllegalStateError, match=text):
        convert_to_delta(table, engine)
    assert catalog.table_exists("db.t")
    assert not log_of(table).exists()


def test_a_failure_leaves_no_empty_log(catalog: Catalog, table: FormatTable) -> None:
    with pytest.raises(RuntimeError, match="it failed"):
        convert_to_delta(table, Engine(3, fails=True))
    assert catalog.table_exists("db.t")
    assert not log_of(table).exists()


def test_columns_that_files_do_not_have_are_added(table: FormatTable) -> None:
    engine = Engine(3, id="long")
    convert_to_delta(table, engine)
    assert engine.added == ["dt"]


def test_without_a_session_it_says_so(catalog: Catalog, table: FormatTable) -> None:
    with pytest.raises(errors.UnsupportedError, match=r"pip install 'spark-paimon\[delta\]'"):
        procedure("convert_to_delta").run(ProcedureContext(catalog), {"table": "db.t"})
    assert catalog.table_exists("db.t")


def test_partition_statements_leave_a_delta_table_alone(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    add_partitions(table, [{"dt": "a"}])
    file = put(table, "dt=a/x.parquet")
    log_of(table).mkdir()
    for statement in (
        lambda: add_partitions(table, [{"dt": "b"}]),
        lambda: drop_partitions(table, [{"dt": "a"}]),
        lambda: repair(table),
        lambda: analyze(table),
        lambda: table.truncate(),
    ):
        with pytest.raises(errors.UnsupportedError, match="DELTA_TABLE_DIRECTORY"):
            statement()
    assert file.exists()
    assert len(table.list_partitions()) == 1
