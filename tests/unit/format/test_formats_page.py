"""What ``docs/formats.md`` says in its tables is what the formats do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.options import FILE_FORMATS, TableOptions
from spark_paimon.schema import (
    ArrayType,
    DataType,
    DateType,
    DecimalType,
    Field,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    StringType,
    TimestampType,
    TimeType,
    VariantType,
)
from spark_paimon.storage import qualify, storage_for

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
SAMPLES: dict[str, DataType] = {
    "ARRAY": ArrayType(IntType()),
    "MAP": MapType(StringType(), IntType()),
    "MULTISET": MultisetType(StringType()),
    "ROW": RowType((Field(0, "x", IntType()),)),
    "VARIANT": VariantType(),
    "TIME": TimeType(3),
    "TIME finer than milliseconds": TimeType(6),
    "DECIMAL": DecimalType(38, 18),
    "TIMESTAMP": TimestampType(6),
    "TIMESTAMP WITH LOCAL TIME ZONE": LocalZonedTimestampType(6),
    "DATE": DateType(),
    "INT": IntType(),
    "STRING": StringType(),
}


def rows_of(heading: str) -> list[list[str]]:
    """Cells of the first table behind a heading, without its head."""
    found = re.search(re.escape(heading) + r"\n(?:(?!\|).*\n)*((?:\|.*\n)+)", PAGE)
    assert found, heading
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1].splitlines()[2:]]


def codecs_of(name: str) -> list[str]:
    cells = {row[0].lower(): re.findall(r"`(\w+)`", row[1]) for row in rows_of("## Codecs")}
    return cells[name] or cells["csv"]


def stores(name: str, kind: DataType) -> bool:
    try:
        file_format(name).check([Field(0, "a", kind)], TableOptions({}), "db.t")
    except errors.UnsupportedError:
        return False
    return True


def test_every_format_is_there() -> None:
    assert {row[0].lower() for row in rows_of("# File formats")} == set(FILE_FORMATS)


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_codecs(name: str) -> None:
    implementation = file_format(name)
    assert codecs_of(name)[0] == implementation.default_compression
    assert set(codecs_of(name)) == set(implementation.codecs)


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_endings_of_file_names(name: str) -> None:
    (ending,) = (row[2] for row in rows_of("## Codecs") if row[0].lower() == name)
    implementation = file_format(name)
    plain = ending.split("`")[1]
    assert implementation.extension(implementation.default_compression) == plain
    if "codec" in ending:
        endings = re.findall(r"`(\.\w+)`", PAGE[PAGE.index("The endings of the codecs") :])[:6]
        found = [implementation.extension(codec) for codec in implementation.codecs if codec != "none"]
        assert sorted(found) == sorted(plain + one for one in endings)


@pytest.mark.parametrize("name", [name for name in FILE_FORMATS if name != "text"])
def test_columns_that_cannot_be_stored(name: str) -> None:
    (cell,) = (row[2] for row in rows_of("# File formats") if row[0].lower() == name)
    refused = {part.strip() for part in cell.split(",")}
    assert {kind for kind, sample in SAMPLES.items() if not stores(name, sample)} - refused == (
        {"TIME finer than milliseconds"} if "TIME" in refused else set()
    )
    assert all(not stores(name, SAMPLES[kind]) for kind in refused)


def test_text_stores_one_string() -> None:
    assert [kind for kind, sample in SAMPLES.items() if stores("text", sample)] == ["STRING"]
    two = [Field(0, "a", StringType()), Field(1, "b", StringType())]
    with pytest.raises(errors.UnsupportedError):
        file_format("text").check(two, TableOptions({}), "db.t")


@pytest.mark.parametrize("row", rows_of("## NULL, empty texts and empty lines"), ids=str)
def test_p76_null_and_empty_texts(row: list[str], tmp_path: Path) -> None:
    literal, line, number, text = row
    path = tmp_path / "x.csv"
    path.write_text(line.strip("`") + "\n")
    columns = (Field(0, "id", IntType()), Field(1, "s", StringType()))
    options = {"csv.null-literal": literal.strip("`")} if "`" in literal else {}
    request = ReadRequest("db.t", columns, columns, options)
    file = FileSlice(qualify(path))
    (batch,) = file_format("csv").read(storage_for(file.path), file, request)
    meant = {"NULL": None, "1": 1, "the empty text": "", "the text `\\N`": "\\N"}
    assert batch.to_pylist() == [{"id": meant[number], "s": meant[text]}]
