"""A Spark Connect server with the jar serves clients that have nothing of ours in a JVM of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_paimon.session import jar_path
from tests.submit.conftest import HERE, PROGRAMS, Runner, catalog_settings, results

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
SECONDS = 120


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Address of a Connect server whose catalog ``paimon`` is ours."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": "localhost",
    }
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    command = [PROGRAMS / "spark-submit", "--class", SERVER, "--master", "local[2]", "--jars", jar_path()]
    log = tmp_path / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, *words, *catalog_settings(tmp_path / "w"), "spark-internal"],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=tmp_path,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        )
    try:
        _wait_for(port, process, log)
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server did not come up: {log.read_text()[-3000:]}")


def test_client_of_a_connect_server(server: str, run_python: Runner) -> None:
    assert HERE.joinpath("connect_client.py").is_file()
    assert results(run_python("connect_client.py", server)) == [
        "dt=a 1",
        "dt=b 2",
        "[1]",
        "['dt=b']",
        "IllegalArgumentException PARTITION_VALUE_BLANK",
        "2",
        "['None', 'b']",
        "['None', 'a']",
    ]
