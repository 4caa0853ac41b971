"""A database that goes away under the server, and comes back."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from spark_paimon import errors
from spark_paimon.catalog import load_catalog
from spark_paimon.catalog.rest import transport
from tests.postgres import PostgresServer
from tests.servers import Asking, rest_server

COLUMNS = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string())])
MANAGED = {"type": "format-table", "metastore.partitioned-table": "true"}


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_requests_fail_while_it_is_away_and_work_when_it_is_back(
    tmp_path: Path,
    postgres_server: PostgresServer,
    postgres_url: str,
    how: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transport, "ATTEMPTS", 1)
    with (
        rest_server(tmp_path / "warehouse", database_url=postgres_url) as server,
        load_catalog(server.options) as catalog,
    ):
        ask = Asking(server.uri, str(server.options["token"]))
        catalog.create_table("default.t", COLUMNS, ["dt"], MANAGED)
        catalog.create_partitions("default.t", [{"dt": "before"}])
        getattr(postgres_server, how)()
        try:
            assert ask("GET", "/healthz", authorization="").status == 503
            body = {"partitionSpecs": [{"dt": "while"}]}
            answer = ask.post("/databases/default/tables/t/partitions", body)
            assert answer.status == 503
            assert answer.headers["retry-after"] == "1"
            assert answer.json["code"] == 503
            # Where the database is, is nobody's business.
            assert b"postgres" not in answer.content
            with pytest.raises(errors.CatalogError):
                catalog.create_partitions("default.t", [{"dt": "while"}])
        finally:
            postgres_server.start()
        catalog.create_partitions("default.t", [{"dt": "after"}])
        assert [row.spec["dt"] for row in catalog.list_partitions("default.t")] == ["after", "before"]
        assert ask("GET", "/healthz", authorization="").status == 200
