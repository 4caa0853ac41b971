"""Importing the package is cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pyspark", "py4j", "pyarrow", "pandas", "sqlalchemy", "requests", "fsspec", "numpy")


@pytest.mark.parametrize("module", ["spark_paimon", "spark_paimon.session", "spark_paimon.cli"])
def test_import_loads_nothing_heavy(module: str) -> None:
    program = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_public_names_are_found_lazily() -> None:
    import spark_paimon

    assert set(spark_paimon.__all__) <= set(dir(spark_paimon))
    for name in spark_paimon.__all__:
        assert getattr(spark_paimon, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        spark_paimon.nonsense  # noqa: B018
