"""The plan of the house: which room may import which, and who may know Spark."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "spark_paimon"

# From the ground up. A room imports rooms that stand before it.
LAYERS = (
    "errors",
    "parallel",
    "options",
    "session",
    "demo",
    "schema",
    "storage",
    "partition",
    "format",
    "statistics",
    "catalog",
    "table",
    "procedures",
    "bridge",
    "server",
    "cli",
    "__main__",
)

# Upwards only inside a function, for these reasons.
UPWARDS = {
    ("__init__", "session"): "the public names are found there on first use",
    ("catalog", "table"): "a catalog hands out table objects, which hold their catalog",
    ("session", "catalog"): "the doctor opens the catalog it is asked about",
    ("session", "statistics"): "the doctor imports in a worker what ANALYZE needs there",
}

KNOWS_SPARK = {"bridge", "datasource", "session"}
KNOWS_PY4J = {"bridge"}
NAMES_WITHOUT_THEME = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}


@dataclass(frozen=True)
class Import:
    path: Path
    line: int
    room: str
    module: str
    when: str  # "load", "call", "typing"

    @property
    def target(self) -> str:
        """The room that is imported; empty for the package itself and for strangers."""
        parts = self.module.split(".")
        room = parts[1] if parts[0] == "spark_paimon" and len(parts) > 1 else ""
        return room if (PACKAGE / room).is_dir() or (PACKAGE / f"{room}.py").is_file() else ""

    def __str__(self) -> str:
        return f"{self.path.relative_to(PACKAGE.parent)}:{self.line} imports {self.module}"


def imports() -> Iterator[Import]:
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        yield from _imports_in(ast.parse(path.read_text(encoding="utf-8")).body, path, room, "load")


def _imports_in(body: list[ast.stmt], path: Path, room: str, when: str) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, room, alias.name, when)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            modules = [node.module or ""]
            if node.module == "spark_paimon":
                modules = [f"spark_paimon.{alias.name}" for alias in node.names]
            for module in modules:
                yield Import(path, node.lineno, room, module, when)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports_in(node.body, path, room, "typing")
        else:
            inner = "call" if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else when
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                yield from _imports_in(getattr(node, field, []), path, room, inner)


def test_every_room_has_its_place() -> None:
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__"} == set(LAYERS)


def test_imports_go_one_way() -> None:
    wrong = [
        str(found)
        for found in imports()
        if found.when != "typing"
        and found.target not in ("", found.room)
        and not (found.when == "call" and (found.room, found.target) in UPWARDS)
        and (found.room == "__init__" or LAYERS.index(found.target) >= LAYERS.index(found.room))
    ]
    assert wrong == []


def test_exceptions_are_still_needed() -> None:
    used = {(found.room, found.target) for found in imports() if found.when == "call"}
    lazy_in_package = {("__init__", "session")}  # through importlib
    assert set(UPWARDS) - used - lazy_in_package == set()


@pytest.mark.parametrize(("library", "rooms"), [("pyspark", KNOWS_SPARK), ("py4j", KNOWS_PY4J)])
def test_who_knows_spark(library: str, rooms: set[str]) -> None:
    wrong = [
        str(found)
        for found in imports()
        if found.module.split(".")[0] == library and found.room not in rooms and found.when != "typing"
    ]
    assert wrong == []


def test_every_name_has_a_theme() -> None:
    assert [str(path) for path in PACKAGE.rglob("*.py") if path.stem in NAMES_WITHOUT_THEME] == []
