"""Apache Paimon tables as first-class tables of Spark SQL, from Python.

Examples
--------
>>> from pyspark.sql import SparkSession
>>> from spark_paimon import configure_spark_with_paimon
>>> builder = configure_spark_with_paimon(SparkSession.builder, warehouse="/data/warehouse")
>>> spark = builder.getOrCreate()  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spark_paimon.session import attach, configure_spark_with_paimon, doctor

__version__ = "0.1.0"

__all__ = ["__version__", "attach", "configure_spark_with_paimon", "doctor"]


def __getattr__(name: str) -> Any:
    # Lazily, so that workers and programs that need one room do not pay for the others.
    if name in __all__:
        return getattr(import_module("spark_paimon.session"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
