"""The jars of Delta Lake for the installed Spark, from a Maven repository."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.peers.cache import UnavailableError, cached
from tests.peers.paimon_java import fetch

VERSION = "4.4.0"

_ARTIFACTS = (
    "delta-spark_4.2_2.13",
    "delta-storage",
    "delta-kernel-api",
    "delta-kernel-defaults",
    "delta-kernel-unitycatalog",
)


@functools.cache
def available() -> str | None:
    """None where Delta can be had; otherwise why not, for the message of a skipped test."""
    try:
        jars()
    except UnavailableError as reason:
        return str(reason)
    return None


def jars() -> list[Path]:
    """The jars that a session with Delta needs.

    Raises
    ------
    UnavailableError
        They cannot be had.
    """
    folder = cached(f"delta-{VERSION}", _fetch)
    return [folder / f"{artifact}-{VERSION}.jar" for artifact in _ARTIFACTS]


def _fetch(folder: Path) -> None:
    for artifact in _ARTIFACTS:
        fetch(f"io.delta:{artifact}:{VERSION}", folder)
