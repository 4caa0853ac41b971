"""Every error that is raised has its condition, and every condition is raised somewhere."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_paimon import errors

ROOT = Path(errors.__file__).parent
JAVA = ROOT.parent / "jars"
CONDITIONS = errors.error_conditions()


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Condition and call of every construction of an error in the package."""
    for file in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            condition = node.args[0].value
            if name.endswith("Error") and isinstance(condition, str) and condition.isupper():
                yield condition, node


def placeholders(condition: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(CONDITIONS[condition]["message"]) if name}


def test_every_raised_condition_has_text_and_values() -> None:
    for condition, call in raised():
        assert condition in CONDITIONS, condition
        given = {keyword.arg for keyword in call.keywords}
        if None not in given:
            assert placeholders(condition) <= given, condition


def test_every_condition_is_used() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(ROOT.rglob("*.py")))
    text += "".join(file.read_text(encoding="utf-8") for file in sorted(JAVA.rglob("*.java")))
    unused = [condition for condition in CONDITIONS if f'"{condition}"' not in text]
    assert not unused


@pytest.mark.parametrize("condition", sorted(CONDITIONS))
def test_condition_is_well_formed(condition: str) -> None:
    entry = CONDITIONS[condition]
    assert set(entry) == {"sqlState", "message"}
    assert len(entry["sqlState"]) == 5
    assert entry["sqlState"].isalnum()
    assert entry["message"].endswith((".", "}", "?"))
