"""Reports of users of Paimon, Spark and Iceberg: each has a test with its number, ``test_p22_…`` or P22."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
REPORTS = {
    "Partition registry and MSCK": (1, 3, 4, 6, 7, 9, 10, 12, 13),
    "Partition values": (15, 16, 18, 19, 21, 22, 24, 25, 27, 28, 30, 31, 33, 34, 36, 37),
    "Case sensitivity": (39, 40),
    "Overwrite, commit, concurrency": (42, 43, 45, 46, 48, 49, 51, 52, 54),
    "Statistics": (55, 57, 58, 60, 61, 63),
    "Pruning and scan": (64, 66, 67, 69, 70, 72, 73),
}
"""Numbers by subject: what is about partitions, commits, statistics and pruning."""


@pytest.fixture(scope="module")
def mentioned() -> set[int]:
    """Numbers that stand in some test."""
    files = [path for path in TESTS.rglob("*") if path.suffix in (".py", ".sql") and path != Path(__file__)]
    found = re.findall(r"(?:\bP|_p)0*(\d{1,3})(?!\d)", "\n".join(map(Path.read_text, files)))
    return set(map(int, found))


@pytest.mark.parametrize("subject", REPORTS)
def test_each_report_has_a_test(mentioned: set[int], subject: str) -> None:
    assert [f"P{number}" for number in REPORTS[subject] if number not in mentioned] == []
