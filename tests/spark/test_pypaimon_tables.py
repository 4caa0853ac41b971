"""Tables of one REST server, used by Spark and by pypaimon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from tests.peers.pypaimon_catalog import PyPaimonCatalog, PyPaimonProcess, available, table

if TYPE_CHECKING:
    from tests.spark.workplace import Workplace

FIELDS = [
    {"id": 0, "name": "id", "type": "INT"},
    {"id": 1, "name": "name", "type": "STRING"},
    {"id": 2, "name": "dt", "type": "STRING"},
]
FORMATS = ("parquet", "orc", "csv", "json")


def options(file_format: str) -> dict[str, str]:
    """Options of a table; pypaimon takes the first line of a CSV file for its header."""
    given = {"type": "format-table", "file.format": file_format, "metastore.partitioned-table": "true"}
    return {**given, "csv.include-header": "true"} if file_format == "csv" else given


def second_name(file_format: str) -> str | None:
    """NULL where pypaimon reads it: in a JSON file without another value it is a column of its own type."""
    return None if file_format in ("parquet", "orc") else "b"


def rows(file_format: str) -> list[tuple[int, str | None, str]]:
    return [(1, "a", "x"), (2, second_name(file_format), "x"), (3, "c", "y")]


@pytest.fixture
def catalog() -> str:
    return "rest"


@pytest.fixture
def peer(rest_options: dict[str, Any], warehouse_root: Path) -> Iterator[PyPaimonCatalog]:
    if reason := available():
        pytest.skip(reason)
    with PyPaimonProcess() as process:
        warehouse = str(warehouse_root / "embedded")
        yield process.open({**rest_options, "warehouse": warehouse, "token.provider": "bear"})


@pytest.mark.parametrize("file_format", FORMATS)
def test_spark_reads_what_pypaimon_made_and_wrote(
    place: Workplace, peer: PyPaimonCatalog, file_format: str
) -> None:
    made = {":schema": {"fields": FIELDS, "partitionKeys": ["dt"], "options": options(file_format)}}
    name = table(place.database, "t")
    peer.call("create_table", name, made, False)
    written = rows(file_format)
    numbers, names, days = zip(*written, strict=True)
    peer.write(name, pa.table({"id": pa.array(numbers, pa.int32()), "name": names, "dt": days}))
    assert place.values("SELECT * FROM t") == []
    peer.call("create_partitions", name, [{"dt": "x"}, {"dt": "y"}])
    assert place.values("SELECT * FROM t") == written
    assert place.values("SELECT id FROM t WHERE dt = 'y'") == [(3,)]
    assert place.partitions("t") == ["dt=x", "dt=y"]


@pytest.mark.parametrize("file_format", FORMATS)
def test_pypaimon_reads_what_spark_made_and_wrote(
    place: Workplace, peer: PyPaimonCatalog, file_format: str
) -> None:
    properties = ", ".join(f"'{key}' = '{text}'" for key, text in options(file_format).items())
    second = second_name(file_format)
    literal = "NULL" if second is None else f"'{second}'"
    place.run(
        "CREATE TABLE t (id INT, name STRING, dt STRING) USING paimon PARTITIONED BY (dt) "
        f"TBLPROPERTIES ({properties})",
        f"INSERT INTO t VALUES (1, 'a', 'x'), (2, {literal}, 'x'), (3, 'c', 'y')",
    )
    name = table(place.database, "t")
    read = peer.read(name).select(["id", "name", "dt"]).sort_by("id")
    assert [tuple(row.values()) for row in read.to_pylist()] == rows(file_format)
    assert peer.read(name, {"dt": "y"})["id"].to_pylist() == [3]
    listed = peer.call("list_partitions_paged", name)["elements"]
    assert [(row["spec"], row["record_count"]) for row in listed] == [({"dt": "x"}, 2), ({"dt": "y"}, 1)]
