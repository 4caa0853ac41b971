"""The helpers in processes of their own, since a JVM keeps the class path it was started with."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.submit.conftest import Runner, results


def test_attach_adds_catalogs_to_a_running_session(run_python: Runner, tmp_path: Path) -> None:
    found = results(run_python("attached.py", str(tmp_path / "w")))
    assert found == [
        "DRIVER_WITHOUT_JAR",  # it is too late for the builder
        "2 True",  # each attach says what needs CALL now
        "2",
        "0",  # the insert has registered its partitions
        "[('dt=a', 1), ('dt=b', 1)]",
        "['default']",
        "AnalysisException",  # MSCK without the extension is refused by Spark
    ]


def test_helper_in_plain_python_and_again_after_stop(run_python: Runner, tmp_path: Path) -> None:
    assert results(run_python("configured.py", str(tmp_path / "w"))) == ["['default']", "['default']", "1"]


def test_jars_of_the_submit_arguments_stay_with_ours(run_python: Runner, tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\n")
    done = run_python(
        "configured.py", str(tmp_path / "w"), PYSPARK_SUBMIT_ARGS=f"--jars {other} pyspark-shell"
    )
    assert results(done) == ["['default']", "['default']", "1"]
