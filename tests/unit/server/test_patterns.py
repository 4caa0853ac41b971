"""Name patterns of listings."""

from __future__ import annotations

import time

from spark_paimon.server.patterns import matching


def test_many_wildcards_take_no_time() -> None:
    begun = time.perf_counter()
    assert matching(["a" * 200], "%a" * 50 + "%b") == []
    assert time.perf_counter() - begun < 2


def test_no_pattern_keeps_all() -> None:
    assert matching(["b", "a"], None) == matching(["b", "a"], "") == ["b", "a"]
