"""Files by pyarrow, pypaimon and plain Python are read right, and they read ours right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from spark_paimon import errors
from spark_paimon.schema import BooleanType, Field, IntegralType, TextType
from tests.peers import arrow_files, ours, pypaimon_files
from tests.peers.comparing import differences
from tests.peers.pypaimon_files import PyPaimon
from tests.peers.rows import as_text, columns_for, in_spark, rows

# pyarrow doubles quotes and knows no escape character: the quote is its own.
DOUBLED_QUOTES = {"csv.escape-character": '"'}
WITH_HEADER = {"csv.include-header": "true"}


def fields(file_format: str, *, without: Sequence[str] = ()) -> list[Field]:
    """All columns of a format but those whose names begin with one of some texts."""
    return [field for field in columns_for(file_format) if not field.name.startswith(tuple(without))]


# --- pyarrow ---


@pytest.mark.parametrize("variant", arrow_files.PARQUET_VARIANTS)
def test_parquet_by_pyarrow_is_read_right(tmp_path: Path, variant: str) -> None:
    columns = fields("parquet", without=("timestamp_9", "ltz_9") if variant == "format 1.0" else ())
    arrow_files.write_parquet(tmp_path / "f", rows(columns), variant)
    # INT96 is read to the microsecond, because its range has no room for more in 64 bits.
    expected = rows(columns, digits=6 if variant == "int96" else 9)
    assert differences(expected, ours.read(tmp_path / "f", columns, "parquet")) == []


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_parquet_by_pyarrow_is_read_with_each_codec(tmp_path: Path, codec: str) -> None:
    columns = fields("parquet")
    arrow_files.write_parquet(tmp_path / "f", rows(columns), compression=codec)
    assert differences(rows(columns), ours.read(tmp_path / "f", columns, "parquet")) == []


@pytest.mark.parametrize("variant", ["default", "int96"])
def test_parquet_timestamps_are_read_in_the_unit_of_the_column(tmp_path: Path, variant: str) -> None:
    columns = [field for field in columns_for("parquet") if field.name.startswith(("id", "timestamp", "ltz"))]
    arrow_files.write_parquet(tmp_path / "f", rows(columns), variant)
    wanted = in_spark(columns)
    assert differences(rows(wanted), ours.read(tmp_path / "f", wanted, "parquet")) == []


def test_parquet_of_ours_is_read_right_by_pyarrow(tmp_path: Path) -> None:
    columns = fields("parquet")
    table = rows(columns, digits=6)
    ours.write(tmp_path / "f", table, columns, "parquet")
    assert differences(table, arrow_files.read_parquet(tmp_path / "f", columns)) == []


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zlib", "lz4", "zstd"])
def test_orc_by_pyarrow_is_read_right(tmp_path: Path, codec: str) -> None:
    columns = [field for field in columns_for("orc") if arrow_files.writes_orc(field)]
    arrow_files.write_orc(tmp_path / "f", rows(columns), codec)
    assert differences(rows(columns), ours.read(tmp_path / "f", columns, "orc")) == []


def test_orc_timestamps_by_pyarrow_are_read_in_the_unit_of_the_column(tmp_path: Path) -> None:
    columns = [field for field in columns_for("orc") if field.name.startswith(("id", "timestamp", "ltz"))]
    arrow_files.write_orc(tmp_path / "f", rows(columns))
    wanted = in_spark(columns)
    assert differences(rows(wanted), ours.read(tmp_path / "f", wanted, "orc")) == []


def test_orc_of_ours_is_read_right_by_pyarrow(tmp_path: Path) -> None:
    # pyarrow has nanoseconds for every ORC timestamp, which do not reach to the year 1 or 9999.
    far = [f"{kind}_{digits}" for kind in ("timestamp", "ltz") for digits in (0, 3, 6)]
    columns = fields("orc", without=(*far, "array_timestamp", "map_ltz", "row", "time_"))
    table = rows(columns, digits=6)
    ours.write(tmp_path / "f", table, columns, "orc")
    assert differences(table, arrow_files.read_orc(tmp_path / "f", columns)) == []


@pytest.mark.parametrize("quoting", ["needed", "all_valid"])
@pytest.mark.parametrize("header", [False, True], ids=["", "header"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_by_pyarrow_is_read_right(tmp_path: Path, header: bool, delimiter: str, quoting: str) -> None:
    columns = [field for field in columns_for("csv") if arrow_files.writes_csv(field)]
    arrow_files.write_csv(tmp_path / "f", rows(columns), header, delimiter, quoting)
    options = {**DOUBLED_QUOTES, "csv.include-header": str(header).lower(), "csv.field-delimiter": delimiter}
    assert differences(rows(columns), ours.read(tmp_path / "f", columns, "csv", options)) == []


@pytest.mark.parametrize("escape", ["\\", '"'])
def test_csv_of_ours_is_read_right_by_pyarrow(tmp_path: Path, escape: str) -> None:
    columns = [field for field in columns_for("csv") if arrow_files.writes_csv(field)]
    ours.write(tmp_path / "f", rows(columns), columns, "csv", options={"csv.escape-character": escape})
    doubled = escape == '"'
    read = arrow_files.read_csv(tmp_path / "f", columns, False if doubled else escape, doubled)
    assert differences(rows(columns), read) == []


def test_json_of_ours_is_read_right_by_pyarrow(tmp_path: Path) -> None:
    # It knows no maps, and numbers neither as texts nor without end.
    def known(field: Field) -> bool:
        return isinstance(field.type, (BooleanType, IntegralType, TextType)) or field.name == "array_string"

    columns = [field for field in columns_for("json") if known(field)]
    ours.write(tmp_path / "f", rows(columns), columns, "json")
    assert differences(rows(columns), arrow_files.read_json(tmp_path / "f", columns)) == []


# --- JSON of Python ---


def _as_object(entries: list[tuple[str, object]] | None) -> dict[str, object] | None:
    return None if entries is None else dict(entries)


def test_json_by_python_is_read_right(tmp_path: Path) -> None:
    maps = {"map_string": _as_object, "nested": lambda row: {**row, "m": _as_object(row["m"])}}
    names = ("double", "array_int", "array_string", "array_array", "date", *maps)
    plain = (BooleanType, IntegralType, TextType)
    columns = [f for f in columns_for("json") if isinstance(f.type, plain) or f.name in names]
    table = rows(columns)
    with (tmp_path / "f").open("w", encoding="utf-8") as stream:
        for number, row in enumerate(table.to_pylist()):
            for name, change in maps.items():
                row[name] = None if row[name] is None else change(row[name])
            # Escapes and blanks as they come, and NULL left out now and then.
            row = {name: value for name, value in row.items() if value is not None or number % 2}
            stream.write(json.dumps(row, default=str, ensure_ascii=number % 3 == 0) + "\n")
    assert differences(table, ours.read(tmp_path / "f", columns, "json")) == []


def test_json_of_ours_is_strict_json_with_one_object_a_line(tmp_path: Path) -> None:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    columns = fields("json")
    table = rows(columns)
    ours.write(tmp_path / "f", table, columns, "json")
    lines = (tmp_path / "f").read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    documents = [json.loads(line, parse_constant=refuse) for line in lines]
    assert len(documents) == table.num_rows
    assert [document["string"] for document in documents] == table.column("string").to_pylist()


# --- pypaimon ---


@pytest.fixture(scope="module")
def pypaimon() -> Iterator[PyPaimon]:
    """A running pypaimon, or a skipped test."""
    reason = pypaimon_files.available()
    if reason is not None:
        pytest.skip(f"pypaimon {pypaimon_files.VERSION} cannot be had: {reason}")
    with PyPaimon() as running:
        yield running


def _by_pypaimon(file_format: str) -> list[Field]:
    """Columns that it can store."""
    if file_format == "json":
        plain = (BooleanType, IntegralType, TextType)
        nested = ("array_int", "array_string", "array_array")
        return [f for f in columns_for("json") if isinstance(f.type, plain) or f.name in nested]
    columns = columns_for(file_format)
    if file_format == "csv":
        return [field for field in columns if arrow_files.writes_csv(field)]
    if file_format == "orc":
        return [field for field in columns if arrow_files.writes_orc(field)]
    if file_format == "mosaic":
        units = ("time_0", "time_6", "timestamp_0", "ltz_0")
        return fields("mosaic", without=("binary", *units, "array_decimal", "row", "nested"))
    return columns


def _options(file_format: str) -> dict[str, str]:
    return {**WITH_HEADER, **DOUBLED_QUOTES} if file_format == "csv" else {}


@pytest.mark.parametrize("file_format", pypaimon_files.FORMATS)
def test_files_by_pypaimon_are_read_right(tmp_path: Path, pypaimon: PyPaimon, file_format: str) -> None:
    columns = _by_pypaimon(file_format)
    table = rows(columns)
    path = pypaimon.write(tmp_path / "t", table, columns, file_format)
    expected = as_text(table) if file_format == "text" else table
    assert differences(expected, ours.read(path, columns, file_format, _options(file_format))) == []


@pytest.mark.parametrize("file_format", ["parquet", "text", "mosaic"])
def test_files_of_ours_are_read_by_pypaimon(tmp_path: Path, pypaimon: PyPaimon, file_format: str) -> None:
    columns = _by_pypaimon(file_format)
    table = rows(columns, digits=6)
    (tmp_path / "t").mkdir()
    ours.write(tmp_path / "t" / "data-0", table, columns, file_format)
    read = arrow_files.as_columns(pypaimon.read(tmp_path / "t", columns, file_format), columns)
    # It strips empty lines at the end of a text file.
    expected = as_text(table) if file_format == "text" else table
    assert differences(expected, read) == []


def test_csv_of_ours_with_header_and_doubled_quotes_is_read_right_by_pypaimon(
    tmp_path: Path, pypaimon: PyPaimon
) -> None:
    # pypaimon guesses types from the values, and reads NULL of a text as empty.
    columns = [field for field in columns_for("csv") if isinstance(field.type, (IntegralType, TextType))]
    table = rows(columns)
    (tmp_path / "t").mkdir()
    ours.write(tmp_path / "t" / "data-0", table, columns, "csv", options=_options("csv"))
    texts = [
        pc.fill_null(column, "") if pa.types.is_string(column.type) else column for column in table.columns
    ]
    read = arrow_files.as_columns(pypaimon.read(tmp_path / "t", columns, "csv"), columns)
    assert differences(pa.table(texts, schema=table.schema), read) == []


def test_json_of_pypaimon_has_maps_as_lists_which_are_refused(tmp_path: Path, pypaimon: PyPaimon) -> None:
    columns = [field for field in columns_for("json") if field.name in ("id", "map_string")]
    path = pypaimon.write(tmp_path / "t", rows(columns), columns, "json")
    with pytest.raises(errors.IllegalStateError, match="map_string"):
        ours.read(path, columns, "json")


def test_pypaimon_refuses_values_that_json_dumps_does_not_know(tmp_path: Path, pypaimon: PyPaimon) -> None:
    for name in ("decimal_9_2", "bytes", "date", "time_3", "timestamp_6"):
        columns = [field for field in columns_for("json") if field.name in ("id", name)]
        with pytest.raises(pypaimon_files.PeerError, match="not JSON serializable"):
            pypaimon.write(tmp_path / name, rows(columns), columns, "json")
