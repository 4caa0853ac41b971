"""The staged writer: which file a row goes to, when a file is full, and what is left of a task that fails."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.schema import Field, Schema, parse_type, to_arrow
from spark_paimon.schema.types import ArrayType, DataType, IntType, MapType, RowType, StringType
from spark_paimon.storage import local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile, WriteMode, commit
from spark_paimon.table.write import StagedWriter, WriteSettings
from tests.format_tables import Faults, create, directory, everything, names, open_catalog, with_faults

DAY = pa.date32()
MICROS = pa.timestamp("us")
INT = IntType(nullable=False)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return open_catalog(tmp_path / "warehouse")


def table_of(
    catalog: Catalog, partition_keys: tuple[str, ...] = (), **columns: str | DataType
) -> FormatTable:
    types = {name: parse_type(kind) if isinstance(kind, str) else kind for name, kind in columns.items()}
    fields = tuple(Field(i, name, kind) for i, (name, kind) in enumerate(types.items()))
    options = {"type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true"}
    catalog.create_table("db.made", Schema(fields, partition_keys, options=options))
    return catalog.get_table("db.made")


def write(table: FormatTable, *batches: pa.RecordBatch, **arguments: Any) -> list[StagedFile]:
    with StagedWriter(WriteSettings.of(table), **arguments) as writer:
        for batch in batches:
            writer.write(batch)
        return writer.finish()


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.record_batch(columns)


def content(file: StagedFile) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetFile(local_path(file.staged)).read().to_pylist()
    return rows


def ids(file: StagedFile) -> list[int]:
    return [row["id"] for row in content(file)]


def by_partition(files: list[StagedFile]) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = {}
    for file in files:
        found.setdefault(tuple(file.spec.values()), []).extend(ids(file))
    return found


# ---- where rows go
# -----------------------------------------------------------------------------------------------


def test_an_unpartitioned_table_gets_one_file(catalog: Catalog) -> None:
    table = create(catalog, {})
    (file,) = write(table, batch(id=[1, 2]), batch(id=[3]))
    assert ids(file) == [1, 2, 3]
    assert (file.spec, file.rows) == ({}, 3)
    assert file.size == Path(local_path(file.staged)).stat().st_size


def test_no_rows_make_no_file(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    assert write(table) == []
    assert write(table, batch(id=pa.array([], pa.int64()), dt=pa.array([], pa.string()))) == []
    assert everything(table) == []


@pytest.mark.parametrize("value_only", [False, True])
def test_rows_in_any_order_go_to_their_partitions_in_their_order(catalog: Catalog, value_only: bool) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    hours = pa.array([1, 2, 1, None, 2, 1], pa.int32())
    first = batch(id=[1, 2, 3, 4, 5, 6], dt=["a", "a", "b", "a", "a", "a"], hh=hours)
    files = write(table, first, batch(id=[7], dt=["b"], hh=pa.array([1], pa.int32())))
    assert by_partition(files) == {
        ("a", "1"): [1, 6],
        ("a", "2"): [2, 5],
        ("b", "1"): [3, 7],
        ("a", "__DEFAULT_PARTITION__"): [4],
    }
    assert all(set(row) == {"id"} for file in files for row in content(file))
    commit(table, files, WriteMode.APPEND)
    assert len(names(table)) == 4


@pytest.mark.parametrize("value_only", [False, True])
@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        ("STRING", ["a:b", " x", "é/😀", "", " ", None, "a=b%"], None),
        ("VARCHAR(9)", ["a", None], None),
        ("BIGINT", [-(2**63), 2**63 - 1, None], None),
        ("BOOLEAN", [True, False, None], ["true", "false", "__DEFAULT_PARTITION__"]),
        ("DATE", pa.array([0, -719162, 2932896, None], DAY), ["1970-01-01", "0001-01-01", "9999-12-31"]),
        ("TIMESTAMP(6)", pa.array([-1, None], MICROS), ["1969-12-31 23:59:59.999999"]),
        ("TIMESTAMP(3)", pa.array([-1], MICROS), ["1969-12-31 23:59:59.999"]),
        ("DECIMAL(10, 2)", [Decimal("-0.10"), Decimal("0.00")], ["-0.10", "0.00"]),
    ],
)
def test_every_value_is_spelled_as_a_commit_expects_it(
    catalog: Catalog, value_only: bool, kind: str, values: Any, texts: list[str] | None
) -> None:
    table = create(catalog, {"p": kind}, value_only=value_only)
    column = (
        values if isinstance(values, pa.Array) else pa.array(values, to_arrow(table.layout.columns)[0].type)
    )
    files = write(table, batch(id=list(range(len(column))), p=column))
    assert sorted(row for file in files for row in ids(file)) == list(range(len(column)))
    commit(table, files, WriteMode.APPEND)
    written = {file.spec["p"] for file in files}
    assert set(texts or ()) <= written
    assert {row.spec["p"] for row in table.list_partitions()} == written


def test_null_and_blank_strings_share_a_file(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    (file,) = write(table, batch(id=[1, 2, 3, 4], dt=["", None, " ", "\t"]))
    assert ids(file) == [1, 2, 3, 4]
    assert file.spec == {"dt": "__DEFAULT_PARTITION__"}


@pytest.mark.parametrize(
    ("value_only", "value", "condition"),
    [
        (False, "__DEFAULT_PARTITION__", "PARTITION_VALUE_RESERVED"),
        (True, "..", "PARTITION_VALUE_NOT_PATH"),
        (True, "_delta_log", "PARTITION_VALUE_NOT_PATH"),
    ],
)
def test_a_value_that_no_partition_can_have_is_refused_and_nothing_stays(
    catalog: Catalog, value_only: bool, value: str, condition: str
) -> None:
    table = create(catalog, {"dt": "STRING"}, value_only=value_only)
    with pytest.raises(errors.InvalidInputError, match="dt") as caught:
        write(table, batch(id=[1, 2], dt=["a", value]))
    assert caught.value.condition == condition
    assert everything(table) == []


# ---- names and sizes of files
# -----------------------------------------------------------------------------------------------


def test_names_have_one_uuid_a_partition_and_count_up(catalog: Catalog) -> None:
    options = {"target-file-row-num": "2", "data-file.prefix": "part-"}
    table = create(catalog, {"dt": "STRING"}, options=options)
    files = write(table, batch(id=list(range(8)), dt=["a"] * 5 + ["b"] * 3))
    found = [re.fullmatch(r".*/dt=(.)/part-([0-9a-f-]{36})-(\d)\.parquet", file.final) for file in files]
    assert all(found)
    parts = [match.groups() for match in found if match]
    assert Counter((name, number) for name, _, number in parts) == Counter(
        [("a", "0"), ("a", "1"), ("a", "2"), ("b", "0"), ("b", "1")]
    )
    assert len({(name, identity) for name, identity, _ in parts}) == 2
    staged = [re.fullmatch(r".*/dt=./_temporary/\.tmp\.[0-9a-f-]{36}", file.staged) for file in files]
    assert all(staged)


def test_the_codec_is_in_the_name_where_the_table_says_so(catalog: Catalog) -> None:
    options = {"file.suffix.include.compression": "true", "file.compression": "zstd"}
    (file,) = write(create(catalog, {}, options=options), batch(id=[1]))
    assert file.final.endswith("-0.zstd.parquet")


@pytest.mark.parametrize("size", [1, 3, 10])
def test_rows_are_counted_over_batches(catalog: Catalog, size: int) -> None:
    table = create(catalog, {}, options={"target-file-row-num": "3"})
    numbers = list(range(10))
    files = write(table, *[batch(id=numbers[at : at + size]) for at in range(0, 10, size)])
    assert [ids(file) for file in files] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]


def test_size_is_looked_at_every_thousand_rows(catalog: Catalog) -> None:
    table = create(catalog, {}, options={"target-file-size": "1 b"})
    files = write(table, batch(id=list(range(2500))))
    assert [file.rows for file in files] == [1000, 1000, 500]


def test_files_of_a_target_size_come_out_near_it(catalog: Catalog) -> None:
    table = create(catalog, {}, options={"target-file-size": "256 kb", "file.format": "csv"})
    numbers = [n * 0x9E3779B97F4A7C15 % 2**62 for n in range(200_000)]
    files = write(table, *[batch(id=numbers[at : at + 7000]) for at in range(0, 200_000, 7000)])
    assert sum(file.rows for file in files) == 200_000
    assert all(256_000 < file.size < 400_000 for file in files[:-1])


# ---- open files
# -----------------------------------------------------------------------------------------------


def test_the_least_recently_used_file_makes_room(catalog: Catalog) -> None:
    table = create(catalog, {"p": "INT"})
    order = [1, 2, 1, 3, 1, 2]
    batches = [batch(id=[at], p=pa.array([p], pa.int32())) for at, p in enumerate(order)]
    files = write(table, *batches, open_files=2)
    assert sorted((file.spec["p"], ids(file)) for file in files) == [
        ("1", [0, 2, 4]),
        ("2", [1]),
        ("2", [5]),
        ("3", [3]),
    ]
    assert len({file.final for file in files}) == 4
    commit(table, files, WriteMode.APPEND)


def test_sorted_rows_need_one_open_file(catalog: Catalog) -> None:
    table = create(catalog, {"p": "INT"})
    keys = sorted(n % 5 for n in range(1000))
    batches = [
        batch(id=list(range(at, at + 70)), p=pa.array(keys[at : at + 70], pa.int32()))
        for at in range(0, 980, 70)
    ]
    files = write(table, *batches, open_files=1)
    assert [file.spec["p"] for file in files] == ["0", "1", "2", "3", "4"]


# ---- columns
# -----------------------------------------------------------------------------------------------


def test_columns_are_found_by_name_and_cast(catalog: Catalog) -> None:
    table = table_of(catalog, ("dt",), id="BIGINT", t="TIMESTAMP(3)", z="TIMESTAMP_LTZ(6)", dt="DATE")
    zoned = pa.array([0], pa.timestamp("us", tz="Asia/Shanghai"))
    given = pa.record_batch(
        {"dt": pa.array([0], DAY), "z": zoned, "t": pa.array([-1500], MICROS), "id": pa.array([1], pa.int8())}
    )
    (file,) = write(table, given)
    stored = pq.ParquetFile(local_path(file.staged)).read()
    assert stored.schema.names == ["id", "t", "z"]
    millis = stored["t"].cast(pa.timestamp("ms")).cast(pa.int64())
    assert millis.to_pylist() == [-2]  # cut off downwards
    assert stored["z"].cast(pa.int64()).to_pylist() == [0]


@pytest.mark.parametrize("given", [batch(id=[1]), batch(id=[1], dt=["a"], more=[1]), batch(ID=[1], dt=["a"])])
def test_other_columns_are_refused(catalog: Catalog, given: pa.RecordBatch) -> None:
    table = create(catalog, {"dt": "STRING"})
    with pytest.raises(errors.InvalidInputError, match="exactly the columns id, dt") as caught:
        write(table, given)
    assert caught.value.condition == "WRITE_COLUMNS_DIFFER"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("TINYINT", pa.array([300])),
        ("INT", pa.array([1.5])),
        ("DECIMAL(4, 2)", pa.array([Decimal("1.234")])),
        ("TIMESTAMP(9)", pa.array([253402300799000000], MICROS)),
    ],
)
def test_a_value_is_never_cut_to_fit(catalog: Catalog, kind: str, value: pa.Array) -> None:
    table = table_of(catalog, id="BIGINT", v=kind)
    with pytest.raises(errors.InvalidInputError, match="column v of db.made") as caught:
        write(table, pa.record_batch({"id": [1], "v": value}))
    assert caught.value.condition == "WRITE_VALUE_UNFIT"
    assert everything(table) == []


@pytest.mark.parametrize(
    ("kind", "values", "column"),
    [
        (INT, [1, None], "v"),
        (ArrayType(INT), [[1], None, [2, None]], "v.element"),
        (RowType((Field(2, "a", INT),)), [{"a": 1}, None, {"a": None}], "v.a"),
        (MapType(StringType(), INT), [[("x", 1)], None, [("x", None)]], "v.value"),
        (ArrayType(RowType((Field(2, "a", INT),))), [[{"a": 1}, None], [{"a": None}]], "v.element.a"),
    ],
)
def test_null_is_refused_where_it_is_forbidden(
    catalog: Catalog, kind: DataType, values: list[Any], column: str
) -> None:
    table = table_of(catalog, id="BIGINT", v=kind)
    given_type = pa.map_(pa.string(), pa.int64()) if isinstance(kind, MapType) else None
    allowed, wrong = pa.array(values[:-1], given_type), pa.array(values, given_type)
    (file,) = write(table, pa.record_batch({"id": pa.array(range(len(allowed))), "v": allowed}))
    assert file.rows == len(values) - 1
    text = re.escape(f"Cannot write null to non-null column({column}) of db.made")
    for given in (wrong, pa.concat_arrays([allowed, wrong]).slice(len(allowed))):
        with pytest.raises(errors.InvalidInputError, match=text) as caught:
            write(table, pa.record_batch({"id": pa.array(range(len(given))), "v": given}))
        assert caught.value.condition == "COLUMN_NOT_NULL"


# ---- failures
# -----------------------------------------------------------------------------------------------


def test_abort_removes_files_and_the_directories_made_for_them(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, options={"target-file-row-num": "1"})
    kept = directory(table, "dt=a")
    kept.mkdir(parents=True)
    writer = StagedWriter(WriteSettings.of(table), open_files=1)
    hours = pa.array([1, 2, 2, 1], pa.int32())
    writer.write(batch(id=[1, 2, 3, 4], dt=["a", "a", "b", "c"], hh=hours))
    assert len([path for path in everything(table) if ".tmp." in path]) == 4
    writer.abort()
    # The directory of dt=a was there before, but as no partition: nothing tells it from one made for hh=1.
    assert [path for path in everything(table) if not path.startswith("dt=a")] == []
    assert not list(directory(table).rglob(".tmp.*"))
    writer.abort()


def test_abort_leaves_the_directory_of_a_partition_that_was_there(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    directory(table, "dt=a").mkdir(parents=True)
    writer = StagedWriter(WriteSettings.of(table))
    writer.write(batch(id=[1, 2], dt=["a", "b"]))
    writer.abort()
    assert everything(table) == ["dt=a"]


@pytest.mark.parametrize("method", ["open_output", "exists", "file_size"])
@pytest.mark.parametrize("successes", [0, 2])
def test_a_failing_storage_leaves_nothing(catalog: Catalog, method: str, successes: int) -> None:
    table = create(catalog, {"dt": "STRING"})
    faults = Faults()
    seen: list[str] = []
    faulty = with_faults(table, faults).storage
    settings = WriteSettings.of(table)
    settings.__dict__["storage"] = faulty

    def later(path: str) -> bool:
        seen.append(path)
        return len(seen) > successes

    faults.fail(method, OSError("no space left"), later)

    def run() -> None:
        with StagedWriter(settings) as writer:
            writer.write(batch(id=[1, 2, 3, 4], dt=["a", "b", "c", "d"]))
            writer.finish()

    with pytest.raises(OSError, match="no space left"):
        run()
    assert everything(table) == []


def test_a_failing_cleanup_does_not_hide_the_error(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    faults = Faults()
    faulty = with_faults(table, faults).storage
    settings = WriteSettings.of(table)
    settings.__dict__["storage"] = faulty
    faults.fail("delete_file", errors.StorageError("FILE_NOT_DELETED", path="x", reason="refused"))

    def run() -> None:
        with StagedWriter(settings) as writer:
            writer.write(batch(id=[1], dt=["a"]))
            raise KeyError("the first error")

    with pytest.raises(KeyError, match="the first error"):
        run()
    assert [path for path in everything(table) if ".tmp." in path]


def test_every_file_is_announced_before_it_exists(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    announced: list[str] = []

    def announce(file: StagedFile) -> None:
        assert not Path(local_path(file.staged)).exists()
        announced.append(file.staged)

    files = write(table, batch(id=[1, 2], dt=["a", "b"]), announce=announce)
    assert announced == [file.staged for file in files]


def test_settings_travel_without_a_catalog(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "DATE"}, options={"file.compression": "zstd"})
    settings = WriteSettings.of(table)
    assert settings.storage
    assert settings.schema
    copy: WriteSettings = pickle.loads(pickle.dumps(settings))
    assert copy == settings
    assert b"catalog.db" not in pickle.dumps(settings)
    with StagedWriter(copy) as writer:
        writer.write(batch(id=[1], dt=pa.array([1], DAY)))
        files = writer.finish()
    assert commit(table, files, WriteMode.APPEND).written == ("dt=1970-01-02",)
