"""The steps of each statement at which it is made to fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.spark.faults.statements import STATEMENTS, Statement
from tests.spark.faults.switch import Fault

READS = ("load_table_info", "list_partitions", "list_partitions_by_names", "list_directory")

# Seams in the order in which they are called; `#2`: the second call. A test checks that none is missing.
POINTS = {
    "append": "load_table_info#1 load_table_info#2 load_table_info#3 list_partitions_by_names rename link "
    "publish#1 publish#2 create_partitions#1 create_partitions#2",
    "overwrite": "load_table_info#3 list_partitions list_directory rename delete_file#1 delete_file#2 "
    "make_directory publish#1 link#2 publish#2 create_partitions",
    "overwrite-dynamic": "load_table_info#3 list_directory#1 list_directory#2 rename delete_file#1 "
    "delete_file#2 publish#1 link#2 publish#2 create_partitions",
    "overwrite-table": "load_table_info#3 list_partitions list_directory#1 list_directory#3 rename "
    "delete_file#1 delete_file#4 publish#1 link#2 publish#2 create_partitions",
    "replace": "load_table_info#2 list_directory#1 list_directory#2 delete_file#1 delete_file#4 "
    "remove_empty_directory#1 replace_table load_table_info#5 list_partitions list_directory#6 rename "
    "publish#1 link#2 publish#2 create_partitions",
    "truncate": "load_table_info list_partitions list_directory delete_file#1 delete_file#2 "
    "create_partitions",
    "truncate-table": "load_table_info#2 list_partitions list_directory#2 delete_file#1 delete_file#4 "
    "create_partitions",
    "add": "load_table_info create_partitions make_directory#1 make_directory#2",
    "drop": "load_table_info list_partitions drop_partitions delete_directory",
    "msck": "load_table_info list_directory list_partitions create_partitions drop_partitions",
    "analyze": "load_table_info list_partitions list_directory#1 list_directory#3 create_partitions",
}  # fmt: skip

THOROUGH = ("append", "overwrite")
"""Statements that are killed at every change in the normal run too. The others are killed at their first one
only: starting a process takes its time.
"""


def point(text: str) -> tuple[str, int]:
    """Seam and number of a point."""
    step, _, number = text.partition("#")
    return step, int(number or 1)


def all_faults(statement: Statement) -> Iterator[tuple[Fault, bool]]:
    """Every fault of a statement, and whether it belongs to the normal run."""
    points = [point(text) for text in POINTS[statement.name].split()]
    first = next(found for found in points if found[0] not in READS)
    for step, number in points:
        thorough = statement.name in THOROUGH
        yield Fault(step, "before", number, "fail"), thorough or step not in READS
        if step in READS:
            yield Fault(step, "before", number, "kill"), False
            continue
        yield Fault(step, "after", number, "fail"), step != "link"
        yield Fault(step, "before", number, "crash"), False
        yield Fault(step, "before", number, "kill"), False
        yield Fault(step, "after", number, "kill"), thorough or (step, number) == first


def parameters() -> list[object]:
    """Statement and fault, as parameters of a test."""
    found: list[object] = []
    for statement in STATEMENTS:
        for fault, normal in all_faults(statement):
            marks = () if normal else (pytest.mark.slow,)
            found.append(pytest.param(statement, fault, marks=marks, id=f"{statement}-{fault}"))
    return found
