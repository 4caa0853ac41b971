"""Reading in a worker, without Spark: Arrow batches become what Spark's Arrow reader understands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql.types import StructType

from spark_paimon import errors
from spark_paimon.bridge.reading import ReadFiles, conform
from spark_paimon.format.base import ReadRequest
from spark_paimon.schema import Field, IntType, StringType
from spark_paimon.storage import qualify

FIELDS = [Field(0, "id", IntType()), Field(1, "s", StringType())]
NUMBERED = {"name": "__number", "type": "integer", "nullable": False, "metadata": {}}


def reader(columns: Sequence[Field], **settings: Any) -> ReadFiles:
    kinds = {"id": "integer", "s": "string"}
    fields = [{"name": f.name, "type": kinds[f.name], "nullable": True, "metadata": {}} for f in columns]
    result = StructType.fromJson({"type": "struct", "fields": [*fields, NUMBERED]})
    return ReadFiles("parquet", ReadRequest("db.t", FIELDS, columns), result, {}, **settings)


def slices(*paths: Path) -> list[pa.RecordBatch]:
    rows = [
        {"number": number, "path": qualify(str(path)), "start": 0, "length": -1, "partition": ""}
        for number, path in enumerate(paths)
    ]
    return [pa.RecordBatch.from_pylist(rows)] if rows else []


def file(path: Path, *ids: int) -> Path:
    pyarrow.parquet.write_table(pa.table({"id": pa.array(ids, pa.int32()), "s": [str(i) for i in ids]}), path)
    return path


def rows(read: ReadFiles, *paths: Path) -> list[dict[str, Any]]:
    return [row for batch in read(iter(slices(*paths))) for row in batch.to_pylist()]


def test_every_row_carries_the_number_of_its_file(tmp_path: Path) -> None:
    files = file(tmp_path / "a", 1, 2), file(tmp_path / "b"), file(tmp_path / "c", 3)
    assert rows(reader(FIELDS[1:]), *files) == [
        {"s": "1", "__number": 0},
        {"s": "2", "__number": 0},
        {"s": "3", "__number": 2},
    ]
    assert rows(reader([]), *files) == [{"__number": 0}, {"__number": 0}, {"__number": 2}]


def test_lost_and_corrupt_files_are_errors_unless_tolerated(tmp_path: Path) -> None:
    good, lost, corrupt = file(tmp_path / "a", 1), tmp_path / "lost", tmp_path / "corrupt"
    corrupt.write_bytes(good.read_bytes()[:-20])
    with pytest.raises(errors.IllegalStateError, match="does not exist any more"):
        rows(reader(FIELDS), lost)
    with pytest.raises(errors.IllegalStateError, match="FILE_UNREADABLE"):
        rows(reader(FIELDS, ignore_lost=True), corrupt)
    tolerant = reader(FIELDS[:1], ignore_lost=True, ignore_corrupt=True)
    assert rows(tolerant, lost, corrupt, good) == [{"id": 1, "__number": 2}]


def test_a_file_of_other_columns_is_never_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a"
    pyarrow.parquet.write_table(pa.table({"id": pa.array([1], pa.int64())}), path)
    with pytest.raises(errors.IllegalStateError) as caught:
        rows(reader(FIELDS, ignore_corrupt=True), path)
    assert caught.value.condition == "FILE_COLUMN_TYPE"


INNER = pa.struct([("a", pa.int32()), ("b", pa.binary(2))])
VALUES: list[tuple[pa.Array, pa.DataType, list[Any]]] = [
    (pa.array([b"ab", None], pa.binary(2)), pa.binary(), [b"ab", None]),
    (pa.array([1, None], pa.time32("ms")), pa.time64("ns"), [1_000_000, None]),
    (
        pa.array([[{"a": 1, "b": b"xy"}], None, []], pa.list_(INNER)),
        pa.list_(pa.struct([("b", pa.binary())])),
        [[{"b": b"xy"}], None, []],
    ),
    (
        pa.array([[("k", {"a": 1, "b": None})], None], pa.map_(pa.string(), INNER)),
        pa.map_(pa.string(), pa.struct([("a", pa.int32())])),
        [[("k", {"a": 1})], None],
    ),
]


@pytest.mark.parametrize(("array", "kind", "expected"), VALUES)
def test_values_stay_the_same_under_sparks_types(
    array: pa.Array, kind: pa.DataType, expected: list[Any]
) -> None:
    for begin in range(len(array)):
        found = conform(array.slice(begin), kind)
        assert found.type == kind
        comparable = found.cast(pa.int64()) if pa.types.is_time(kind) else found
        assert comparable.to_pylist() == expected[begin:]


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 40])
def test_slices_of_a_file_give_every_row_once(tmp_path: Path, parts: int) -> None:
    path = tmp_path / "a"
    table = pa.table({"id": pa.array(range(1000), pa.int32()), "s": ["text"] * 1000})
    pyarrow.parquet.write_table(table, path, row_group_size=90)
    size = path.stat().st_size
    cuts = [size * part // parts for part in range(parts + 1)]
    found = []
    for start, end in itertools.pairwise(cuts):
        row = {
            "number": 0,
            "path": qualify(str(path)),
            "start": start,
            "length": end - start,
            "partition": "",
        }
        for batch in reader(FIELDS[:1])(iter([pa.RecordBatch.from_pylist([row])])):
            found += batch.column(0).to_pylist()
    assert found == list(range(1000))
