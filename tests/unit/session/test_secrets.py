"""Secrets that the helper is given do not get into Spark's settings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.session.settings import catalog_settings

SECRET = "nobody-may-see-this"
GIVEN = {
    "token": {"token": SECRET},
    "header": {"options": {"header.X-Any": SECRET}},
    "file system": {"options": {"fs.secret": SECRET, "fs.anon": "false"}},
    "password": {"uri": f"postgresql://me:{SECRET}@host/db"},
}


def settings(**given: object) -> dict[str, str]:
    arguments = {"metastore": "rest", "warehouse": "/w", "uri": None, "token": None, "options": None, **given}
    return catalog_settings("shop", **arguments)  # type: ignore[arg-type]


def secrets_file(found: dict[str, str]) -> Path:
    return Path(found["spark.sql.catalog.shop.secrets-file"])


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_settings_name_a_file_of_this_user(given: dict[str, object]) -> None:
    found = settings(**given)
    assert SECRET not in repr(found)
    file = secrets_file(found)
    assert SECRET in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_only_what_is_secret_is_in_the_file() -> None:
    found = settings(**GIVEN["file system"])
    assert json.loads(secrets_file(found).read_text()) == {"fs.secret": SECRET}
    assert found["spark.sql.catalog.shop.fs.anon"] == "false"


def test_same_secrets_are_the_same_settings() -> None:
    first = settings(token=SECRET)
    assert settings(token=SECRET) == first
    assert settings(token=SECRET + "2") != first


def test_file_that_was_swept_away_is_written_again() -> None:
    secrets_file(settings(token=SECRET)).unlink()
    assert secrets_file(settings(token=SECRET)).is_file()


def test_without_secrets_there_is_no_file() -> None:
    assert not any("secrets-file" in key for key in settings())


def test_file_and_secrets_together_are_refused() -> None:
    with pytest.raises(errors.InvalidInputError, match="'token' into it") as caught:
        settings(token=SECRET, options={"secrets-file": "/run/secrets.json"})
    assert SECRET not in str(caught.value)


PROGRAM = f"""
import os
from pathlib import Path
from spark_paimon.session.settings import catalog_settings

def file():
    found = catalog_settings("c", metastore="rest", warehouse="/w", uri=None, token={SECRET!r}, options=None)
    return found["spark.sql.catalog.c.secrets-file"]

path = file()
child = os.fork()
if child == 0:
    assert file() != path  # that one goes with the parent
    print(file())
    raise SystemExit  # runs what is registered for the exit of this process
os.waitpid(child, 0)
assert Path(path).is_file(), "the child took it away"
print(path)
"""


def test_file_goes_with_the_process_that_made_it(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    paths = done.stdout.split()
    assert len(paths) == 2
    assert not any(Path(path).parent.exists() for path in paths)
