"""Sixteen clients at once on a table of 100,000 partitions."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from spark_paimon.catalog import load_catalog
from tests.servers import ROOT, rest_server
from tests.soak.load_client import FILLED_DAYS, HOURS, SHARED, TABLE

CLIENTS = 16
SECONDS = float(os.environ.get("SPARK_PAIMON_LOAD_SECONDS", "60"))
COLUMNS = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string()), ("hh", pyarrow.int32())])
MANAGED = {"type": "format-table", "metastore.partitioned-table": "true"}


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_many_clients_at_once(
    request: pytest.FixtureRequest, tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url = request.getfixturevalue("postgres_url") if database == "postgres" else None
    warehouse = tmp_path / "warehouse"
    options = {"metastore": "embedded", "warehouse": str(warehouse), **({"uri": url} if url else {})}
    with load_catalog(options) as catalog:
        catalog.create_table(TABLE, COLUMNS, ["dt", "hh"], MANAGED)
        with rest_server(warehouse, database_url=url) as server:
            with load_catalog(server.options) as client:
                for day in range(0, FILLED_DAYS, 50):
                    days = [f"d{number:05}" for number in range(day, day + 50)]
                    specs = [{"dt": dt, "hh": str(hour)} for dt in days for hour in range(HOURS)]
                    assert len(client.create_partitions(TABLE, specs).created) == 1000
            assert catalog.count_partitions(TABLE) == FILLED_DAYS * HOURS == 100_000
            answers = [json.loads(text) for text in run_clients(server.options)]
        found = catalog.list_partitions(TABLE)
    check(found, answers)
    with capsys.disabled():
        report(database, answers)


def run_clients(options: dict[str, str]) -> list[str]:
    """Output of all clients; each must end well."""
    command = [sys.executable, "-m", "tests.soak.load_client"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    clients = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        for _ in range(CLIENTS)
    ]
    for number, client in enumerate(clients):
        assert client.stdin is not None
        json.dump({"options": options, "number": number, "seconds": SECONDS}, client.stdin)
        client.stdin.close()
        client.stdin = None
    ended = [(client, *client.communicate(timeout=SECONDS + 240)) for client in clients]
    assert [errors for client, _, errors in ended if client.returncode] == []
    return [output for _, output, _ in ended]


def check(found: list[Any], answers: list[dict[str, Any]]) -> None:
    """The catalog is what the models of the clients say, and nothing else."""
    rows = {(row.spec["dt"], int(row.spec["hh"])): row for row in found}
    assert len(rows) == len(found)
    shared = [rows.pop(("shared", hour)) for hour in range(SHARED)]
    added = [sum(answer["added"][hour] for answer in answers) for hour in range(SHARED)]
    assert [row.statistics.record_count for row in shared] == added
    assert [row.statistics.file_size_in_bytes for row in shared] == [10 * count for count in added]
    assert [row.statistics.file_count for row in shared] == added
    for answer in answers:
        for day, hours in answer["model"].items():
            for hour, known in enumerate(hours):
                row = rows.pop((day, hour))
                assert row.statistics.record_count == known
                assert row.done == (day in answer["done"])
    assert set(rows) == {(f"d{day:05}", hour) for day in range(FILLED_DAYS) for hour in range(HOURS)}


def report(database: str, answers: list[dict[str, Any]]) -> None:
    """Say how many requests there were and how long they took."""
    kinds = sorted({kind for answer in answers for kind in answer["times"]})
    times = {kind: [one for answer in answers for one in answer["times"].get(kind, ())] for kind in kinds}
    total = sum(map(len, times.values()))
    print(f"\n{database}: {CLIENTS} clients, {total} operations, {total / SECONDS:.0f}/s")
    for kind, taken in times.items():
        cuts = statistics.quantiles(taken, n=100)
        print(
            f"  {kind:<20} {len(taken):6}  median {1000 * cuts[49]:5.0f} ms  99 % {1000 * cuts[98]:5.0f} ms"
        )
