"""One client of the load test, in a process of its own: mixed requests, and a model of what they must leave.

It reads one JSON object (``options`` of the catalog, ``number``, ``seconds``) from standard input, and writes
one with its model and the times of its requests.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from benchmarks.serving import PAGE, Pages, next_page
from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.partition.predicate import Comparison
from spark_paimon.statistics import PartitionStatistics

TABLE = "default.t"
HOURS = 20
FILLED_DAYS = 5000
SHARED = 10
# In the order of pages, which is that of texts.
NAMES = sorted(f"dt=d{day:05}/hh={hour}" for day in range(FILLED_DAYS) for hour in range(HOURS))


class Client:
    """Registers days of its own, reads those of everybody, and adds to shared numbers."""

    def __init__(self, catalog: Catalog, pages: Pages, number: int) -> None:
        self.catalog = catalog
        self.pages = pages
        self.random = random.Random(number)
        self.number = number
        self.days = 0
        # Day to rows of each hour; a day is there whole or not at all.
        self.model: dict[str, list[int]] = {}
        self.done: set[str] = set()
        self.added = [0] * SHARED
        self.times: dict[str, list[float]] = {}

    def run(self, seconds: float) -> None:
        """Ask for some time."""
        kinds: list[tuple[Callable[[], None], int]] = [
            (self.register, 4), (self.register_strictly, 2), (self.register_again, 2), (self.unregister, 2),
            (self.list_own_day, 4), (self.list_filled_day, 4), (self.list_by_filter, 2), (self.list_page, 2),
            (self.look_up, 4), (self.add, 6), (self.replace, 3), (self.mark, 1),
        ]  # fmt: skip
        actions = [action for action, weight in kinds for _ in range(weight)]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            action = self.random.choice(actions)
            began = time.perf_counter()
            action()
            self.times.setdefault(action.__name__, []).append(time.perf_counter() - began)

    def specs(self, day: str) -> list[dict[str, str]]:
        return [{"dt": day, "hh": str(hour)} for hour in range(HOURS)]

    def new_day(self) -> str:
        self.days += 1
        return f"own-{self.number:02}-{self.days:06}"

    def some_day(self) -> str:
        if not self.model:
            self.register()
        return self.random.choice(list(self.model))

    def register(self) -> None:
        day = self.new_day()
        result = self.catalog.create_partitions(TABLE, self.specs(day))
        assert len(result.created) == HOURS, result
        self.model[day] = [-1] * HOURS

    def register_strictly(self) -> None:
        day = self.new_day()
        self.catalog.create_partitions(TABLE, self.specs(day), ignore_if_exists=False)
        self.model[day] = [-1] * HOURS

    def register_again(self) -> None:
        day = self.some_day()
        result = self.catalog.create_partitions(TABLE, self.specs(day))
        assert (len(result.created), len(result.existed)) == (0, HOURS), result
        try:
            new = {"dt": self.new_day(), "hh": "0"}
            self.catalog.create_partitions(TABLE, [new, *self.specs(day)], ignore_if_exists=False)
        except errors.PartitionsExistError:
            return
        raise AssertionError(f"{day} was registered twice")

    def unregister(self) -> None:
        day = self.some_day()
        result = self.catalog.drop_partitions(TABLE, self.specs(day), ignore_if_not_exists=False)
        assert len(result.dropped) == HOURS, result
        del self.model[day]
        self.done.discard(day)

    def list_own_day(self) -> None:
        day = self.some_day()
        self.check(day, self.catalog.list_partitions(TABLE, {"dt": day}))

    def check(self, day: str, found: list[Any]) -> None:
        rows = {int(row.spec["hh"]): row.statistics.record_count for row in found}
        assert rows == dict(enumerate(self.model[day])), (day, rows)
        assert {row.done for row in found} == {day in self.done}

    def list_filled_day(self) -> None:
        day = f"d{self.random.randrange(FILLED_DAYS):05}"
        assert len(self.catalog.list_partitions(TABLE, {"dt": day})) == HOURS

    def list_by_filter(self) -> None:
        day = f"d{self.random.randrange(FILLED_DAYS):05}"
        found = self.catalog.list_partitions(TABLE, {"dt": day}, Comparison("<", "hh", 5))
        assert sorted(int(row.spec["hh"]) for row in found) == [0, 1, 2, 3, 4]

    def list_page(self) -> None:
        at = self.random.randrange(len(NAMES) - PAGE)
        answer = json.loads(self.pages("t", next_page(NAMES[at])))
        names = [f"dt={row['spec']['dt']}/hh={row['spec']['hh']}" for row in answer["partitions"]]
        assert names == NAMES[at + 1 : at + 1 + PAGE]
        assert answer["nextPageToken"] == names[-1]

    def look_up(self) -> None:
        day = self.some_day()
        self.check(day, self.catalog.list_partitions_by_names(TABLE, self.specs(day)))

    def add(self) -> None:
        hour = self.random.randrange(SHARED)
        spec = {"dt": "shared", "hh": str(hour)}
        report = [(spec, PartitionStatistics(1, 10, 1, time.time_ns() // 1_000_000))]
        self.catalog.create_partitions(TABLE, [spec], statistics=report)
        self.added[hour] += 1

    def replace(self) -> None:
        day = self.some_day()
        hour, rows = self.random.randrange(HOURS), self.random.randrange(1000)
        spec = {"dt": day, "hh": str(hour)}
        report = [(spec, PartitionStatistics(rows, 10, 1, 1))]
        self.catalog.create_partitions(TABLE, [spec], statistics=report, replace_statistics=True)
        self.model[day][hour] = rows

    def mark(self) -> None:
        day = self.some_day()
        self.catalog.mark_partitions_done(TABLE, self.specs(day))
        self.done.add(day)


def main() -> None:
    order = json.load(sys.stdin)
    options = order["options"]
    with load_catalog(options) as catalog, closing(Pages(options["uri"], options["token"])) as pages:
        client = Client(catalog, pages, order["number"])
        client.run(order["seconds"])
    answer = {
        "model": client.model, "done": sorted(client.done), "added": client.added, "times": client.times,
    }  # fmt: skip
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
