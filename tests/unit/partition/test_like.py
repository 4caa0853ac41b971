"""SQL's LIKE."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_paimon.partition.like import is_well_formed, like, literal_prefix

PATTERNS = st.text("ab%_\\\n", max_size=8)
TEXTS = st.text("ab%_\\\n", max_size=8)


def by_backtracking(text: str, pattern: str) -> bool:
    parts = []
    for token in re.findall(r"\\.|.", pattern, re.DOTALL):
        parts.append({"%": ".*", "_": "."}.get(token) or re.escape(token[-1]))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


@given(TEXTS, PATTERNS)
def test_the_leftmost_place_for_each_part_is_enough(text: str, pattern: str) -> None:
    assert like(text, pattern) is by_backtracking(text, pattern)


@given(TEXTS, PATTERNS)
def test_what_matches_has_the_literal_prefix(text: str, pattern: str) -> None:
    if like(text, pattern):
        assert text.startswith(literal_prefix(pattern))


@pytest.mark.parametrize(
    ("text", "pattern", "matches"),
    [
        ("", "", True),
        ("", "%", True),
        ("", "_", False),
        ("a", "a%a", False),
        ("aa", "a%a", True),
        ("aba", "%b%", True),
        ("a_c", r"a\_c", True),
        ("abc", r"a\_c", False),
        ("a\\", "a\\", True),
        ("ß𝄞", "__", True),
    ],
)
def test_cases(text: str, pattern: str, matches: bool) -> None:
    assert like(text, pattern) is matches


def test_many_wildcards_take_no_time() -> None:
    begun = time.perf_counter()
    assert not like("a" * 2000, "%a" * 40 + "%b")
    assert time.perf_counter() - begun < 2


def test_a_backslash_before_a_common_letter_is_not_well_formed() -> None:
    assert is_well_formed(r"a\%\_\\b_")
    assert not is_well_formed(r"\a")
    assert not is_well_formed("a\\")
