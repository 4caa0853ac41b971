"""The document of the protocol says what the server does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spark_paimon.server.document import document
from spark_paimon.server.endpoints import ENDPOINTS, ROOT
from tests.servers import Asking, rest_server
from tests.unit.server.conftest import create_table

SETTINGS = """
[parameters]
"path.database" = "{database}"
"path.table" = "t"
# A table of another kind is answered with 501: not what a server error is.
[checks.not_a_server_error]
expected-statuses = ["2xx", "4xx", 501]
# A form cannot say which names, types and changes are possible.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 400, 401, 404, 409, 501]
"""


def references(part: Any) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*(references(inner) for inner in part.values()))
    return set().union(*(references(inner) for inner in part)) if isinstance(part, list) else set()


def test_it_is_served(ask: Asking) -> None:
    assert ask("GET", "/openapi.json").json == json.loads(json.dumps(document(ENDPOINTS)))


def test_every_operation_is_in_it_and_nothing_else() -> None:
    described = {
        (method.upper(), path) for path, methods in document(ENDPOINTS)["paths"].items() for method in methods
    }
    assert described == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    assert len(ENDPOINTS) == len(described)


def test_every_form_exists_and_is_used() -> None:
    whole = document(ENDPOINTS)
    used = references(whole)
    components = {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "responses", "parameters")
        for name in whole["components"][kind]
    }
    assert used == components


def test_every_operation_is_explained() -> None:
    for endpoint in ENDPOINTS:
        assert endpoint.handler.__doc__, endpoint
    paths = {endpoint.path for endpoint in ENDPOINTS}
    page = (Path(__file__).parents[3] / "docs" / "server.md").read_text()
    assert [path for path in paths if path.replace(ROOT, "P") not in page] == []


def explore(server_uri: str, token: str, database: str, folder: Path, *arguments: str) -> None:
    """Let schemathesis ask what the document allows, and what it does not."""
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS.format(database=database))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run"]
    command += [f"{server_uri}/openapi.json", "--header", f"Authorization: Bearer {token}"]
    command += ["--checks", "all", "--seed", "20261201", "--warnings", "off", "--no-color", *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"}
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.mark.parametrize(
    "examples", [5, pytest.param(100, marks=pytest.mark.slow)], ids=["a sample", "for long"]
)
def test_the_server_keeps_to_it(tmp_path: Path, examples: int) -> None:
    """No 500, no answer of another form, nothing wrong accepted; first on a table, then anywhere."""
    number = ("--max-examples", str(examples))
    with rest_server(tmp_path / "warehouse") as server:
        token = server.token_file.read_text()
        create_table(Asking(server.uri, token), "default", "t")
        lasting = ("--exclude-method", "DELETE", "--exclude-path-regex", "rename|replace")
        phases = ("--phases", "coverage,fuzzing")
        explore(server.uri, token, "default", tmp_path, *number, *phases, *lasting)
        explore(server.uri, token, "other", tmp_path, *number, "--phases", "fuzzing,stateful")
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert [line for line in lines if line["level"] == "ERROR"] == []
    assert {line.get("status") for line in lines if line.get("status", 0) >= 500} <= {501}
