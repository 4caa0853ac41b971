"""Format tables for unit tests: real directories, real catalogs, staged files, and faults put in front of
both.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark_paimon.catalog import load_catalog
from spark_paimon.catalog.interface import Catalog
from spark_paimon.schema import Field, Schema, parse_type
from spark_paimon.storage import Storage, local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile

NOW = 1_700_000_000_000


def open_catalog(warehouse: Path, metastore: str = "embedded", **options: str) -> Catalog:
    """A catalog with the database ``db``."""
    catalog = load_catalog({"metastore": metastore, "warehouse": str(warehouse), **options})
    catalog.create_database("db", ignore_if_exists=True)
    return catalog


def create(
    catalog: Catalog,
    partition: Mapping[str, str],
    name: str = "t",
    value_only: bool = False,
    options: Mapping[str, str] | None = None,
) -> FormatTable:
    """A table with a column ``id`` and the given partition columns, its partitions managed where that is
    possible.
    """
    columns = {"id": "BIGINT", **partition}
    fields = tuple(Field(i, column, parse_type(kind)) for i, (column, kind) in enumerate(columns.items()))
    given = {
        "type": "format-table",
        "file.format": "parquet",
        "metastore.partitioned-table": "true",
        "format-table.partition-path-only-value": str(value_only).lower(),
        **(options or {}),
    }
    catalog.create_table(f"db.{name}", Schema(fields, tuple(partition), options=given))
    return catalog.get_table(f"db.{name}")


def directory(table: FormatTable, relative: str = "") -> Path:
    """Local path of the table or of something below it."""
    return Path(local_path(table.location)) / relative if relative else Path(local_path(table.location))


def write_parquet(path: Path, rows: int = 1) -> int:
    """A Parquet file with that many rows; returns its size in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": pa.array(range(rows), pa.int64())}), path)
    return path.stat().st_size


def put(table: FormatTable, relative: str, rows: int = 1) -> Path:
    """A committed data file at a path below the table, as some other program leaves it."""
    path = directory(table, relative)
    write_parquet(path, rows)
    return path


def stage(table: FormatTable, rows: int = 1, name: str | None = None, **values: Any) -> StagedFile:
    """A file that a task has written for the partition of these values and that nobody can see yet."""
    spec = table.layout.spec(values) if values else {}
    location = table.partition_location(spec) if spec else table.location
    made = not Path(local_path(location)).exists()
    final = f"{location}/{name or f'data-{uuid.uuid4()}-0.parquet'}"
    staged = f"{location}/_temporary/.tmp.{uuid.uuid4()}"
    size = write_parquet(Path(local_path(staged)), rows)
    return StagedFile(spec, staged, final, rows, size, created_directory=made)


def visible(table: FormatTable) -> list[str]:
    """Data files below the table directory, relative, whether or not their partition is registered."""
    try:
        entries = table.storage.data_files(table.location, table.metadata_directories)
    except FileNotFoundError:
        return []
    return [entry.path[len(table.location) + 1 :] for entry in entries]


def folders(table: FormatTable) -> list[str]:
    """Directories below the table directory that hold data files."""
    return sorted({path.rpartition("/")[0] for path in visible(table)})


def everything(table: FormatTable) -> list[str]:
    """Every file and directory below the table directory, hidden ones too."""
    root = directory(table)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def names(table: FormatTable) -> list[str]:
    """Names of the partitions, in their raw spelling."""
    return [table.layout.name(row.spec) for row in table.list_partitions()]


@dataclass
class Fault:
    """An error that a call raises instead of doing its work, or after it."""

    method: str
    error: BaseException | Callable[[], BaseException]
    matches: Callable[..., bool] = lambda *_, **__: True
    after: bool = False
    times: int = 1_000_000


@dataclass
class Faults:
    """The faults of one test double and the calls it saw."""

    planned: list[Fault] = field(default_factory=list)
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fail(
        self,
        method: str,
        error: BaseException | Callable[[], BaseException],
        matches: Callable[..., bool] | None = None,
        after: bool = False,
        times: int = 1_000_000,
    ) -> None:
        fault = Fault(method, error, after=after, times=times)
        if matches is not None:
            fault.matches = matches
        self.planned.append(fault)

    def run(self, method: str, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with self.lock:
            self.calls.append((method, args, kwargs))
            fault = next(
                (
                    each
                    for each in self.planned
                    if each.method == method and each.times > 0 and each.matches(*args, **kwargs)
                ),
                None,
            )
            if fault is not None:
                fault.times -= 1
        if fault is None:
            return work(*args, **kwargs)
        if fault.after:
            work(*args, **kwargs)
        raise fault.error if isinstance(fault.error, BaseException) else fault.error()

    def of(self, *methods: str) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
        return [call for call in self.calls if call[0] in methods]

    def methods(self, *of: str) -> list[str]:
        return [call[0] for call in self.calls if not of or call[0] in of]


class FaultyCatalog:
    """A real catalog whose calls are recorded and may fail, before or after they took effect."""

    def __init__(self, catalog: Catalog, faults: Faults) -> None:
        self._catalog = catalog
        self._faults = faults

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._catalog, name)
        if not callable(value) or name.startswith("_"):
            return value
        return lambda *args, **kwargs: self._faults.run(name, value, *args, **kwargs)


def _faulty(method: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any) -> Any:
        return self.faults.run(method, getattr(self.storage, method), *args)

    return call


class _Wrapper:
    """What the storage double holds; its methods are made from those that every storage must have."""

    def __init__(self, storage: Storage, faults: Faults) -> None:
        self.storage = storage
        self.faults = faults


FaultyStorage: Any = type(
    "FaultyStorage", (_Wrapper, Storage), {name: _faulty(name) for name in Storage.__abstractmethods__}
)
"""A real storage whose calls are recorded and may fail, before or after they took effect."""


def with_faults(table: FormatTable, faults: Faults, options: Mapping[str, str] | None = None) -> FormatTable:
    """The same table behind a catalog and a storage that record and may fail."""
    assert table.catalog is not None
    catalog: Any = FaultyCatalog(table.catalog, faults)
    faulty = FormatTable(table.info, catalog, options or {})
    faulty.__dict__["storage"] = FaultyStorage(table.storage, faults)
    return faulty


def ends_with(*endings: str) -> Callable[..., bool]:
    """Whether the first argument of a call ends with one of these."""
    return lambda path, *_, **__: str(path).endswith(endings)


def specs_of(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Sequence[Mapping[str, str]]:
    """The specs that a call of the catalog named."""
    _, args, kwargs = call
    specs: Sequence[Mapping[str, str]] = args[1] if len(args) > 1 else kwargs["specs"]
    return specs
