"""The build hook: compiles only what changed, the same way each time, and says what is missing."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pytest

import hatch_build
from hatch_build import BuildError, build_jar, find_javac, read_manifest

ROOT = Path(__file__).parents[2]
SOURCE = """package org.sparkpaimon;
/** Needs Spark on the class path. */
public record Tiny(org.apache.spark.sql.types.StructType schema) {}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one small Java file."""
    package = tmp_path / "spark_paimon"
    (package / "options").mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "9.8.7"\n')
    for name in hatch_build.RESOURCES:
        (package / name).write_text("{}\n")
    source = tmp_path / "jars" / "org" / "sparkpaimon" / "Tiny.java"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE)
    return tmp_path


def test_jar_states_its_versions(project: Path) -> None:
    jar, built = build_jar(project)
    assert built
    assert jar == project / "spark_paimon" / "jars" / "spark-paimon_4.2-9.8.7.jar"
    manifest = read_manifest(jar)
    assert manifest["Implementation-Version"] == "9.8.7"
    assert manifest["Spark-Version"].startswith("4.2.")


def test_jar_holds_classes_and_shared_data(project: Path) -> None:
    jar, _ = build_jar(project)
    with zipfile.ZipFile(jar) as archive:
        assert archive.namelist() == [
            "META-INF/MANIFEST.MF",
            "org/sparkpaimon/Tiny.class",
            "org/sparkpaimon/error_conditions.json",
            "org/sparkpaimon/secret_options.json",
        ]
        # Bytes 6 and 7 of a class file are its version: 61 is Java 17, whatever compiler made it.
        assert archive.read("org/sparkpaimon/Tiny.class")[6:8] == bytes((0, 61))


def test_same_sources_give_same_bytes(project: Path) -> None:
    jar, _ = build_jar(project)
    first = jar.read_bytes()
    jar.unlink()
    build_jar(project)
    assert jar.read_bytes() == first


def test_builds_only_when_something_changed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_jar(project)
    with monkeypatch.context() as patch:
        patch.setattr(hatch_build, "_compile", lambda *_: pytest.fail("compiled without need"))
        assert build_jar(project)[1] is False
    source = project / "jars" / "org" / "sparkpaimon" / "Tiny.java"
    source.write_text(SOURCE.replace("Tiny(", "Tiny(int extra, "))
    assert build_jar(project)[1] is True


def test_jar_of_an_earlier_version_is_removed(project: Path) -> None:
    earlier, _ = build_jar(project)
    (project / "spark_paimon" / "__init__.py").write_text('__version__ = "9.9.0"\n')
    later, _ = build_jar(project)
    assert later.exists()
    assert not earlier.exists()


def test_compiler_errors_are_shown_and_the_old_jar_stays(project: Path) -> None:
    jar, _ = build_jar(project)
    before = jar.read_bytes()
    (project / "jars" / "org" / "sparkpaimon" / "Tiny.java").write_text("class Broken {")
    with pytest.raises(BuildError, match=r"Tiny\.java:1: error"):
        build_jar(project)
    assert jar.read_bytes() == before
    assert [path.name for path in jar.parent.iterdir()] == [jar.name]


def test_no_jdk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="needs a JDK 17 or newer, but found no javac"):
        find_javac()


def test_old_jdk_is_named_and_a_newer_one_on_path_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = find_javac()
    old = tmp_path / "old" / "bin"
    old.mkdir(parents=True)
    (old / "javac").write_text("#!/bin/sh\necho javac 1.8.0_402\n")
    (old / "javac").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(old.parent))
    assert find_javac() == good
    monkeypatch.setenv("PATH", os.fspath(old))
    (old / "sh").symlink_to(shutil.which("sh", path="/bin:/usr/bin") or "sh")
    with pytest.raises(BuildError, match=r"found only javac 1\.8\.0_402"):
        find_javac()


def test_missing_pyspark_is_one_sentence(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hatch_build.util, "find_spec", lambda name: None)
    with pytest.raises(BuildError, match="pyspark, which is not installed"):
        build_jar(project)


def test_command_line_reports_a_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    assert hatch_build.main(["--check-jdk"]) == 1
    assert "needs a JDK 17" in capsys.readouterr().err


def test_nothing_built_is_kept_in_the_repository() -> None:
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert "*.jar" in ignored
    assert "*.class" in ignored
