"""Running Spark's own programs as a user does, in an empty directory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_paimon.session import jar_path

Runner = Callable[..., "subprocess.CompletedProcess[str]"]
HERE = Path(__file__).parent


def catalog_settings(warehouse: Path) -> list[str]:
    """The settings of the documentation for use without the helper."""
    settings = {
        "spark.sql.extensions": "org.sparkpaimon.PaimonExtensions",
        "spark.sql.catalog.paimon": "org.sparkpaimon.PaimonCatalog",
        "spark.sql.catalog.paimon.metastore": "embedded",
        "spark.sql.catalog.paimon.warehouse": str(warehouse),
    }
    return [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]


@pytest.fixture
def run_spark(tmp_path: Path) -> Runner:
    """Runs ``spark-submit`` or ``spark-sql`` of this environment with it first on PATH, as when activated."""
    programs = Path(sys.executable).parent

    def run(program: str, *words: str, jar: bool = True) -> subprocess.CompletedProcess[str]:
        quiet = [
            "--conf", "spark.ui.enabled=false",
            "--conf", "spark.sql.catalogImplementation=in-memory",
            "--conf", "spark.driver.host=localhost",
        ]  # fmt: skip
        jars = ["--jars", str(jar_path())] if jar else []
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYSPARK_", "SPARK_")) and key != "PYTHONPATH"
        }
        environment["PATH"] = os.pathsep.join((str(programs), environment["PATH"]))
        return subprocess.run(
            [programs / program, "--master", "local[2]", *quiet, *jars, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def results(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Lines that a script of this folder marked as results; fails with the log if it failed."""
    assert done.returncode == 0, done.stderr[-5000:]
    return [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
