"""What a catalog holds, as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from spark_paimon import errors
from spark_paimon.schema import TableSchema
from spark_paimon.statistics import PartitionStatistics

Spec = dict[str, str]
"""Partition columns in key order to their raw text, as in the directory name before escaping."""

_PLAIN = re.compile(r"[^`.]+")
_PARTS = re.compile(r"(?:`((?:[^`]|``)+)`|([^`.]+))(\.|$)")


def name_parts(text: str) -> list[str]:
    """Parts of a name that are separated by dots; one that holds a dot or a backtick is written in backticks.

    Raises
    ------
    InvalidInputError
        ``IDENTIFIER_MALFORMED``.

    Examples
    --------
    >>> name_parts("c.db.`a.b`")
    ['c', 'db', 'a.b']
    """
    parts: list[str] = []
    position = 0
    while position < len(text):
        match = _PARTS.match(text, position)
        if match is None or (match.group(3) == "." and match.end() == len(text)):
            break
        quoted = match.group(1)
        parts.append(match.group(2) if quoted is None else quoted.replace("``", "`"))
        position = match.end()
    if position != len(text) or not parts:
        raise errors.InvalidInputError("IDENTIFIER_MALFORMED", identifier=text)
    return parts


@dataclass(frozen=True, order=True, slots=True)
class Identifier:
    """Name of a table.

    Examples
    --------
    >>> Identifier.parse("db.t")
    Identifier(database='db', name='t')
    >>> str(Identifier.parse("db.`a.b`"))
    'db.`a.b`'
    """

    database: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Identifier:
        """Read ``database.name``; a part that holds a dot or a backtick is written in backticks.

        Raises
        ------
        InvalidInputError
            ``IDENTIFIER_MALFORMED``.
        """
        parts = name_parts(text)
        if len(parts) != 2:
            raise errors.InvalidInputError("IDENTIFIER_MALFORMED", identifier=text)
        return cls(*parts)

    @classmethod
    def of(cls, table: str | Identifier) -> Identifier:
        """Return ``table`` itself or what its text says.

        Raises
        ------
        InvalidInputError
            ``IDENTIFIER_MALFORMED``.

        Examples
        --------
        >>> Identifier.of("db.t") == Identifier.of(Identifier("db", "t"))
        True
        """
        return table if isinstance(table, Identifier) else cls.parse(table)

    def __str__(self) -> str:
        return f"{_quoted(self.database)}.{_quoted(self.name)}"


def _quoted(part: str) -> str:
    return part if _PLAIN.fullmatch(part) else "`" + part.replace("`", "``") + "`"


@dataclass(frozen=True)
class Database:
    """A database.

    Parameters
    ----------
    name, location
        Name, and directory as a Hadoop Path string.
    options
        User properties.
    comment, owner
        None when nobody said.
    uuid
        Identity; another one after the database was dropped and created again. Empty where there is none.
    created_at, updated_at
        Epoch milliseconds; None where the catalog does not know.
    """

    name: str
    location: str
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    owner: str | None = None
    uuid: str = ""
    created_at: int | None = None
    updated_at: int | None = None


@dataclass(frozen=True)
class TableInfo:
    """What a catalog says about a table.

    Parameters
    ----------
    identifier
        Database and name as they were created.
    uuid
        Identity; another one after the table was dropped, or replaced, and created again.
    location
        Directory as a Hadoop Path string.
    external
        Whether the user chose the location; dropping the table then leaves the files.
    schema
        Columns, partition keys, options and comment. The options hold no ``path``.
    created_at, updated_at
        Epoch milliseconds; None where the catalog does not know.
    owner
        None when nobody said.
    """

    identifier: Identifier
    uuid: str
    location: str
    external: bool
    schema: TableSchema
    created_at: int | None = None
    updated_at: int | None = None
    owner: str | None = None


@dataclass(frozen=True)
class Partition:
    """A registered partition.

    Parameters
    ----------
    spec
        Partition columns in key order to raw text.
    statistics
        What is known about its files.
    options
        ``path`` and ``file.format`` where they differ from the table's, and whatever else was stored.
    done
        Whether somebody marked it as complete.
    created_at, updated_at
        Epoch milliseconds; None where the catalog does not know.
    """

    spec: Mapping[str, str]
    statistics: PartitionStatistics = field(default_factory=PartitionStatistics)
    options: Mapping[str, str] = field(default_factory=dict)
    done: bool = False
    created_at: int | None = None
    updated_at: int | None = None


@dataclass(frozen=True)
class PartitionPage:
    """Some of the partitions of a table.

    Parameters
    ----------
    partitions
        May be fewer than were asked for, or none, while others follow.
    next
        Token of the next page; None exactly when nothing is left to look at.
    """

    partitions: list[Partition]
    next: str | None = None


@dataclass(frozen=True)
class CreateResult:
    """Outcome of a registration.

    Parameters
    ----------
    created, existed
        Specs in the order of the request, each once.
    """

    created: tuple[Spec, ...] = ()
    existed: tuple[Spec, ...] = ()


@dataclass(frozen=True)
class DropResult:
    """Outcome of an unregistration.

    Parameters
    ----------
    dropped, missing
        Specs in the order of the request, each once.
    """

    dropped: tuple[Spec, ...] = ()
    missing: tuple[Spec, ...] = ()
