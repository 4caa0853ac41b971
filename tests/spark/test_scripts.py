"""Runs the scripts of the folder ``sql`` on the catalogs they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark import scripts
from tests.spark.workplace import EVERY, MANAGED, Workplace

KINDS = {"every": EVERY, "managed": MANAGED}
CASES = [
    pytest.param(path, catalog, id=f"{path.stem}-{catalog}")
    for path in sorted((Path(__file__).parent / "sql").glob("*.sql"))
    for catalog in KINDS[scripts.parse(path.read_text())[0]]
]


@pytest.mark.parametrize(("script", "catalog"), CASES)
def test_script(script: Path, place: Workplace) -> None:
    scripts.run(script, place)
