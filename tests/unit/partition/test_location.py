from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.partition.location import Occupied, canonical_location, overlap, place_of


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("OSS://BUCKET//archive///%64t%3D2026%2Fmonth%3D09/", "oss://bucket/archive/dt=2026/month=09"),
        ("file:///x", "file:/x"),
        ("file:/x//y/", "file:/x/y"),
        ("FILE:/X", "file:/X"),
        ("s3a://B/a b", "s3a://b/a b"),
        ("s3a://b/a%20b", "s3a://b/a b"),
        ("s3://b/caf%C3%A9", "s3://b/café"),
        (
            "abfss://Container@Account.dfs.core.windows.net/x",
            "abfss://container@account.dfs.core.windows.net/x",
        ),
        ("hdfs://NN:8020/x", "hdfs://nn/x"),
        ("hdfs://nn:9000/x", "hdfs://nn:9000/x"),
        ("memory://m/a", "memory://m/a"),
        ("s3://b/...", "s3://b/..."),
        ("s3://b/a:b", "s3://b/a:b"),
    ],
)
def test_one_spelling(text: str, canonical: str) -> None:
    assert canonical_location(text) == canonical
    assert canonical_location(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "", " ", " s3://b/x", "s3://b/x ", "s3://b/x\u00a0", "\u2003s3://b/x", "s3://b/x%20", "s3://b/x?y", "s3://b/x#y",
        "s3://b/x\\y", "s3://b/x%5cy", "s3://b/x%3Fy", "s3://b/x\ny", "s3://b/x%00", "s3://b/x\x7f", "s3://b/../x",
        "s3://b/./x", "s3://b/x/..", "s3://b/%2e%2e/x", "s3://b/a%2F..%2Fx", "s3://b/a/%2E", "x", "/x", "x/y",
        "file:x", "file:", "file:/", "file:///", "s3://b", "s3://b/", "s3://b//", "s3:/x", "s3:///x", "hdfs:///x",
        "hdfs:/x", "file://host/x", "s3://user@b/x", "s3://user:pw@b/x", "abfs://c:pw@account/x", "abfs://@account/x",
        "abfs://c@/x", "viewfs://c/x", "viewfs:/x", "s3://b/%", "s3://b/%2", "s3://b/%zz", "s3://b/%ff",
        "s3://b/%2541", "s3://b/%25", "s3://b%20/x", "://b/x", "1s://b/x", "s3://b/\ud800",
        "s3://key:se/cret@b/x", "s3://b:x/y",
    ],
)  # fmt: skip
def test_what_is_no_location_of_a_partition(text: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        canonical_location(text)
    assert caught.value.condition == "PARTITION_LOCATION_MALFORMED"


@pytest.mark.parametrize(
    "text",
    [
        "s3://key:hunter2@bucket/x",
        "s3://key:a/hunter2@bucket/x",
        "https://account/x?sig=hunter2",
        "s3://key:a?hunter2@bucket/x",
        "s3://b/x#hunter2",
    ],
)
def test_a_password_is_not_repeated(text: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        canonical_location(text)
    assert "hunter2" not in str(caught.value)


_PIECES = st.lists(
    st.sampled_from(
        ["a", "b=", "/", "//", ".", "..", "%2e", "%2F", "%25", "%5c", "%", " ", "é", "\x00", ":", "@", "?"]
    ),
    max_size=12,
).map("".join)


@given(st.sampled_from(["s3://b/", "file:/", "hdfs://n:8020/", "S3N://B/", "abfs://c@a/"]), _PIECES)
def test_whatever_is_accepted_stays_itself_and_leads_nowhere_else(start: str, rest: str) -> None:
    try:
        canonical = canonical_location(start + rest)
    except errors.InvalidInputError:
        return
    assert canonical_location(canonical) == canonical
    assert not {".", ".."} & set(canonical.split("/"))
    assert "%" not in canonical
    assert overlap(canonical, start + rest.replace("%2F", "/").replace("%2e", ".")) or "%" in rest


@pytest.mark.parametrize(
    ("one", "other", "overlapping"),
    [
        ("file:/a", "/a", True),
        ("file:/a", "file:/a/b", True),
        ("file:/a-b", "file:/a", False),
        ("s3://b/x", "s3a://B/x", True),
        ("s3n://b/x/y", "s3a://b/x", True),
        ("s3://b/x", "s3://c/x", False),
        ("s3://b/x", "oss://b/x", False),
        ("abfs://c@a/x", "abfss://c@A/x/y", True),
        ("hdfs://n:8020/x", "hdfs://n/x", True),
        ("s3://b/X", "s3://b/x", False),
    ],
)
def test_what_is_the_same_place(one: str, other: str, overlapping: bool) -> None:
    assert overlap(one, other) is overlapping
    assert overlap(other, one) is overlapping


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join), max_size=12))
def test_the_tree_finds_what_comparing_each_with_each_finds(paths: list[str]) -> None:
    taken, kept = Occupied(), []
    for number, path in enumerate(paths):
        location = f"s3://bucket/{path}"
        others = {owner for owner, place in kept if overlap(place, location)}
        owner = taken.add(location, str(number))
        assert (owner is None) == (not others)
        assert owner is None or owner in others
        if owner is None:
            kept.append((str(number), location))


def test_25000_locations_take_no_three_seconds() -> None:
    began = time.process_time()
    taken = Occupied()
    for number in range(25_000):
        assert (
            taken.add(canonical_location(f"s3://bucket/archive/{number % 97}/dt={number}"), str(number))
            is None
        )
    assert taken.add("s3a://bucket/archive/5/dt=5/below", "x") == "5"
    assert taken.add("s3a://bucket/archive", "x") is not None
    assert time.process_time() - began < 3


def test_places() -> None:
    assert place_of("file:/") == ("file", "")
    assert place_of("relative/x") == ("file", "", "relative", "x")
