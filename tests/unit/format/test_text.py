"""TEXT: a line is a value, and nothing else is."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.text import FORMAT
from spark_paimon.options import TableOptions
from spark_paimon.schema import CharType, Field, IntType, StringType, to_arrow
from spark_paimon.storage import qualify, storage_for

ONE = [Field(0, "line", StringType())]


def read(path: Path, options: dict[str, str] | None = None, **part: int) -> list[Any]:
    request = ReadRequest("db.t", ONE, ONE, options or {})
    batches = FORMAT.read(storage_for(qualify(path.parent)), FileSlice(qualify(path), **part), request)
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def write(path: Path, values: list[Any], options: dict[str, str] | None = None, codec: str = "none") -> bytes:
    storage = storage_for(qualify(path.parent))
    writer = FORMAT.open_writer(storage, qualify(path), WriteRequest("db.t", ONE, codec, options or {}))
    writer.write(pa.RecordBatch.from_arrays([pa.array(values, pa.string())], schema=to_arrow(ONE)))
    writer.close()
    return path.read_bytes()


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"\n", [""]),
        (b"\xef\xbb\xbfa\nb", ["a", "b"]),
        (b"a\r\n\n b \n", ["a\r", "", " b "]),
        ("é\u2028\x00\U0001f600\n".encode(), ["é\u2028\x00\U0001f600"]),
        (b"a\xffb\n", ["a\ufffdb"]),
    ],
)
def test_what_a_file_means(tmp_path: Path, data: bytes, rows: list[str]) -> None:
    (tmp_path / "x").write_bytes(data)
    assert read(tmp_path / "x") == rows


@pytest.mark.parametrize("codec", FORMAT.codecs)
def test_values_come_back_and_null_as_the_empty_string(tmp_path: Path, codec: str) -> None:
    path = tmp_path / f"x{FORMAT.extension(codec)}"
    write(path, ["a", None, "", " b\r", "é"], codec=codec)
    assert read(path) == ["a", "", "", " b\r", "é"]


@pytest.mark.parametrize("delimiter", ["\n", "\r\n", "||", "aba"])
def test_a_value_with_the_line_delimiter_is_refused(tmp_path: Path, delimiter: str) -> None:
    options = {"lineSep": delimiter}
    assert write(tmp_path / "x", ["x", "y"], options) == f"x{delimiter}y{delimiter}".encode()
    assert read(tmp_path / "x", options) == ["x", "y"]
    with pytest.raises(errors.InvalidInputError, match="column line of db.t .*line delimiter") as caught:
        write(tmp_path / "y", ["x", f"1{delimiter}2"], options)
    assert caught.value.condition == "FILE_VALUE_REFUSED"


def test_p84_a_gzip_file_without_its_ending_is_read_and_a_foreign_file_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(gzip.compress(b"a\nb\n"))
    assert read(tmp_path / "x") == ["a", "b"]
    (tmp_path / "y").write_bytes(b"PAR1\x15\x04" + bytes(20) + b"PAR1")
    with pytest.raises(errors.IllegalStateError, match="should be TEXT, but is PARQUET"):
        read(tmp_path / "y")


def test_slices_are_sewn_together_at_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"".join(b"%d\n" % at + b"\n" * (at % 3) for at in range(300)))
    whole, size = read(path), path.stat().st_size
    for target in (1, 10, size, size + 1):
        cuts = FORMAT.cuts(storage_for(qualify(path)), qualify(path), size, target, TableOptions({}))
        pieces = [read(path, start=at, length=end - at) for at, end in pairwise([0, *cuts, size])]
        assert [row for piece in pieces for row in piece] == whole


@pytest.mark.parametrize("columns", [[], [Field(0, "a", IntType())], ONE * 2])
def test_only_one_column_of_text_can_be_stored(columns: list[Field]) -> None:
    with pytest.raises(errors.UnsupportedError, match="FORMAT_COLUMNS_UNSUPPORTED.*exactly one column"):
        FORMAT.check(columns, TableOptions({}), "db.t")
    FORMAT.check([Field(0, "a", CharType(3))], TableOptions({}), "db.t")


def test_counting_reads_no_columns(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\n\nb")
    request = ReadRequest("t", ONE, [])
    batches = list(FORMAT.read(storage_for(qualify(tmp_path)), FileSlice(qualify(tmp_path / "x")), request))
    assert sum(batch.num_rows for batch in batches) == 3


@pytest.mark.parametrize(("value", "refused"), [("xa", True), ("xab", False), ("aa", True), ("", False)])
def test_a_value_and_its_delimiter_may_not_make_up_another_one(
    tmp_path: Path, value: str, refused: bool
) -> None:
    path = qualify(tmp_path / "f.text")
    fields = [Field(0, "line", StringType())]
    request = WriteRequest("db.t", fields, "none", {"text.line-delimiter": "aa"})
    writer = file_format("text").open_writer(storage_for(path), path, request)
    batch = pa.record_batch([pa.array([value, "next"])], names=["line"])
    if refused:
        with pytest.raises(errors.InvalidInputError, match="FILE_VALUE_REFUSED"):
            writer.write(batch)
        return
    writer.write(batch)
    writer.close()
    read = ReadRequest("db.t", fields, fields, {"text.line-delimiter": "aa"})
    (found,) = file_format("text").read(storage_for(path), FileSlice(path), read)
    assert found.column(0).to_pylist() == [value, "next"]
