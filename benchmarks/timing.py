"""Measuring two ways of doing one thing in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Times of two ways of doing the same.

    Attributes
    ----------
    name
        What was done.
    ours, spark
        Median seconds.
    limit
        The ratio that is promised, if any.
    """

    name: str
    ours: float
    spark: float
    limit: float | None = None

    @property
    def ratio(self) -> float:
        """How many times as long ours takes."""
        return self.ours / self.spark

    def __str__(self) -> str:
        limit = "" if self.limit is None else f" (promised: at most {self.limit:.2f})"
        return f"{self.name:<44} {self.ours:8.3f} s {self.spark:8.3f} s   ratio {self.ratio:5.2f}{limit}"


def compare(
    name: str,
    ours: Callable[[], object],
    spark: Callable[[], object],
    *,
    rounds: int,
    limit: float | None = None,
    between: Callable[[], object] = lambda: None,
) -> Comparison:
    """Run both in turn, first once for warming up, and compare the medians.

    In turn, because a machine gets slower and faster over minutes: so both see the same of it. Who is first
    changes each round.

    Parameters
    ----------
    name
        What is done.
    ours, spark
        The two ways.
    rounds
        Measured runs of each.
    limit
        The ratio that is promised.
    between
        Runs before each measured run, untimed.
    """
    times: dict[Callable[[], object], list[float]] = {ours: [], spark: []}
    order = [ours, spark]
    for number in range(rounds + 1):
        for way in order:
            between()
            began = time.perf_counter()
            way()
            if number:
                times[way].append(time.perf_counter() - began)
        order.reverse()
    return Comparison(name, statistics.median(times[ours]), statistics.median(times[spark]), limit)
