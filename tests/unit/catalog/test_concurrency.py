"""Several processes and threads on one warehouse, and processes that die in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.statistics import PartitionStatistics
from tests.unit.catalog.partition_contract import COLUMNS, MANAGED

ROOT = Path(__file__).parents[3]
PROCESSES = 4

PREAMBLE = """
import sys
from spark_paimon import errors
from spark_paimon.catalog import load_catalog
from spark_paimon.statistics import PartitionStatistics
from tests.unit.catalog.partition_contract import COLUMNS, MANAGED

warehouse, worker, uri = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def opened():
    return load_catalog({"metastore": "embedded", "warehouse": warehouse, "uri": uri})
"""


def start(script: str, warehouse: Path, worker: int, uri: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + textwrap.dedent(script), str(warehouse), str(worker), uri],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_at_once(script: str, warehouse: Path, uri: str = "", processes: int = PROCESSES) -> list[str]:
    """Run a script in several processes that wait for each other, and return what they printed."""
    waiting = "print('ready', flush=True); input()\n" + textwrap.dedent(script)
    workers = [start(waiting, warehouse, number, uri) for number in range(processes)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n", worker.communicate()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    outputs = []
    for worker in workers:
        out, err = worker.communicate(timeout=120)
        assert worker.returncode == 0, err
        outputs.append(out)
    return outputs


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture
def catalog(warehouse: Path) -> Iterator[Catalog]:
    with load_catalog({"metastore": "embedded", "warehouse": str(warehouse)}) as catalog:
        yield catalog


def test_a_new_warehouse_is_set_up_by_many_processes_at_once(warehouse: Path) -> None:
    run_at_once(
        """
        for number in range(5):
            with opened() as catalog:
                catalog.create_database(f"d{worker}_{number}")
                catalog.create_database("shared", ignore_if_exists=True)
        """,
        warehouse,
    )
    with load_catalog({"metastore": "embedded", "warehouse": str(warehouse)}) as catalog:
        assert len(catalog.list_databases()) == PROCESSES * 5 + 2


def test_processes_register_and_create_at_once_and_nothing_is_lost(warehouse: Path, catalog: Catalog) -> None:
    catalog.create_table("default.p", COLUMNS, ["dt", "hh"], MANAGED)
    catalog.create_partitions("default.p", [{"dt": "2025-01-01", "hh": "0"}])
    run_at_once(
        """
        shared = {"dt": "2025-01-01", "hh": "0"}
        with opened() as catalog:
            for number in range(25):
                own = [{"dt": f"2025-01-{worker + 2:02}", "hh": str(number * 20 + n)} for n in range(20)]
                report = [(shared, PartitionStatistics(1, 10, 1, worker))]
                result = catalog.create_partitions("default.p", [*own, shared], statistics=report)
                assert len(result.created) == 20
                catalog.create_table(f"default.t{worker}_{number}", COLUMNS, ["dt", "hh"], MANAGED)
                if number % 5 == 0:
                    catalog.drop_table(f"default.t{worker}_{number}")
        """,
        warehouse,
    )
    assert catalog.count_partitions("default.p") == PROCESSES * 500 + 1
    [shared] = catalog.list_partitions_by_names("default.p", [{"dt": "2025-01-01", "hh": "0"}])
    reports = PROCESSES * 25
    assert shared.statistics == PartitionStatistics(reports, 10 * reports, reports, PROCESSES - 1)
    assert len(catalog.list_tables("default")) == 1 + PROCESSES * 20


def test_of_many_processes_exactly_one_creates_a_table(warehouse: Path, catalog: Catalog) -> None:
    outputs = run_at_once(
        """
        won = 0
        with opened() as catalog:
            for number in range(10):
                try:
                    catalog.create_table(f"default.t{number}", COLUMNS, ["dt"], MANAGED)
                    won += 1
                except errors.TableExistsError:
                    pass
        print(won)
        """,
        warehouse,
    )
    assert sum(int(output) for output in outputs) == 10


def test_of_many_strict_batches_exactly_one_is_registered(warehouse: Path, catalog: Catalog) -> None:
    catalog.create_table("default.s", COLUMNS, ["region"], MANAGED)
    outputs = run_at_once(
        """
        batch = [{"region": "shared"}] + [{"region": f"{worker}_{n}"} for n in range(1000)]
        with opened() as catalog:
            try:
                catalog.create_partitions("default.s", batch, ignore_if_exists=False)
                print(1)
            except errors.PartitionsExistError:
                print(0)
        """,
        warehouse,
    )
    assert sum(int(output) for output in outputs) == 1
    assert catalog.count_partitions("default.s") == 1001


def test_a_process_killed_in_a_transaction_leaves_nothing_of_it(warehouse: Path, catalog: Catalog) -> None:
    catalog.create_table("default.s", COLUMNS, ["region"], MANAGED)
    catalog.create_partitions("default.s", [{"region": "before"}])
    victim = start(
        """
        from spark_paimon.catalog import partition_store

        def stuck(*_args):
            # All rows of the batch are written, the transaction is open.
            print("written", flush=True)
            input()

        partition_store.update_partitions = stuck
        with opened() as catalog:
            catalog.create_partitions("default.s", [{"region": f"r{n}"} for n in range(20_000)])
        """,
        warehouse,
        0,
    )
    assert victim.stdout is not None
    assert victim.stdout.readline() == "written\n", victim.communicate()
    assert catalog.count_partitions("default.s") == 1  # readers do not wait
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    assert catalog.count_partitions("default.s") == 1
    assert len(catalog.create_partitions("default.s", [{"region": "r1"}, {"region": "after"}]).created) == 2
    with load_catalog({"metastore": "embedded", "warehouse": str(warehouse)}) as fresh:
        assert fresh.count_partitions("default.s") == 3


def test_processes_killed_at_random_never_damage_the_catalog(warehouse: Path, catalog: Catalog) -> None:
    catalog.create_table("default.s", COLUMNS, ["region"], MANAGED)
    script = """
        with opened() as catalog:
            for number in range(1000):
                batch = [{"region": f"{worker}_{number}_{n}"} for n in range(50)]
                catalog.create_partitions("default.s", batch)
                print(number, flush=True)
    """
    for round_number in range(3):
        victims = [start(script, warehouse, round_number * 10 + worker) for worker in range(2)]
        for victim in victims:
            assert victim.stdout is not None
            for _ in range(5):
                assert victim.stdout.readline(), victim.communicate()
        for victim in victims:
            os.kill(victim.pid, signal.SIGKILL)
            victim.communicate()
        count = catalog.count_partitions("default.s")
        assert count % 50 == 0
        assert count >= (round_number + 1) * 2 * 5 * 50
        assert len(catalog.list_partitions("default.s")) == count


def test_a_writer_that_takes_long_makes_the_others_wait_and_not_fail(
    warehouse: Path, catalog: Catalog
) -> None:
    catalog.create_table("default.s", COLUMNS, ["region"], MANAGED)
    slow = start(
        """
        import time
        from spark_paimon.catalog import partition_store

        def slowly(*_args):
            print("locked", flush=True)
            time.sleep(2)

        partition_store.update_partitions = slowly
        with opened() as catalog:
            catalog.create_partitions("default.s", [{"region": "slow"}])
        """,
        warehouse,
        0,
    )
    assert slow.stdout is not None
    assert slow.stdout.readline() == "locked\n", slow.communicate()
    catalog.create_partitions("default.s", [{"region": "waited"}])
    slow.communicate(timeout=60)
    assert slow.returncode == 0
    assert catalog.count_partitions("default.s") == 2


def test_sixteen_threads_share_one_catalog(catalog: Catalog) -> None:
    catalog.create_table("default.p", COLUMNS, ["dt", "hh"], MANAGED)

    def work(worker: int) -> int:
        batch = [{"dt": f"2025-02-{worker + 1:02}", "hh": str(hour)} for hour in range(24)]
        for spec in batch:
            catalog.create_partitions("default.p", [spec])
            catalog.list_partitions("default.p", {"dt": spec["dt"]})
        return len(catalog.list_partitions("default.p", {"dt": batch[0]["dt"]}))

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(16))) == [24] * 16
    assert catalog.count_partitions("default.p") == 16 * 24


def test_a_forked_process_uses_connections_of_its_own(warehouse: Path, catalog: Catalog) -> None:
    forked = start(
        """
        import os

        with opened() as catalog:
            catalog.create_table("default.s", COLUMNS, ["region"], MANAGED)
            children = []
            for child in range(4):
                pid = os.fork()
                if pid == 0:
                    code = 1
                    try:
                        for number in range(20):
                            catalog.create_partitions("default.s", [{"region": f"{child}_{number}"}])
                        code = 0
                    finally:
                        os._exit(code)
                children.append(pid)
            for number in range(20):
                catalog.create_partitions("default.s", [{"region": f"parent_{number}"}])
            assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
            print(catalog.count_partitions("default.s"))
        """,
        warehouse,
        0,
    )
    out, err = forked.communicate(timeout=120)
    assert (out, forked.returncode) == ("100\n", 0), err
    assert catalog.count_partitions("default.s") == 100


def test_a_table_that_changes_while_a_request_is_read_is_read_again(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spark_paimon.catalog import registration

    catalog.create_table("default.s", COLUMNS, ["region"], MANAGED)
    real = registration.read_request
    calls = []

    def meddle(*args: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            catalog.drop_table("default.s")
            catalog.create_table("default.s", COLUMNS, ["dt", "hh"], MANAGED)
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(registration, "read_request", meddle)
    with pytest.raises(errors.InvalidInputError, match="dt, hh"):
        catalog.create_partitions("default.s", [{"region": "a"}])
    assert len(calls) == 2
    assert catalog.count_partitions("default.s") == 0
