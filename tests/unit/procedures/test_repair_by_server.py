"""MSCK REPAIR TABLE through a server whose token ends in the middle of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.procedures.repair import repair
from spark_paimon.storage import local_path
from tests.faulty_proxy import UNAUTHORISED, Fault, FaultyProxy, faulty_proxy
from tests.servers import server_in_thread

DAYS = 2100
REGISTER = "/partitions"


@dataclass
class Place:
    """Two servers of one warehouse, each with its token; the client talks to the first until the fault."""

    proxy: FaultyProxy
    tokens: tuple[str, str]
    direct: Catalog


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with (
        server_in_thread(tmp_path / "warehouse") as old,
        server_in_thread(tmp_path / "warehouse") as new,
        faulty_proxy(old["uri"]) as proxy,
        load_catalog(new) as direct,
    ):
        columns = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string())])
        options = {"type": "format-table", "metastore.partitioned-table": "true"}
        info = direct.create_table("default.t", columns, ["dt"], options)
        for day in range(DAYS):
            (Path(local_path(info.location)) / f"dt={day:05}").mkdir()
        # The second batch of directories comes when the first token is no longer good.
        proxy.faults = [Fault(UNAUTHORISED, path=REGISTER, number=2)]
        yield Place(proxy, (old["token"], new["token"]), direct)


def test_a_new_token_in_the_file_is_taken(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(place.tokens[0])
    new_uri = place.direct.options["uri"]

    def renew() -> None:
        place.proxy.upstream = new_uri
        file.write_text(place.tokens[1])

    place.proxy.on_fault = renew
    with load_catalog({"metastore": "rest", "uri": place.proxy.uri, "token-file": str(file)}) as catalog:
        assert len(repair(catalog.get_table("default.t"), "SYNC")) == DAYS
    assert len(place.direct.list_partitions("default.t")) == DAYS


def test_a_token_that_cannot_be_renewed_is_said_and_a_rerun_converges(place: Place) -> None:
    options = {"metastore": "rest", "uri": place.proxy.uri}
    with load_catalog({**options, "token": place.tokens[0]}) as catalog:
        table = catalog.get_table("default.t")
        with pytest.raises(errors.AccessDeniedError) as caught:
            repair(table, "SYNC")
        assert "'token'" in str(caught.value)
        assert place.tokens[0] not in str(caught.value)
    assert len(place.direct.list_partitions("default.t")) == 1000
    place.proxy.upstream = place.direct.options["uri"]
    with load_catalog({**options, "token": place.tokens[1]}) as catalog:
        assert len(repair(catalog.get_table("default.t"), "SYNC")) == DAYS - 1000
        assert repair(catalog.get_table("default.t"), "SYNC") == []
    assert len(place.direct.list_partitions("default.t")) == DAYS
