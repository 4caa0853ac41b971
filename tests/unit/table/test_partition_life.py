"""Random lives of a table's partitions, compared with a model of a page, over each catalog.

What a statement reports to the catalog, and how that combines, is section 6 of Paimon's contract for format
tables; which files it leaves alone, sections 4 and 5.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.catalog.rest import RestCatalog
from spark_paimon.procedures.analyze import analyze
from spark_paimon.procedures.repair import repair
from spark_paimon.storage import local_path
from spark_paimon.table.commit import WriteMode, commit
from spark_paimon.table.partitions import add_partitions, alter_partition, drop_partitions, truncate
from spark_paimon.table.scan import plan_partitions
from tests.format_tables import create, directory, open_catalog, put, stage, write_parquet
from tests.servers import server_in_thread

VALUES = ("a", "b/1", "c", None)
values = st.sampled_from(VALUES)
some_values = st.lists(values, min_size=1, max_size=3, unique_by=str)
few = st.integers(1, 3)
_numbers = itertools.count()


@dataclass
class Partition:
    """What the model knows of the partition of one value.

    Parameters
    ----------
    files
        Rows of each file in the default directory.
    elsewhere
        The same for its location outside of the table, None when it has none.
    records, count
        Rows and files as the catalog knows them; None is unknown.
    """

    registered: bool = False
    has_directory: bool = False
    files: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, int] | None = None
    records: int | None = None
    count: int | None = None
    format: str = "parquet"

    def unregister(self) -> None:
        self.registered, self.elsewhere, self.format = False, None, "parquet"
        self.records = self.count = None

    def replaced(self, rows: int) -> None:
        """A directory that holds nothing but one new file, or no file."""
        self.registered, self.elsewhere, self.format = True, None, "parquet"
        self.records, self.count = rows, 1 if rows else 0


class Life(RuleBasedStateMachine):
    """The statements on a table, as the Python functions behind them."""

    def __init__(self, catalog: Catalog, outside: Path) -> None:
        super().__init__()
        self.catalog, self.outside = catalog, outside
        self.table = create(catalog, {"dt": "STRING"}, name=f"t{next(_numbers)}")
        self.managed = self.table.managed
        self.model = {value: Partition() for value in VALUES}

    # Statements

    @rule(value=values, again=st.booleans())
    def add(self, value: str | None, again: bool) -> None:
        partition = self.model[value]
        with self.expected(errors.PartitionsExistError if partition.registered and not again else None):
            add_partitions(self.table, [{"dt": value}], ignore_if_exists=again)
            partition.registered = True
            if partition.elsewhere is None:
                partition.has_directory = True

    @rule(value=values, rows=few)
    def add_elsewhere(self, value: str | None, rows: int) -> None:
        partition, folder = self.model[value], self.outside / str(next(_numbers))
        write_parquet(folder / "x.parquet", rows)
        with self.expected(errors.PartitionsExistError if partition.registered else None):
            add_partitions(self.table, [{"dt": value}], options=[{"location": folder.as_uri()}])
            partition.registered, partition.elsewhere = True, {str(folder / "x.parquet"): rows}

    @rule(value=values, ignore=st.booleans())
    def drop(self, value: str | None, ignore: bool) -> None:
        partition = self.model[value]
        with self.expected(None if partition.registered or ignore else errors.NoSuchPartitionError):
            drop_partitions(self.table, [{"dt": value}], ignore_if_not_exists=ignore)
            if not partition.registered:
                return
            if partition.elsewhere is None:
                partition.has_directory, partition.files = False, {}
            partition.unregister()

    @rule(chosen=some_values, rows=few)
    def insert(self, chosen: list[str | None], rows: int) -> None:
        files = {value: stage(self.table, rows, dt=value) for value in chosen}
        own = [self.model[value] for value in chosen]
        refused = any(each.elsewhere is not None or each.format != "parquet" for each in own)
        error = (errors.UnsupportedError, errors.InvalidInputError) if refused else None
        with self.expected(error, managed=False):
            commit(self.table, list(files.values()))
            for value, file in files.items():
                partition = self.model[value]
                partition.registered = self.managed
                partition.has_directory = True
                partition.files[local_path(file.final)] = rows
                partition.records = (partition.records or 0) + rows
                partition.count = (partition.count or 0) + 1

    @rule(value=values, rows=st.integers(0, 3))
    def overwrite_static(self, value: str | None, rows: int) -> None:
        self.overwrite({value: rows} if rows else {}, [value], WriteMode.OVERWRITE, {"dt": value})

    @rule(chosen=some_values, rows=few)
    def overwrite_dynamic(self, chosen: list[str | None], rows: int) -> None:
        self.overwrite(dict.fromkeys(chosen, rows), chosen, WriteMode.OVERWRITE_DYNAMIC, {})

    @rule(chosen=some_values, rows=few)
    def overwrite_table(self, chosen: list[str | None], rows: int) -> None:
        targets = [value for value in VALUES if value in chosen or self.exists(value)]
        self.overwrite(dict.fromkeys(chosen, rows), targets, WriteMode.OVERWRITE, {})

    def overwrite(
        self,
        written: dict[str | None, int],
        targets: list[str | None],
        mode: WriteMode,
        static: dict[str, Any],
    ) -> None:
        files = {value: stage(self.table, rows, dt=value) for value, rows in written.items()}
        commit(self.table, list(files.values()), mode, static)
        for value in targets:
            partition = self.model[value]
            partition.files = {}
            if value in files:
                partition.files[local_path(files[value].final)] = written[value]
            partition.has_directory |= value in files or value in static.values()
            if self.managed:
                partition.replaced(written.get(value, 0))

    @rule(value=values)
    def truncate(self, value: str | None) -> None:
        with self.expected(None if self.exists(value) else errors.NoSuchPartitionError, managed=False):
            truncate(self.table, [{"dt": value}])
            self.emptied(value)

    @rule()
    def truncate_table(self) -> None:
        truncate(self.table)
        for value in VALUES:
            if self.exists(value):
                self.emptied(value)

    def emptied(self, value: str | None) -> None:
        partition = self.model[value]
        partition.files = {}
        if self.managed:
            partition.elsewhere, partition.records, partition.count = None, 0, 0

    @rule(mode=st.sampled_from(["ADD", "DROP", "SYNC"]))
    def msck(self, mode: str) -> None:
        with self.expected(None):
            repair(self.table, mode)
            for partition in self.model.values():
                if mode != "DROP" and partition.has_directory:
                    partition.registered = True
                if mode != "ADD" and partition.elsewhere is None and not partition.has_directory:
                    partition.unregister()

    @rule(noscan=st.booleans())
    def analyze(self, noscan: bool) -> None:
        refused = any(partition.elsewhere is not None for partition in self.model.values())
        with self.expected(errors.UnsupportedError if refused else None):
            analyze(self.table, noscan=noscan)
            for partition in self.model.values():
                if partition.registered:
                    partition.count = len(partition.files)
                    readable = partition.format == "parquet" or not partition.files
                    if not noscan and readable:
                        partition.records = sum(partition.files.values())

    @rule(value=values, name=st.sampled_from(["parquet", "orc"]))
    def change_format(self, value: str | None, name: str) -> None:
        partition = self.model[value]
        with self.expected(None if partition.registered else errors.NoSuchPartitionError):
            alter_partition(self.table, {"dt": value}, {"file.format": name})
            partition.format = name

    # Others, who know of no catalog

    @rule(value=values, rows=few)
    def foreign_file(self, value: str | None, rows: int) -> None:
        path = put(self.table, f"{self.path(value)}/foreign-{next(_numbers)}.parquet", rows)
        self.model[value].has_directory = True
        self.model[value].files[str(path)] = rows

    @rule(value=values)
    def foreign_removal(self, value: str | None) -> None:
        if self.model[value].files:
            Path(self.model[value].files.popitem()[0]).unlink()

    @rule(value=values)
    def directory_removal(self, value: str | None) -> None:
        shutil.rmtree(directory(self.table, self.path(value)), ignore_errors=True)
        self.model[value].has_directory, self.model[value].files = False, {}

    # What holds at any time

    @invariant()
    def files_are_those_of_the_partitions(self) -> None:
        found = {
            entry.values["dt"]: sorted(local_path(file.path) for file in self.files_in(entry.location))
            for entry in plan_partitions(self.table).partitions
        }
        expected = {
            value: sorted(partition.files if partition.elsewhere is None else partition.elsewhere)
            for value, partition in self.model.items()
            if self.exists(value)
        }
        assert found == expected

    @invariant()
    def the_catalog_knows_what_it_was_told(self) -> None:
        if not self.managed:
            return
        rows = {self.table.layout.values(row.spec)["dt"]: row for row in self.table.list_partitions()}
        found = {
            value: (
                row.statistics.record_count,
                row.statistics.file_count,
                self.table.effective_format(row.options),
            )
            for value, row in rows.items()
        }
        expected = {
            value: (unknown(partition.records), unknown(partition.count), partition.format)
            for value, partition in self.model.items()
            if partition.registered
        }
        assert found == expected

    def exists(self, value: str | None) -> bool:
        partition = self.model[value]
        return partition.registered if self.managed else partition.has_directory

    def path(self, value: str | None) -> str:
        return self.table.layout.path(self.table.layout.spec({"dt": value}))

    def files_in(self, location: str) -> list[Any]:
        try:
            return self.table.storage_of(location).data_files(location)
        except FileNotFoundError:
            return []

    @contextmanager
    def expected(self, error: Any, managed: bool = True) -> Iterator[None]:
        """The block fails with this error, or, without one, not at all. Where the catalog manages no
        partitions, a statement that needs that is refused.
        """
        if managed and not self.managed:
            error = errors.UnsupportedError
        if error is None:
            yield
            return
        with pytest.raises(error):
            yield


def unknown(number: int | None) -> int:
    return -1 if number is None else number


@pytest.fixture(params=["embedded", "rest", "filesystem"])
def any_catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    """Each catalog in turn."""
    if request.param != "rest":
        with open_catalog(tmp_path / "warehouse", request.param) as opened:
            yield opened
        return
    with server_in_thread(tmp_path / "warehouse") as options, load_catalog(options) as opened:
        opened.create_database("db", ignore_if_exists=True)
        yield opened


def live(catalog: Catalog, outside: Path, lives: int, steps: int, **more: Any) -> None:
    chosen = settings(
        max_examples=lives,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )
    make: Callable[[], Life] = lambda: Life(catalog, outside)  # noqa: E731
    run_state_machine_as_test(make, settings=chosen)  # type: ignore[no-untyped-call]


def test_partitions_live_as_in_the_model(any_catalog: Catalog, tmp_path: Path) -> None:
    # Each life of the remote one is some hundred requests.
    lives = 10 if isinstance(any_catalog, RestCatalog) else 50
    live(any_catalog, tmp_path / "outside", lives=lives, steps=50, derandomize=True)


@pytest.mark.slow
def test_partitions_live_long_as_in_the_model(any_catalog: Catalog, tmp_path: Path) -> None:
    live(any_catalog, tmp_path / "outside", lives=400, steps=60)
