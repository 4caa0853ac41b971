"""The quickstart notebook runs from top to bottom and shows what its text says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "quickstart.ipynb"


@pytest.fixture(scope="module")
def executed() -> Any:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(NOTEBOOK.parent))
    return notebook


def shown(notebook: Any, source: str) -> str:
    """Everything that the code cell with `source` in it printed or returned as text."""
    (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and source in cell.source)
    texts = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs
    ]
    return "\n".join(texts)


def test_is_kept_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_counts_are_those_of_the_data(executed: Any) -> None:
    assert shown(executed, "load_flights()") == "336776"
    assert shown(executed, "INSERT INTO") == "365"
    assert shown(executed, "DROP PARTITION (month = 12") == "336000"
    assert shown(executed, "MSCK REPAIR TABLE") == "336776"
    assert "|month=12/day=31|         776|" in shown(executed, "ANALYZE TABLE")
    assert " 334| 309772|" in shown(executed, "DROP PARTITION (month = 1)")


def test_plan_shows_one_partition(executed: Any) -> None:
    assert "partitions total: 365, partitions scanned: 1" in shown(executed, "EXPLAIN")


def test_repair_says_what_it_would_do(executed: Any) -> None:
    assert "|month=12/day=31|   ADD|" in shown(executed, "dry_run")


def test_has_a_picture(executed: Any) -> None:
    pictures = [
        output
        for cell in executed.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 1
