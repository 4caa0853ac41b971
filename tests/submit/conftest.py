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
PROGRAMS = Path(sys.executable).parent


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
    """Runs ``spark-submit`` or ``spark-sql`` of this environment, which is activated: it is first on PATH."""
    activated = {"PATH": os.pathsep.join((str(PROGRAMS), os.environ["PATH"]))}

    def run(program: str, *words: str, jar: bool = True) -> subprocess.CompletedProcess[str]:
        quiet = [
            "--conf", "spark.ui.enabled=false",
            "--conf", "spark.sql.catalogImplementation=in-memory",
            "--conf", "spark.driver.host=localhost",
        ]  # fmt: skip
        jars = ["--jars", str(jar_path())] if jar else []
        return _run([PROGRAMS / program, "--master", "local[2]", *quiet, *jars, *words], tmp_path, activated)

    return run


@pytest.fixture
def run_python(tmp_path: Path) -> Runner:
    """Runs a script of this folder with Python; further environment variables as keywords.

    The environment is not activated, so that a ``python3`` on PATH would be another Python.
    """
    path = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if Path(folder).resolve() != PROGRAMS.resolve()
    )

    def run(
        script: str, *words: str, input: str | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": path, **variables}
        return _run([sys.executable, HERE / script, *words], tmp_path, variables, input)

    return run


def _run(
    command: list[str | Path], folder: Path, variables: dict[str, str], input: str | None = None
) -> subprocess.CompletedProcess[str]:
    said = ("PYSPARK_", "SPARK_", "PYTHONPATH")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(said)}
    return subprocess.run(
        command,
        cwd=folder,
        env={**kept, **variables},
        input=input,
        capture_output=True,
        text=True,
        timeout=150,
    )


def results(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Lines that a script of this folder marked as results; fails with the log if it failed."""
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]
    return [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
