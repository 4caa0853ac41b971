"""Delta tables in the session that called, by delta-spark's own statements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from spark_paimon import errors

_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"


class SessionDelta:
    """See :class:`.procedures.delta.DeltaEngine`.

    Parameters
    ----------
    jvm_session
        The session.
    """

    def __init__(self, jvm_session: Any) -> None:
        self._session = jvm_session

    def convert(self, location: str, partitioning: Sequence[tuple[str, Any]]) -> None:
        """See :meth:`.DeltaEngine.convert`."""
        if _EXTENSION not in self._session.conf().get("spark.sql.extensions", ""):
            raise errors.UnsupportedError(
                "DELTA_MISSING", reason=f"the session has no extension {_EXTENSION}"
            )
        clause = f" PARTITIONED BY ({self._definitions(partitioning)})" if partitioning else ""
        self._session.sql(f"CONVERT TO DELTA parquet.{_quoted(location)}{clause}")

    def columns(self, location: str) -> dict[str, Any]:
        """See :meth:`.DeltaEngine.columns`."""
        schema = json.loads(self._session.sql(f"SELECT * FROM delta.{_quoted(location)}").schema().json())
        return {field["name"]: field["type"] for field in schema["fields"]}

    def add_columns(self, location: str, columns: Sequence[tuple[str, Any]]) -> None:
        """See :meth:`.DeltaEngine.add_columns`."""
        self._session.sql(f"ALTER TABLE delta.{_quoted(location)} ADD COLUMNS ({self._definitions(columns)})")

    def count(self, location: str) -> int:
        """See :meth:`.DeltaEngine.count`."""
        return int(self._session.sql(f"SELECT * FROM delta.{_quoted(location)}").count())

    def _definitions(self, columns: Sequence[tuple[str, Any]]) -> str:
        from pyspark.sql.types import _parse_datatype_json_value

        return ", ".join(
            f"{_quoted(name)} {_parse_datatype_json_value(kind).simpleString()}" for name, kind in columns
        )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
