"""MOSAIC files, through the package paimon-mosaic."""

from __future__ import annotations

import io
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.signature import found_format
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    DecimalType,
    IntType,
    LocalZonedTimestampType,
    StringType,
    TimestampType,
    TimeType,
    VariantType,
    to_arrow,
)
from spark_paimon.storage import qualify
from spark_paimon.storage.local import LocalStorage
from tests.columnar_cases import CASES, FINE_TIMES, ROWS, TIMES, case_table, columns, count, read, write

mosaic: Any = pytest.importorskip("mosaic")

MOSAIC = file_format("mosaic")
STORABLE = CASES | TIMES


@pytest.mark.parametrize("codec", MOSAIC.codecs)
def test_every_type_comes_back_from_every_codec(tmp_path: Path, codec: str) -> None:
    fields, table = case_table(STORABLE)
    write("mosaic", tmp_path / "f", fields, table, codec)
    assert read("mosaic", tmp_path / "f", fields).equals(table)
    assert read("mosaic", tmp_path / "f", fields, batch_rows=5).equals(table)
    assert count("mosaic", tmp_path / "f") == table.num_rows


def test_nanoseconds_are_stored(tmp_path: Path) -> None:
    fields = columns(a=TimestampType(9), b=LocalZonedTimestampType(9))
    values = [-(2**63), None, -1, 2**63 - 1]
    arrays = [pa.array(values, pa.timestamp("ns", zone)) for zone in (None, "UTC")]
    table = pa.table(arrays, schema=to_arrow(fields))
    write("mosaic", tmp_path / "f", fields, table)
    assert read("mosaic", tmp_path / "f", fields).equals(table)


