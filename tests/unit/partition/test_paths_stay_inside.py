"""No path that is built from a value, a name or a location leads out of where it belongs.

What a path means is asked of ``posixpath`` and ``urllib``, and not of this package.
"""

from __future__ import annotations

import posixpath
import random
import time
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import pytest

from spark_paimon import errors
from spark_paimon.catalog.definitions import check_name
from spark_paimon.catalog.registration import custom_location
from spark_paimon.partition.escaping import DELTA_LOG
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.location import canonical_location
from spark_paimon.schema import Field, StringType
from spark_paimon.storage import is_below, join, local_path, parent

INPUTS = 50_000
"""Of each kind; there are four, of which two come in two layouts."""

TABLE = "file:/warehouse/db.db/t"
PIECES = (
    "..", ".", "/", "\\", "%2F", "%2f", "%2E%2E", "%252F", "%00", "%", "=", ":", "//", "/../", "/./", "../",
    "..\\", "file:", "s3://b/", "~", "$HOME", "\x00", "\n", "\r", "\t", " ", "\x7f", "\u2024\u2024",
    "\uff0e\uff0e", "\uff0f", "\u2044", "\u202e", "\u200b", "\ufeff", "\u0130", "e\u0301", "日本",
    "\U0001f600", "\ud800", "a", "0", "_", "-", "*", "?", "#", "{", "}", "[", "]", "^", "|", "<", ">", '"',
    "'", "`", ";", "&", DELTA_LOG, "_temporary", "schema", "__DEFAULT_PARTITION__", "x" * 300,
)  # fmt: skip
LOCATION_PIECES = (
    *PIECES, "file:///", "file:/", "s3://bucket/", "s3a://BUCKET", "hdfs://host:8020/", "//", "warehouse/",
    "db.db/", "t",
)  # fmt: skip


def texts(seed: int, pieces: tuple[str, ...] = PIECES) -> list[str]:
    chosen = random.Random(seed)
    return ["".join(chosen.choices(pieces, k=chosen.randint(0, 5))) for _ in range(INPUTS)]


def allowed(make: Callable[[], str]) -> str | None:
    """A path, or None where this package refuses to make it, which it does with its own errors only."""
    try:
        return make()
    except errors.PaimonError:
        return None


@pytest.mark.parametrize("value_only", [False, True], ids=["key=value", "value-only"])
def test_values_stay_inside_of_the_table(value_only: bool) -> None:
    layout = PartitionLayout(
        (Field(0, "a", StringType()), Field(1, "b", StringType())), value_only=value_only
    )
    values = iter(texts(1))
    made = 0
    for first, second in zip(values, values, strict=True):
        for pair in ((first, second), (second, first)):
            path = allowed(lambda pair=pair: layout.path(layout.spec(dict(zip("ab", pair, strict=True)))))
            if path is None:
                continue
            made += 1
            directory = local_path(join(TABLE, path))
            assert posixpath.normpath(directory) == directory, pair
            assert posixpath.dirname(posixpath.dirname(directory)) == "/warehouse/db.db/t", pair
            assert "\\" not in directory, pair
            assert is_below(join(TABLE, path), TABLE), pair
            spec = layout.parse_path(join(TABLE, path))
            assert spec == layout.spec(dict(zip("ab", pair, strict=True))), pair
    assert made > INPUTS // 2, "nearly everything was refused"


@pytest.mark.parametrize("value_only", [False, True], ids=["key=value", "value-only"])
def test_names_of_columns_stay_inside_of_the_table(value_only: bool) -> None:
    made = 0
    for name in texts(2):
        if not name:
            continue
        layout = PartitionLayout((Field(0, name, StringType()),), value_only=value_only)
        path = allowed(lambda layout=layout, name=name: layout.path(layout.spec({name: "x"})))
        if path is None:
            continue
        made += 1
        assert posixpath.dirname(local_path(join(TABLE, path))) == "/warehouse/db.db/t", name
        assert layout.parse_path(join(TABLE, path)) == {name: "x"}, name
    assert made > INPUTS // 2


def test_locations_are_where_they_say_and_outside_of_the_table() -> None:
    made = 0
    for text in texts(3, LOCATION_PIECES):
        location = allowed(lambda text=text: custom_location("db.t", TABLE, "dt=x", text))
        if location is None:
            continue
        made += 1
        given = urlsplit(text)
        scheme, _, path = location.partition(":")
        assert scheme == given.scheme.lower(), text
        path = path.removeprefix(
            f"//{given.netloc.lower().removesuffix(':8020') if scheme == 'hdfs' else given.netloc.lower()}"
        )
        assert path == posixpath.normpath(path).replace("//", "/"), text
        assert [name for name in unquote(given.path).split("/") if name] == path.split("/")[1:], text
        if scheme == "file":
            assert not (path + "/").startswith("/warehouse/db.db/t/"), text
            assert not "/warehouse/db.db/t/".startswith(path + "/"), text
        assert canonical_location(location.replace("%", "%25")) == location, text
    assert made > 500


def test_names_of_databases_and_tables_are_one_directory() -> None:
    made = 0
    for name in texts(4):
        if allowed(lambda name=name: check_name("table", name) or name) is None:
            continue
        made += 1
        directory = local_path(join("file:/warehouse/db.db", name))
        assert posixpath.dirname(posixpath.normpath(directory)) == "/warehouse/db.db", name
        assert posixpath.basename(posixpath.normpath(directory)) == name, name
    assert made > 1000


def test_it_takes_no_long_time_to_refuse_a_long_location() -> None:
    began = time.monotonic()
    for text in (
        "s3://b/" + "../" * 100_000,
        "file:/" + "%2e%2e/" * 50_000,
        "file:/" + "/" * 500_000,
        "a" * 500_000,
    ):
        allowed(lambda text=text: canonical_location(text))
    assert time.monotonic() - began < 5
    assert parent("file:/x") == "file:/"
