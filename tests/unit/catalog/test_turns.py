from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog import engine, load_catalog
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.engine import SqlDatabase
from spark_paimon.catalog.turns import Turns


def wait_until_queued(turns: Turns, count: int) -> None:
    deadline = time.monotonic() + 30
    while len(turns._waiting) < count:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_who_came_first_goes_first() -> None:
    turns = Turns()
    served: list[int] = []

    def work(number: int) -> None:
        with turns.take(30) as mine:
            assert mine
            served.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    with turns.take(1):
        for number, thread in enumerate(threads):
            thread.start()
            wait_until_queued(turns, number + 1)
        assert served == []
    for thread in threads:
        thread.join()
    assert served == list(range(20))
    with turns.take(0.01) as mine:
        assert mine


def test_who_gives_up_gets_no_turn_and_holds_up_nobody() -> None:
    turns = Turns()
    with turns.take(1) as mine:
        assert mine
        with turns.take(0.01) as other:
            assert not other
        with turns.take(0.01) as other:
            assert not other
    with turns.take(0.01) as mine:
        assert mine


def test_a_turn_ends_with_an_error_too() -> None:
    turns = Turns()
    with pytest.raises(KeyError), turns.take(1):
        raise KeyError
    with turns.take(0.01) as mine:
        assert mine


def test_catalogs_on_one_file_share_a_queue(tmp_path: Path) -> None:
    options = {"metastore": "embedded", "warehouse": str(tmp_path)}
    with load_catalog(options) as one, load_catalog(options) as two:
        assert isinstance(one, EmbeddedCatalog)
        assert isinstance(two, EmbeddedCatalog)
        assert one._database._turns is two._database._turns is not None
    assert SqlDatabase("sqlite:///:memory:")._turns is not SqlDatabase("sqlite:///:memory:")._turns


def test_waiting_for_other_threads_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with load_catalog({"metastore": "embedded", "warehouse": str(tmp_path)}) as catalog:
        assert isinstance(catalog, EmbeddedCatalog)
        assert catalog._database._turns is not None
        monkeypatch.setattr(engine, "BUSY_MILLIS", 20)
        with catalog._database._turns.take(1), pytest.raises(errors.CatalogError, match="other threads"):
            catalog.create_database("x")
        catalog.create_database("x")