def test_the_package_itself_finds_the_values(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("mosaic", tmp_path / "f", fields, table)
    content = (tmp_path / "f").read_bytes()
    found = mosaic.read_table(lambda offset, length: content[offset : offset + length], len(content))
    for name in table.column_names:
        assert found[name].to_pylist() == table[name].to_pylist(), name


def test_files_of_the_package_are_read_and_widened(tmp_path: Path) -> None:
    table = pa.table({"A": pa.array([1, None], pa.int32()), "b": pa.array(["x", None])})
    stream = io.BytesIO()
    mosaic.write_table(table, stream)
    (tmp_path / "f").write_bytes(stream.getvalue())
    fields = columns(b=StringType(), a=BigIntType(), c=IntType())
    assert read("mosaic", tmp_path / "f", fields).to_pylist() == [
        {"b": "x", "a": 1, "c": None},
        {"b": None, "a": None, "c": None},
    ]
    with pytest.raises(errors.IllegalStateError) as caught:
        read("mosaic", tmp_path / "f", columns(b=IntType()))
    assert caught.value.condition == "FILE_COLUMN_TYPE"


def test_a_file_without_rows_reads_as_none(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("mosaic", tmp_path / "f", fields, table.slice(0, 0))
    assert read("mosaic", tmp_path / "f", fields).num_rows == 0
    assert count("mosaic", tmp_path / "f") == 0


def test_rows_are_counted_when_no_column_is_wanted(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("mosaic", tmp_path / "f", fields, table)
    found = read("mosaic", tmp_path / "f", fields, [], batch_rows=5)
    assert (found.num_rows, found.num_columns) == (table.num_rows, 0)


class Recording(LocalStorage):
    """Notes how many bytes are read."""

    def __init__(self) -> None:
        self.bytes = 0

    def open_input(self, path: str) -> BinaryIO:
        storage, opened = self, super().open_input(path)

        class Stream(io.BufferedReader):
            def read(self, size: int | None = -1, /) -> bytes:
                content = opened.read(-1 if size is None else size)
                storage.bytes += len(content)
                return content

            def seek(self, target: int, whence: int = 0, /) -> int:
                return opened.seek(target, whence)

            def close(self) -> None:
                opened.close()

        return Stream(io.BytesIO())  # type: ignore[arg-type]


def test_only_wanted_columns_and_for_counts_only_the_footer_are_read(tmp_path: Path) -> None:
    fields = columns(**{f"c{n}": StringType() for n in range(40)})
    texts = [[f"{n * k % 99_991}" for k in range(5_000)] for n in range(1, 41)]
    write_all = pa.table(texts, schema=to_arrow(fields))
    request = WriteRequest("db.t", fields, "none")
    writer = MOSAIC.open_writer(LocalStorage(), qualify(tmp_path / "f"), request)
    for batch in write_all.to_batches():
        writer.write(batch)
    writer.close()
    size = (tmp_path / "f").stat().st_size
    storage = Recording()
    wanted = ReadRequest("db.t", fields, fields[3:4])
    rows = sum(b.num_rows for b in MOSAIC.read(storage, FileSlice(qualify(tmp_path / "f")), wanted))
    assert rows == 5_000
    assert storage.bytes < size / 2
    storage = Recording()
    assert MOSAIC.count_rows(storage, qualify(tmp_path / "f")) == 5_000
    assert storage.bytes <= 64 * 1024  # the end, in one piece


def test_types_that_it_cannot_store_are_refused() -> None:
    options = TableOptions({})
    MOSAIC.check(case_table(STORABLE)[0], options, "db.t")
    for cases in (ROWS, FINE_TIMES):
        for name, (kind, _) in cases.items():
            with pytest.raises(errors.UnsupportedError, match="Formats that can: PARQUET") as caught:
                MOSAIC.check(columns(**{name: kind}), options, "db.t")
            assert caught.value.parameters["column"] == name
    with pytest.raises(errors.UnsupportedError, match="VARIANT of column v"):
        MOSAIC.check(columns(v=ArrayType(VariantType())), options, "db.t")
    MOSAIC.check(columns(t=TimeType(3)), options, "db.t")


def test_files_end_with_a_mark_and_begin_with_data(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("mosaic", tmp_path / "f", fields, table)
    content = (tmp_path / "f").read_bytes()
    assert found_format(content[:8], content[-8:]) == "mosaic"
    assert found_format(b"\x28\xb5\x2f\xfd\x20\x05\x29\x00", b"\x01\x01\x00\x00MOSA") == "mosaic"


@pytest.mark.parametrize("part", [slice(0, 0), slice(0, 40), slice(0, -1), slice(200, None)])
def test_damaged_files_are_unreadable(tmp_path: Path, part: slice) -> None:
    fields, table = case_table(STORABLE)
    write("mosaic", tmp_path / "f", fields, table)
    (tmp_path / "f").write_bytes((tmp_path / "f").read_bytes()[part])
    with pytest.raises(errors.IllegalStateError) as caught:
        read("mosaic", tmp_path / "f", fields)
    assert caught.value.condition == "FILE_UNREADABLE"
    with pytest.raises(ValueError, match="open failed"):
        count("mosaic", tmp_path / "f")


def test_files_of_other_formats_are_named(tmp_path: Path) -> None:
    fields, table = case_table(CASES)
    write("parquet", tmp_path / "p", fields, table)
    (tmp_path / "c").write_bytes(b"1,2,3\n4,5,6\n")
    for name, found in (("p", "is PARQUET"), ("c", "is something else")):
        with pytest.raises(errors.IllegalStateError, match=found) as caught:
            read("mosaic", tmp_path / name, fields)
        assert caught.value.condition == "FILE_FORMAT_MISMATCH"


def test_errors_of_the_storage_pass(tmp_path: Path) -> None:
    fields, table = case_table(CASES)
    write("mosaic", tmp_path / "f", fields, table)

    class Failing(Recording):
        def open_input(self, path: str) -> BinaryIO:
            stream = super().open_input(path)

            def read(_size: int = -1) -> bytes:
                raise errors.StorageError("STORAGE_FAILED", operation="read", path=path, reason="no network")

            stream.read = read  # type: ignore[method-assign]
            return stream

    request = ReadRequest("db.t", fields, fields)
    with pytest.raises(errors.StorageError, match="no network"):
        list(MOSAIC.read(Failing(), FileSlice(qualify(tmp_path / "f")), request))


def test_without_its_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mosaic", None)
    with pytest.raises(errors.UnsupportedError, match=r"pip install 'spark-paimon\[mosaic\]'") as caught:
        write("mosaic", tmp_path / "f", columns(a=IntType()), pa.table({"a": pa.array([1], pa.int32())}))
    assert caught.value.condition == "EXTRA_MISSING"
    assert not (tmp_path / "f").exists()
    (tmp_path / "f").write_bytes(b"x" * 50)
    with pytest.raises(errors.UnsupportedError, match="needs the extra 'mosaic'"):
        read("mosaic", tmp_path / "f", columns(a=IntType()))
    with pytest.raises(errors.UnsupportedError, match="needs the extra 'mosaic'"):
        count("mosaic", tmp_path / "f")


def test_spark_neither_reads_nor_writes_it() -> None:
    assert MOSAIC.why_python_reads([], TableOptions({})) is not None
    assert MOSAIC.why_python_writes([], TableOptions({}), "zstd") is not None
    assert (MOSAIC.extra, MOSAIC.default_compression) == ("mosaic", "zstd")


def test_decimals_at_any_address_are_written(tmp_path: Path) -> None:
    kind = pa.decimal128(20, 2)
    values = [Decimal("1.50"), Decimal("-2.25"), None]
    proper = pa.array(values, kind)
    validity, numbers = proper.buffers()
    assert numbers is not None
    raw = bytearray(96)
    whole = pa.py_buffer(raw)
    start = (8 - whole.address) % 16
    raw[start : start + numbers.size] = numbers.to_pybytes()
    decimals = pa.Array.from_buffers(kind, 3, [validity, whole.slice(start)])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3, 3], pa.int32()), decimals)
    fields = columns(a=DecimalType(20, 2), b=ArrayType(DecimalType(20, 2)))
    write("mosaic", tmp_path / "f", fields, pa.table([decimals, lists], schema=to_arrow(fields)))
    assert read("mosaic", tmp_path / "f", fields).to_pydict() == {
        "a": values,
        "b": [values[:1], values[1:], []],
    }
