"""What a client says and does when an answer does not come back, for every call that changes something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, Identifier, load_catalog
from spark_paimon.catalog.rest import transport
from spark_paimon.schema import SetOption
from spark_paimon.statistics import PartitionStatistics
from tests.faulty_proxy import (
    CUT_ANSWER,
    DROP_ANSWER,
    DROP_REQUEST,
    UNAVAILABLE,
    Fault,
    FaultyProxy,
    faulty_proxy,
)
from tests.servers import server_in_thread

COLUMNS = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string())])
MANAGED = {"type": "format-table", "metastore.partitioned-table": "true"}
ONE = PartitionStatistics(1, 10, 1, 5)
Specs = list[dict[str, str]]


@dataclass
class Place:
    """A server, a client that goes through the proxy, and one that does not."""

    proxy: FaultyProxy
    client: Catalog
    direct: Catalog


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_FIRST_WAIT", 0.01)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with (
        server_in_thread(tmp_path / "warehouse") as options,
        faulty_proxy(options["uri"]) as proxy,
        load_catalog({**options, "uri": proxy.uri}) as client,
        load_catalog(options) as direct,
    ):
        direct.create_database("db")
        direct.create_table("db.t", COLUMNS, ["dt"], MANAGED)
        direct.create_partitions("db.t", [{"dt": "old"}], statistics=[({"dt": "old"}, ONE)])
        yield Place(proxy, client, direct)


def names(catalog: Catalog) -> list[str]:
    return [partition.spec["dt"] for partition in catalog.list_partitions("db.t")]


def rows(catalog: Catalog) -> int:
    (partition,) = catalog.list_partitions_by_names("db.t", [{"dt": "old"}])
    return partition.statistics.record_count


def report(catalog: Catalog, replaces: bool) -> None:
    catalog.create_partitions(
        "db.t", [{"dt": "old"}], statistics=[({"dt": "old"}, ONE)], replace_statistics=replaces
    )


@dataclass(frozen=True)
class Change:
    """A call that changes something.

    Parameters
    ----------
    run
        The call.
    seen
        Whether it has happened.
    repeats
        Whether the client may send it again by itself after an answer was lost.
    again
        How the same call ends when it had happened.
    """

    run: Callable[[Catalog], object]
    seen: Callable[[Catalog], bool]
    method: str = "POST"
    repeats: bool = False
    again: type[errors.PaimonError] | None = None


CHANGES = {
    "create database": Change(
        lambda c: c.create_database("new"),
        lambda c: "new" in c.list_databases(),
        again=errors.DatabaseExistsError,
    ),
    "create database, ignoring": Change(
        lambda c: c.create_database("new", ignore_if_exists=True),
        lambda c: "new" in c.list_databases(),
        repeats=True,
    ),
    "alter database": Change(
        lambda c: c.alter_database("db", {"k": "v"}),
        lambda c: c.get_database("db").options.get("k") == "v",
        repeats=True,
    ),
    "drop database": Change(
        lambda c: c.drop_database("db", cascade=True),
        lambda c: "db" not in c.list_databases(),
        "DELETE",
        again=errors.NoSuchDatabaseError,
    ),
    "create table": Change(
        lambda c: c.create_table("db.new", COLUMNS, ["dt"], MANAGED),
        lambda c: c.table_exists("db.new"),
        again=errors.TableExistsError,
    ),
    "create table, ignoring": Change(
        lambda c: c.create_table("db.new", COLUMNS, ["dt"], MANAGED, ignore_if_exists=True),
        lambda c: c.table_exists("db.new"),
        repeats=True,
    ),
    "alter table": Change(
        lambda c: c.alter_table("db.t", [SetOption("k", "v")]),
        lambda c: c.load_table_info("db.t").schema.options.get("k") == "v",
    ),
    "rename table": Change(
        lambda c: c.rename_table("db.t", "db.other"),
        lambda c: c.table_exists("db.other"),
        again=errors.NoSuchTableError,
    ),
    "replace table": Change(
        lambda c: c.replace_table("db.t", c.load_table_info("db.t").schema.as_schema()),
        lambda c: names(c) == [],
    ),
    "drop table": Change(
        lambda c: c.drop_table("db.t"),
        lambda c: not c.table_exists("db.t"),
        "DELETE",
        again=errors.NoSuchTableError,
    ),
    "drop table, ignoring": Change(
        lambda c: c.drop_table("db.t", ignore_if_not_exists=True),
        lambda c: not c.table_exists("db.t"),
        "DELETE",
        repeats=True,
    ),
    "register": Change(
        lambda c: c.create_partitions("db.t", [{"dt": "a"}, {"dt": "old"}]),
        lambda c: names(c) == ["a", "old"],
        repeats=True,
    ),
    "register strictly": Change(
        lambda c: c.create_partitions("db.t", [{"dt": "a"}], ignore_if_exists=False),
        lambda c: names(c) == ["a", "old"],
        again=errors.PartitionsExistError,
    ),
    "replace statistics": Change(
        lambda c: c.create_partitions(
            "db.t",
            [{"dt": "old"}],
            statistics=[({"dt": "old"}, PartitionStatistics(7))],
            replace_statistics=True,
        ),
        lambda c: rows(c) == 7,
        repeats=True,
    ),
    "unregister": Change(
        lambda c: c.drop_partitions("db.t", [{"dt": "old"}]), lambda c: names(c) == [], repeats=True
    ),
    "unregister strictly": Change(
        lambda c: c.drop_partitions("db.t", [{"dt": "old"}], ignore_if_not_exists=False),
        lambda c: names(c) == [],
        again=errors.NoSuchPartitionError,
    ),
    "mark": Change(
        lambda c: c.mark_partitions_done("db.t", [{"dt": "old"}]),
        lambda c: c.list_partitions("db.t")[0].done,
        repeats=True,
    ),
}


@pytest.mark.parametrize("action", [DROP_ANSWER, DROP_REQUEST])
@pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))
def test_an_answer_that_is_lost(place: Place, change: Change, action: str) -> None:
    place.proxy.faults = [Fault(action, change.method)]
    if change.repeats:
        change.run(place.client)
        assert change.seen(place.direct)
        return
    with pytest.raises(errors.CatalogError) as caught:
        change.run(place.client)
    assert caught.value.condition == "REST_OUTCOME_UNKNOWN"
    assert change.seen(place.direct) == (action == DROP_ANSWER)
    if action == DROP_ANSWER and change.again:
        with pytest.raises(change.again):
            change.run(place.client)
    else:
        change.run(place.client)
    assert change.seen(place.direct)


@pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))
def test_a_server_that_is_busy_is_asked_again(place: Place, change: Change) -> None:
    place.proxy.faults = [Fault(UNAVAILABLE, change.method)]
    change.run(place.client)
    assert change.seen(place.direct)


@pytest.mark.parametrize("action", [DROP_ANSWER, CUT_ANSWER, UNAVAILABLE])
def test_numbers_are_added_once_or_not_at_all(place: Place, action: str) -> None:
    place.proxy.faults = [Fault(action, path="/partitions")]
    before = len(place.proxy.requests)
    with pytest.raises(errors.CatalogError) as caught:
        report(place.client, False)
    posts = [path for method, path in place.proxy.requests[before:] if method == "POST"]
    assert len(posts) == 1
    assert rows(place.direct) == (1 if action == UNAVAILABLE else 2)
    if action != UNAVAILABLE:
        assert caught.value.condition == "REST_OUTCOME_UNKNOWN"


def test_a_batch_that_is_lost_leaves_the_ones_before_it(place: Place) -> None:
    specs: Specs = [{"dt": f"{number:05}"} for number in range(2500)]
    statistics = [(spec, ONE) for spec in specs]
    place.proxy.faults = [Fault(DROP_REQUEST, path="/partitions", number=2)]
    with pytest.raises(errors.CatalogError) as caught:
        place.client.create_partitions("db.t", specs, statistics=statistics)
    assert caught.value.condition == "REST_OUTCOME_UNKNOWN"
    assert len(names(place.direct)) == 1001
    place.client.create_partitions("db.t", specs, statistics=statistics, replace_statistics=True)
    found = place.direct.list_partitions("db.t")
    assert len(found) == 2501
    assert {partition.statistics.record_count for partition in found} == {1}


@pytest.mark.parametrize("action", [DROP_ANSWER, DROP_REQUEST, CUT_ANSWER, UNAVAILABLE])
def test_questions_are_asked_again(place: Place, action: str) -> None:
    questions: dict[str, Callable[[Catalog], object]] = {
        "/databases": lambda c: c.list_databases(),
        "/databases/db": lambda c: c.get_database("db").name,
        "/databases/db/tables": lambda c: c.list_tables("db"),
        "/databases/db/tables/t": lambda c: c.load_table_info(Identifier("db", "t")).uuid,
        "/tables/t/partitions": lambda c: names(c),
    }
    for path, ask in questions.items():
        place.proxy.faults = [Fault(action, "GET", path)]
        assert ask(place.client) == ask(place.direct)
        assert place.proxy.faults[0].seen >= 2
    place.proxy.faults = [Fault(action, "POST", "list-by-names")]
    assert rows(place.client) == 1
    assert place.proxy.faults[0].seen == 2
