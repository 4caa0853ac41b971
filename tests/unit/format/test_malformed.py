"""Rows that are not what the table says: how many there were is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.schema import Field, IntType, StringType
from spark_paimon.storage import qualify, storage_for

COLUMNS = [Field(0, "a", IntType()), Field(1, "b", StringType())]


@pytest.mark.parametrize(
    ("name", "content", "options", "rows", "text"),
    [
        ("csv", "1,x\ny,z\n3\nw,\n", {}, 4, "2 malformed rows"),
        ("csv", "1,x\ny,z\n3\nw,\n", {"csv.mode": "DROPMALFORMED"}, 2, "were left out"),
        ("json", '{"a":1}\n{"a":"x"}\n[]\n', {"json.ignore-parse-errors": "true"}, 3, "2 malformed rows"),
        ("csv", "1,x\n", {}, 1, ""),
        ("json", '{"a":1}\n', {"json.ignore-parse-errors": "true"}, 1, ""),
    ],
)
def test_p82_malformed_rows_are_counted_and_reported(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    name: str,
    content: str,
    options: dict[str, str],
    rows: int,
    text: str,
) -> None:
    (tmp_path / "x").write_text(content)
    path = qualify(tmp_path / "x")
    request = ReadRequest("db.t", COLUMNS, COLUMNS, options)
    batches = list(file_format(name).read(storage_for(path), FileSlice(path), request))
    assert sum(batch.num_rows for batch in batches) == rows
    assert (text in caplog.text and path in caplog.text) if text else not caplog.text
