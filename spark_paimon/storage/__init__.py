"""Directories and files, wherever they lie.

Every location is a Hadoop Path string: scheme and *literal* path, never percent-encoded
(``file:/data/dt=a%3Ab`` is a directory whose name contains the three characters ``%3A``).
:func:`qualify` makes one of what a user types, :func:`join` extends one, and :func:`storage_for`
returns the :class:`Storage` that can open it.

Two rules hold for each implementation: a listing that broke is an error and never a shorter
listing, and nothing here ever overwrites an existing file.
"""

from spark_paimon.storage.base import Entry, Storage, is_hidden
from spark_paimon.storage.paths import (
    is_absolute,
    is_below,
    join,
    local_path,
    name_of,
    parent,
    qualify,
    scheme_of,
)
from spark_paimon.storage.registry import storage_for

__all__ = [
    "Entry",
    "Storage",
    "is_absolute",
    "is_below",
    "is_hidden",
    "join",
    "local_path",
    "name_of",
    "parent",
    "qualify",
    "scheme_of",
    "storage_for",
]
