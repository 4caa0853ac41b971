"""SQL scripts as tests: statements, and what they must answer.

A script is an SQL file. Its first comment says where it holds (``-- catalogs: every`` or ``managed``), the
other comments are the rules it shows. A statement ends with ``;`` at the end of a line; below it may stand

=========================  ============================================================================
``-- > 1 | a | NULL``      a row of the answer; rows are compared in any order unless the statement sorts
``-- > none``              the answer has no rows
``-- ~ fragment``          the answer, as text, holds this
``-- ! Class COND text``   the statement fails with this exception class, condition (``*``: any) and text
=========================  ============================================================================

``${catalog}``, ``${db}``, ``${tables}`` (local directory of the database) and ``${dir}`` (an empty one) are
filled in; ``$$`` is a dollar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from tests.spark.workplace import Workplace

_EXPECTATION = re.compile(r"\s*-- ([>~!]) ?(.*)")


@dataclass
class Step:
    """A statement and what is expected of it."""

    line: int
    sql: str
    rows: list[str] = field(default_factory=list)
    fragments: list[str] = field(default_factory=list)
    error: str | None = None


def parse(text: str) -> tuple[str, list[Step]]:
    """The kind of catalogs a script is for, and its steps."""
    kind, steps, pending = "", [], []
    for number, line in enumerate(text.splitlines(), 1):
        expectation = _EXPECTATION.fullmatch(line)
        if expectation:
            mark, value = expectation.groups()
            if mark == "!":
                steps[-1].error = value
            else:
                (steps[-1].rows if mark == ">" else steps[-1].fragments).append(value)
        elif line.startswith("--"):
            kind = kind or line.removeprefix("-- catalogs:").strip()
        elif line.strip():
            pending.append(line)
            if line.rstrip().endswith(";"):
                steps.append(Step(number, "\n".join(pending).rstrip().removesuffix(";")))
                pending = []
    assert not pending, f"statement without ';': {pending}"
    return kind, steps


def run(script: Path, place: Workplace) -> None:
    """Run a script in an empty database."""
    names = {"catalog": place.catalog, "db": place.database, "tables": place.tables, "dir": place.directory}

    def fill(text: str) -> str:
        return Template(text).safe_substitute(names)

    for step in parse(script.read_text())[1]:
        where = f"{script.name}:{step.line}: {step.sql}"
        if step.error is not None:
            kind, condition, *text = fill(step.error).split(" ", 2)
            place.fails(fill(step.sql), kind, condition, *text)
            continue
        answer = place.rows(fill(step.sql))
        if step.rows:
            expected = [fill(row) for row in step.rows if row != "none"]
            if "ORDER BY" not in step.sql:
                answer, expected = sorted(answer), sorted(expected)
            assert answer == expected, where
        for fragment in step.fragments:
            assert fill(fragment) in "\n".join(answer), where
