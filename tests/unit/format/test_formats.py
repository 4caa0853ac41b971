"""Names of formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.format import file_format, parse_format, resolve_compression
from spark_paimon.options import FILE_FORMATS, TableOptions
from spark_paimon.storage import qualify, storage_for
from tests.format_tables import write_parquet


@pytest.mark.parametrize("text", ["", " ", "avro", "delta", None])
def test_an_unknown_format_is_refused_and_the_known_ones_are_listed(text: str | None) -> None:
    with pytest.raises(errors.UnsupportedError, match="ORC, PARQUET, CSV, TEXT, JSON, MOSAIC"):
        parse_format(text)


def test_names_are_case_insensitive() -> None:
    assert parse_format("ORC") == "orc"
    assert file_format("Parquet").name == "parquet"


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_every_name_has_its_format(name: str) -> None:
    assert file_format(name).name == name


def test_compression_is_the_first_spelling_that_is_set_else_the_default_of_the_format() -> None:
    assert resolve_compression(TableOptions({}), "parquet") == "snappy"
    options = {"compression": "gzip", "file.compression": "ZSTD", "format-table.file.compression": "lz4"}
    assert resolve_compression(TableOptions(options), "parquet") == "zstd"
    del options["file.compression"]
    assert resolve_compression(TableOptions(options), "parquet") == "lz4"
    with pytest.raises(errors.InvalidInputError, match="'lzo'"):
        resolve_compression(TableOptions({"compression": "lzo"}), "parquet")


def test_parquet_counts_rows_from_the_footer_and_fails_on_other_files(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a", 5)
    (tmp_path / "b").write_bytes(b"")
    storage = storage_for(qualify(tmp_path))
    assert file_format("parquet").count_rows(storage, qualify(tmp_path / "a")) == 5
    with pytest.raises(ValueError, match="size is 0 bytes"):
        file_format("parquet").count_rows(storage, qualify(tmp_path / "b"))
