"""Finding the jar of the package."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import spark_paimon
from spark_paimon import errors
from spark_paimon.session import jar, jar_path, jar_versions


def test_states_package_and_spark_version() -> None:
    versions = jar_versions()
    assert versions.package == spark_paimon.__version__
    assert versions.spark_minor == "4.2"
    assert jar_path().name == f"spark-paimon_4.2-{spark_paimon.__version__}.jar"


def test_missing_jar_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jar.resources, "files", lambda package: tmp_path)
    jar_path.cache_clear()
    try:
        with pytest.raises(errors.IllegalStateError, match="make jar") as caught:
            jar_path()
        assert caught.value.condition == "JAR_MISSING"
    finally:
        jar_path.cache_clear()


def test_is_copied_out_of_a_zip(tmp_path: Path) -> None:
    """As with ``spark-submit --py-files``: a JVM cannot open a jar inside a zip."""
    package = Path(spark_paimon.__file__).parent
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                out.write(path, Path("spark_paimon", path.relative_to(package)))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import spark_paimon; from spark_paimon.session import jar_path\n"
        "assert sys.argv[1] in spark_paimon.__file__, spark_paimon.__file__\n"
        "print(jar_path(), jar_path().stat().st_size)\n"
    )
    # In another directory, so that the sources are not found first.
    shown = subprocess.run(
        [sys.executable, "-c", program, str(archive)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    copied, size = shown.stdout.split()
    assert int(size) == jar_path().stat().st_size
    assert not Path(copied).exists()  # gone with the process that needed it
