"""Errors of the package: one root, one leaf for each kind of mistake, texts as data.

The condition name, its SQLSTATE and its message template live in ``error_conditions.json``. On the Java side
a leaf becomes the exception named by :attr:`PaimonError.java_class`, so that a PySpark user catches the class
of the same name in ``pyspark.errors``.

Examples
--------
>>> try:
...     raise InvalidInputError("OPTION_MALFORMED", key="write.batch-size", value="x", expected="a number")
... except ValueError as error:
...     print(error)
[OPTION_MALFORMED] Option 'write.batch-size' has the value 'x', which is not a number. SQLSTATE: 22023
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, ClassVar


@lru_cache(maxsize=1)
def error_conditions() -> Mapping[str, Mapping[str, str]]:
    """All error conditions: name to ``{"sqlState": ..., "message": ...}``."""
    text = resources.files("spark_paimon").joinpath("error_conditions.json").read_text(encoding="utf-8")
    loaded: dict[str, dict[str, str]] = json.loads(text)
    return loaded


class PaimonError(Exception):
    """Root of every error that this package raises on purpose.

    Parameters
    ----------
    condition
        Name of an entry of ``error_conditions.json``.
    parameters
        Values for the placeholders of the message template.

    Attributes
    ----------
    condition, parameters, sql_state
        What went wrong, for programs; ``str(error)`` is for people.
    """

    java_class: ClassVar[str] = "SparkRuntimeException"

    def __init__(self, condition: str, /, **parameters: Any) -> None:
        entry = error_conditions()[condition]
        self.condition = condition
        self.parameters = {name: str(value) for name, value in parameters.items()}
        self.sql_state = entry["sqlState"]
        self.text = entry["message"].format_map(self.parameters)
        super().__init__(f"[{condition}] {self.text} SQLSTATE: {self.sql_state}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.condition, self.parameters)


def _rebuild(kind: type[PaimonError], condition: str, parameters: Mapping[str, str]) -> PaimonError:
    return kind(condition, **parameters)


class InvalidInputError(PaimonError, ValueError):
    """A value, option, name or combination that can never be right."""

    java_class = "IllegalArgumentException"


class UnsupportedError(PaimonError, NotImplementedError):
    """Something that this table, catalog or version does not do."""

    java_class = "UnsupportedOperationException"


class NoSuchDatabaseError(PaimonError, LookupError):
    """The database does not exist."""

    java_class = "NoSuchNamespaceException"


class NoSuchTableError(PaimonError, LookupError):
    """The table does not exist."""

    java_class = "NoSuchTableException"


class NoSuchPartitionError(PaimonError, LookupError):
    """One or several partitions are not there."""

    java_class = "NoSuchPartitionsException"


class NoSuchColumnError(PaimonError, LookupError):
    """The table has no such column."""

    java_class = "AnalysisException"


class NoSuchProcedureError(PaimonError, LookupError):
    """There is no procedure or function of that name."""

    java_class = "AnalysisException"


class DatabaseExistsError(PaimonError, ValueError):
    """The database exists already."""

    java_class = "NamespaceAlreadyExistsException"


class TableExistsError(PaimonError, ValueError):
    """The table exists already."""

    java_class = "TableAlreadyExistsException"


class PartitionsExistError(PaimonError, ValueError):
    """At least one of the partitions exists already."""

    java_class = "PartitionsAlreadyExistException"


class NotEmptyError(PaimonError, ValueError):
    """A database that still holds tables was to be dropped without CASCADE."""

    java_class = "NonEmptyNamespaceException"


class IllegalStateError(PaimonError, RuntimeError):
    """What the catalog or the storage says contradicts itself."""


class StorageError(PaimonError, OSError):
    """The file system refused or failed; the operation is not complete."""

    # OSError formats itself from errno arguments; the rendered text is wanted instead.
    __str__ = Exception.__str__


class CommitError(PaimonError, RuntimeError):
    """A write could not be made visible completely; the text says in which state the table is."""


class CatalogError(PaimonError, ConnectionError):
    """The catalog could not be reached or did not answer as agreed."""

    __str__ = Exception.__str__


class AccessDeniedError(PaimonError, PermissionError):
    """The catalog does not know this user, or does not let them do this; nothing was done."""

    __str__ = Exception.__str__
