"""The command line itself, and the commands that need no table."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spark_paimon
from spark_paimon.cli import main
from spark_paimon.cli.catalog_flags import add_catalog_flags, catalog_options

Captured = pytest.CaptureFixture[str]


def test_module_and_script_are_the_same() -> None:
    shown = [
        subprocess.run([*program, "--version"], capture_output=True, text=True, check=True).stdout
        for program in (
            [sys.executable, "-m", "spark_paimon"],
            [os.fspath(Path(sys.executable).parent / "spark-paimon")],
        )
    ]
    assert shown == [f"spark-paimon {spark_paimon.__version__}\n"] * 2


@pytest.mark.parametrize("words", [[], ["nonsense"], ["partitions"], ["partitions", "list"], ["serve"]])
def test_wrong_command_line_is_code_2(words: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert capsys.readouterr().out == ""


def test_jar_prints_one_path(capsys: Captured) -> None:
    assert main(["jar"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert Path(line).is_absolute()
    assert Path(line).is_file()


def test_reader_that_stops_early_is_no_error_message() -> None:
    program = "import sys; from spark_paimon.cli import main; sys.exit(main(['jar']))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", program], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def doctor(*words: str, capsys: Captured) -> tuple[int, dict[str, dict[str, str]]]:
    code = main(["doctor", "--no-session", "--json", *words])
    return code, {check["name"]: check for check in json.loads(capsys.readouterr().out)}


def test_doctor_finds_what_a_session_needs(capsys: Captured, tmp_path: Path) -> None:
    code, checks = doctor("--warehouse", str(tmp_path), capsys=capsys)
    assert code == 0
    assert list(checks)[:6] == ["python", "java", "spark", "jar", "data sources", "catalog"]
    assert all(checks[name]["status"] == "ok" for name in list(checks)[:6])
    assert checks["extra s3"]["status"] in ("ok", "absent")


def test_doctor_says_what_to_do_without_java(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, checks = doctor(capsys=capsys)
    assert code == 1
    assert checks["java"]["status"] == "problem"
    assert "JAVA_HOME" in checks["java"]["advice"]


def test_doctor_names_a_module_that_hides_all_python_data_sources(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pyspark_broken_thing.py").write_text("raise RuntimeError('no licence')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    code, checks = doctor(capsys=capsys)
    assert code == 1
    assert "pyspark_broken_thing" in checks["data sources"]["detail"]
    assert "no licence" in checks["data sources"]["detail"]


def test_doctor_reports_a_catalog_that_cannot_be_opened(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, checks = doctor("--warehouse", str(tmp_path / "file" / "below"), capsys=capsys)
    assert code == 1
    assert checks["catalog"]["status"] == "problem"


def test_doctor_knows_databricks(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.1")
    code, checks = doctor(capsys=capsys)
    assert code == 1
    assert "Databricks Runtime 18.1" in checks["spark"]["detail"]


def test_doctor_prints_a_line_a_check(capsys: Captured) -> None:
    assert main(["doctor", "--no-session"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok       python: Python 3.")
    assert all(line.startswith(("ok ", "- ")) for line in lines)


def flags(*words: str) -> dict[str, str]:
    import argparse

    parser = argparse.ArgumentParser()
    add_catalog_flags(parser)
    return catalog_options(parser.parse_args(words))


def test_catalog_flags_become_options() -> None:
    given = flags("--metastore", "rest", "--uri", "http://h", "--token-file", "F", "--option", "a.b=c=d")
    assert given == {"metastore": "rest", "uri": "http://h", "token-file": "F", "a.b": "c=d"}


def test_token_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\n"))
    assert flags("--token-file", "-")["token"] == "s3cret"


@pytest.mark.parametrize(
    "words",
    [
        ["--option", "token=s3cret"],
        ["--option", "header.Authorization=s3cret"],
        ["--option", "fs.secret=s3cret"],
        ["--option", "uri=postgresql://me:s3cret@h/d"],
        ["--uri", "postgresql://me:s3cret@h/d"],
    ],
)
def test_secret_on_the_command_line_is_refused(words: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        flags(*words)
    assert caught.value.code == 2
    shown = capsys.readouterr().err
    assert "--secrets-file" in shown
    assert "s3cret" not in shown


def test_file_of_secrets_is_an_option(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "secrets.json"
    file.write_text('{"uri": "postgresql+psycopg://me:s3cret@127.0.0.1:1/d"}')
    code, checks = doctor("--warehouse", str(tmp_path), "--secrets-file", str(file), capsys=capsys)
    assert code == 1
    assert "127.0.0.1" in checks["catalog"]["detail"]
    assert "s3cret" not in json.dumps(checks)


def test_no_catalog_flags_are_no_catalog() -> None:
    assert flags() == {}
    assert flags("--warehouse", "w") == {"metastore": "embedded", "warehouse": "w"}


def test_missing_token_file_is_named(capsys: Captured, tmp_path: Path) -> None:
    words = ["--metastore", "rest", "--uri", "http://127.0.0.1:1", "--token-file", str(tmp_path / "none")]
    assert main(["partitions", "list", "db.t", *words]) == 1
    assert str(tmp_path / "none") in capsys.readouterr().err
