from __future__ import annotations

from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.storage import is_below, join, local_path, name_of, parent, qualify, scheme_of, storage_for


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/a/b", "file:/a/b"),
        ("file:///a/b", "file:/a/b"),
        ("file:/a/b/", "file:/a/b"),
        ("FILE:/a", "file:/a"),
        ("//a//b///c", "file:/a/b/c"),
        ("/a/./b/../c", "file:/a/c"),
        ("/", "file:/"),
        ("file:/", "file:/"),
        ("file:/a%20b/dt=a%3Ab", "file:/a%20b/dt=a%3Ab"),
        ("/a b/c ", "file:/a b/c "),
        ("/dt=2024:01", "file:/dt=2024:01"),
        ("s3a://Bucket//a/b/", "s3a://Bucket/a/b"),
        ("S3A://bucket/", "s3a://bucket"),
        ("hdfs://host:8020/a", "hdfs://host:8020/a"),
        ("hdfs:/a/", "hdfs:/a"),
        (
            "abfss://container@account.dfs.core.windows.net/a",
            "abfss://container@account.dfs.core.windows.net/a",
        ),
    ],
)
def test_each_place_has_one_spelling(location: str, expected: str) -> None:
    assert qualify(location) == expected
    assert qualify(expected) == expected


def test_relative_paths_start_at_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert qualify("warehouse") == f"file:{tmp_path}/warehouse"
    assert qualify(Path("warehouse")) == f"file:{tmp_path}/warehouse"


@pytest.mark.parametrize("location", ["", "  ", "file://host/a", "s3a:relative"])
def test_what_is_no_location_is_refused(location: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        qualify(location)
    assert caught.value.condition == "LOCATION_INVALID"


def test_secrets_in_a_refused_location_are_not_shown() -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        qualify("x:s3://me:secret@bucket/a")
    assert "secret" not in str(caught.value)


def test_joining_takes_the_relative_part_literally() -> None:
    assert join("file:/t", "dt=a%2Fb") == "file:/t/dt=a%2Fb"
    assert join("s3a://bucket", "t") == "s3a://bucket/t"


def test_below_is_a_matter_of_components() -> None:
    assert is_below("file:/t/a", "file:/t")
    assert not is_below("file:/table", "file:/t")
    assert is_below("file:/a", "file:/")


def test_parts_of_a_location() -> None:
    assert parent("file:/a") == "file:/"
    assert name_of("file:/a/b ") == "b "
    assert scheme_of("GS://b") == "gs"
    with pytest.raises(errors.InvalidInputError):
        local_path("s3a://bucket/a")


def test_a_scheme_nobody_knows_is_refused_by_name() -> None:
    with pytest.raises(errors.UnsupportedError, match="nosuch"):
        storage_for("nosuch://a/b")
