"""Paimon's client in Rust works against our server: it asks for partitions by filter and by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from spark_paimon.catalog import Catalog, load_catalog
from tests.format_tables import put, visible
from tests.peers.rust_client import PeerError, PyPaimonRust, available
from tests.servers import Server, rest_server

MANAGED = {"type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if reason := available():
        pytest.skip(reason)
    with rest_server(tmp_path_factory.mktemp("served") / "ware house") as running:
        yield running


def options(server: Server) -> dict[str, str]:
    warehouse = str(server.token_file)[: -len(".token")]
    return {**server.options, "warehouse": warehouse, "token.provider": "bear"}


@pytest.fixture(scope="module")
def peer(server: Server) -> Iterator[PyPaimonRust]:
    with PyPaimonRust(options(server)) as running:
        yield running


@pytest.fixture
def ours(server: Server) -> Iterator[Catalog]:
    with load_catalog(server.options) as catalog:
        yield catalog


def test_a_wrong_token_is_refused(server: Server) -> None:
    with pytest.raises(PeerError, match="[Tt]oken"):
        PyPaimonRust({**options(server), "token": "wrong"})


def test_tables_are_created_filled_renamed_and_dropped(
    peer: PyPaimonRust, ours: Catalog, tmp_path: Path
) -> None:
    peer.sql("CREATE SCHEMA peer.life")
    with pytest.raises(PeerError, match="already exists"):
        peer.sql("CREATE SCHEMA peer.life")
    create = "CREATE TABLE peer.life.t (id BIGINT, name STRING)"
    peer.sql(f"{create} WITH ('type' = 'format-table', 'file.format' = 'parquet')")
    with pytest.raises(PeerError, match=r"Table life\.t already exists"):
        peer.sql(f"{create} WITH ('type' = 'format-table', 'file.format' = 'parquet')")
    fields = ours.load_table_info("life.t").schema.fields
    assert [(field.name, str(field.type)) for field in fields] == [("id", "BIGINT"), ("name", "STRING")]
    assert peer.sql("INSERT INTO peer.life.t VALUES (1, 'a'), (2, NULL)") == [{"count": 2}]
    assert len(visible(ours.get_table("life.t"))) == 1
    rows = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]
    assert peer.sql("SELECT * FROM peer.life.t ORDER BY id") == rows
    assert peer.sql("SELECT count(*) AS n FROM peer.life.t") == [{"n": 2}]
    peer.sql("ALTER TABLE peer.life.t RENAME TO u")
    assert ours.list_tables("life") == ["u"]
    assert peer.sql("SELECT * FROM peer.life.u ORDER BY id") == rows
    with pytest.raises(PeerError, match="not found"):
        peer.sql("SELECT * FROM peer.life.t")
    with pytest.raises(PeerError, match="not empty"):
        peer.sql("DROP SCHEMA peer.life")
    peer.sql("DROP TABLE peer.life.u")
    assert ours.list_tables("life") == []
    peer.sql("DROP SCHEMA peer.life")
    assert "life" not in ours.list_databases()


def test_partitions_are_added_once_shown_and_dropped(peer: PyPaimonRust, ours: Catalog) -> None:
    ours.create_database("parts")
    keys = "'type' = 'format-table', 'file.format' = 'parquet', 'metastore.partitioned-table' = 'true'"
    peer.sql(
        f"CREATE TABLE peer.parts.t (id BIGINT, dt STRING, hh INT) PARTITIONED BY (dt, hh) WITH ({keys})"
    )
    peer.sql("ALTER TABLE peer.parts.t ADD PARTITION (dt = 'z', hh = 1)")
    with pytest.raises(PeerError, match="already exist"):
        peer.sql("ALTER TABLE peer.parts.t ADD PARTITION (hh = 1, dt = 'z')")
    peer.sql(
        "ALTER TABLE peer.parts.t ADD IF NOT EXISTS "
        "PARTITION (dt = 'z', hh = 1) PARTITION (dt = 'a b', hh = 2) PARTITION (dt = 'a/b', hh = 3)"
    )
    assert [dict(row.spec) for row in ours.list_partitions("parts.t")] == [
        {"dt": "a b", "hh": "2"},
        {"dt": "a/b", "hh": "3"},
        {"dt": "z", "hh": "1"},
    ]
    shown = peer.sql("SHOW PARTITIONS peer.parts.t")
    assert [row["partition"] for row in shown] == ["dt=a b/hh=2", "dt=a%2Fb/hh=3", "dt=z/hh=1"]
    peer.sql("ALTER TABLE peer.parts.t DROP PARTITION (dt = 'z', hh = 1)")
    assert [row.spec["dt"] for row in ours.list_partitions("parts.t")] == ["a b", "a/b"]


def test_a_query_reads_the_partitions_of_its_filter(peer: PyPaimonRust, ours: Catalog) -> None:
    ours.create_database("queries")
    columns = pa.schema([("id", pa.int64()), ("dt", pa.string()), ("hh", pa.int32())])
    ours.create_table("queries.t", columns, ["dt", "hh"], MANAGED)
    table = ours.get_table("queries.t")
    put(table, "dt=2024-01-01/hh=1/data-1.parquet", 2)
    put(table, "dt=2024-01-01/hh=12/data-2.parquet", 1)
    put(table, "dt=2024-01-02/hh=1/data-3.parquet", 4)
    put(table, "dt=2024-01-03/hh=1/data-4.parquet", 8)
    # The last one has files, but nobody registered it.
    specs = [("2024-01-01", "1"), ("2024-01-01", "12"), ("2024-01-02", "1")]
    ours.create_partitions("queries.t", [{"dt": day, "hh": hour} for day, hour in specs])
    for condition, count in {
        "true": 7,
        "dt = '2024-01-01'": 3,
        "dt = '2024-01-01' AND hh = 1": 2,
        "hh = 1": 6,
        "dt IN ('2024-01-02', 'none') OR hh > 10": 5,
        "dt <> '2024-01-01'": 4,
        "dt BETWEEN '2024-01-01' AND '2024-01-02' AND hh < 5": 6,
        "dt LIKE '2024-01-%' AND id = 0": 3,
        "dt IS NULL": 0,
        "dt = '2024-01-03'": 0,
    }.items():
        rows = peer.sql(f"SELECT id FROM peer.queries.t WHERE {condition}")
        assert (condition, len(rows)) == (condition, count)
