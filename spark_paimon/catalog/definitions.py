"""What a CREATE, REPLACE or ALTER may ask for, checked before anything is written."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.catalog.models import Identifier
from spark_paimon.format import file_format, resolve_compression
from spark_paimon.options import MEANT_KEYS, TableOptions, validate_table_options
from spark_paimon.partition.escaping import DELTA_LOG
from spark_paimon.partition.layout import PartitionLayout, layout_for
from spark_paimon.schema import (
    Field,
    Schema,
    TableSchema,
    from_arrow,
    validate_create,
)
from spark_paimon.storage import Storage, is_hidden, join, qualify

if TYPE_CHECKING:
    import pyarrow

FORMAT_TABLE = "format-table"
PATH = "path"
DEFAULT_NAME = "partition.default-name"
FILE_FORMAT = "file.format"
COMPRESSION = "file.compression"
MANAGED = "metastore.partitioned-table"
IMPLEMENTATION = "format-table.implementation"
METADATA_DIRECTORIES = ("schema", "branch")
"""Names below a table directory that hold definitions where a catalog keeps them there."""

DROPPED_COLUMNS = "spark_paimon.dropped-columns"
"""Option that keeps the names of columns whose values are still in files; shown to nobody."""

_TABLE_DEFAULT = "table-default."
_LONGEST_NAME = 250  # bytes of a directory, with what is appended to it


def now_millis() -> int:
    """Epoch milliseconds."""
    return time.time_ns() // 1_000_000


def name_problem(kind: str, name: str) -> str | None:
    """Say why no ``database`` or ``table`` can have a name; None when one can.

    Examples
    --------
    >>> name_problem("table", "t"), name_problem("table", "a/b")
    (None, 'it holds a slash')
    """
    if not name.strip():
        return "it is empty"
    if name in (".", ".."):
        return "it is a path"
    if "/" in name or "\\" in name:
        return "it holds a slash"
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        return "it holds a control character"
    if any(0xD800 <= ord(character) <= 0xDFFF for character in name):
        return "it is no valid Unicode text"
    if len(name.encode()) > _LONGEST_NAME:
        return f"it is longer than {_LONGEST_NAME} bytes"
    if kind == "table" and "$" in name:
        return "'$' separates a table from its metadata tables"
    return None


def check_name(kind: str, name: str) -> None:
    """Refuse a name that could not be a directory, or that means something else.

    Raises
    ------
    InvalidInputError
        ``NAME_INVALID``.
    """
    reason = name_problem(kind, name)
    if reason:
        raise errors.InvalidInputError("NAME_INVALID", kind=kind, name=name, reason=reason)


def check_type(identifier: Identifier, options: Mapping[str, str]) -> None:
    """Refuse tables that are no format tables.

    Raises
    ------
    UnsupportedError
        ``TABLE_TYPE_UNSUPPORTED``.
    """
    kind = str(TableOptions(options).get("type"))
    if kind.lower() != FORMAT_TABLE:
        raise errors.UnsupportedError("TABLE_TYPE_UNSUPPORTED", table=identifier, type=kind)


@dataclass(frozen=True)
class Definition:
    """A checked definition of a new table.

    Parameters
    ----------
    schema
        With the defaults of the catalog and everything that is stored explicitly; without ``path``.
    path
        Location that the user chose, None for an internal table.
    """

    schema: Schema
    path: str | None

    @property
    def external(self) -> bool:
        """Whether the user chose the location."""
        return self.path is not None


def define(
    identifier: Identifier,
    schema: Schema | pyarrow.Schema,
    catalog_options: Mapping[str, str],
    managed_supported: bool,
    partition_keys: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    comment: str | None = None,
) -> Definition:
    """Make a checked definition of what was asked for.

    Parameters
    ----------
    catalog_options
        Their ``table-default.*`` come first; validation sees the merged options.
    managed_supported
        Whether the catalog can own partitions; otherwise that option has no effect.

    Raises
    ------
    InvalidInputError, UnsupportedError
        The definition contradicts itself, or asks for what format tables do not do.
    """
    check_name("table", identifier.name)
    asked = schema if isinstance(schema, Schema) else Schema(_arrow_fields(schema))
    merged = validate_table_options({**asked.options, **(options or {})})
    defaults = {
        key[len(_TABLE_DEFAULT) :]: value
        for key, value in catalog_options.items()
        if key.lower().startswith(_TABLE_DEFAULT)
    }
    stated = {name for key in merged for name in option_keys(key)}
    for key, value in validate_table_options(defaults).items():
        # A default gives way to the same option under any of its spellings.
        if not stated.intersection(option_keys(key)):
            merged[key] = value
    check_not_internal(identifier, merged)
    path = merged.pop(PATH, None)
    asked = replace(
        asked,
        partition_keys=tuple(partition_keys) or asked.partition_keys,
        options=merged,
        comment=asked.comment if comment is None else comment,
    )
    check_type(identifier, asked.options)
    asked = validate_create(asked, identifier)
    data_columns = [field for field in asked.fields if field.name not in asked.partition_keys]
    check_storable(identifier, data_columns, asked.options)
    location = None if path is None else qualify(path)
    check_managed(identifier, asked.options, location is not None, managed_supported)
    return Definition(asked, location)


def option_keys(spelling: str) -> tuple[str, ...]:
    """Keys of the options that a spelling means; the spelling itself for user properties.

    Examples
    --------
    >>> option_keys("Compression"), option_keys("lineSep"), option_keys("owner")
    (('file.compression',), ('csv.line-delimiter', 'text.line-delimiter'), ('owner',))
    """
    return MEANT_KEYS.get(spelling.lower(), (spelling,))


def _arrow_fields(schema: pyarrow.Schema) -> tuple[Field, ...]:
    return tuple(from_arrow(schema))


def check_managed(
    identifier: Identifier, options: Mapping[str, str], external: bool, managed_supported: bool
) -> None:
    """Refuse partitions owned by the catalog where they cannot be.

    Raises
    ------
    InvalidInputError
        ``MANAGED_PARTITIONS_EXTERNAL`` or ``MANAGED_PARTITIONS_ENGINE``.
    """
    typed = TableOptions(options)
    if not managed_supported or not typed.get(MANAGED):
        return
    if external:
        raise errors.InvalidInputError("MANAGED_PARTITIONS_EXTERNAL", table=identifier, option=MANAGED)
    if str(typed.get(IMPLEMENTATION)).lower() == "engine":
        raise errors.InvalidInputError("MANAGED_PARTITIONS_ENGINE", table=identifier, option=MANAGED)


def check_storable(
    identifier: Identifier,
    columns: Sequence[Field],
    options: Mapping[str, str],
    format_name: str | None = None,
) -> None:
    """Refuse columns that files of a format cannot store, and options of it that contradict each other.

    Parameters
    ----------
    columns
        Those that files hold, without partition columns.
    format_name
        Format of a partition; None for the format of the table, whose codec is then looked at too.

    Raises
    ------
    UnsupportedError
        ``FORMAT_TYPE_UNSUPPORTED``, ``FORMAT_COLUMNS_UNSUPPORTED``.
    InvalidInputError
        Options.

    Examples
    --------
    >>> check_storable(Identifier("db", "t"), (), {"compression": "lzo"})
    Traceback (most recent call last):
    ...
    spark_paimon.errors.InvalidInputError: [OPTION_MALFORMED] Option 'file.compression' has the value \
'lzo', which is not a codec of PARQUET (none, uncompressed, snappy, gzip, brotli, lz4, lz4_raw, zstd). \
SQLSTATE: 22023
    """
    typed = TableOptions(options)
    name = str(typed.get(FILE_FORMAT)) if format_name is None else format_name
    file_format(name).check(columns, typed, identifier)
    if format_name is not None:
        return
    # Each spelling on its own: one that another outranks must not come to light when that is removed.
    for key, text in options.items():
        if COMPRESSION in option_keys(key):
            resolve_compression(TableOptions({COMPRESSION: text}), name)


def check_not_internal(identifier: Identifier, keys: Iterable[str]) -> None:
    """Refuse options that a catalog keeps for itself.

    Raises
    ------
    UnsupportedError
        ``OPTION_IMMUTABLE``.
    """
    for key in keys:
        if key.lower() == DROPPED_COLUMNS:
            raise errors.UnsupportedError(
                "OPTION_IMMUTABLE", key=key, table=identifier, reason="the catalog keeps it for itself"
            )


def layout_of(schema: TableSchema) -> PartitionLayout:
    """How the table's partition values, names and directories are turned into each other."""
    return layout_for(schema.partition_fields, TableOptions(schema.options).get)


def check_new_location(
    identifier: Identifier,
    storage: Storage,
    location: str,
    definition: Definition,
    metadata_directories: Sequence[str] = (),
) -> None:
    """Refuse a directory that belongs to somebody else.

    Raises
    ------
    UnsupportedError
        ``DELTA_TABLE_DIRECTORY``.
    InvalidInputError
        ``DIRECTORY_NOT_EMPTY``: an internal table would show the rows of files that are there already.
    """
    if storage.is_directory(join(location, DELTA_LOG)):
        raise errors.UnsupportedError("DELTA_TABLE_DIRECTORY", table=identifier, location=location)
    if definition.external:
        return
    default_name = str(TableOptions(definition.schema.options).get(DEFAULT_NAME))
    if has_data_files(storage, location, default_name, metadata_directories):
        raise errors.InvalidInputError("DIRECTORY_NOT_EMPTY", table=identifier, location=location)


def has_data_files(
    storage: Storage,
    location: str,
    default_name: str,
    metadata_directories: Sequence[str] = (),
    except_below: Collection[str] = (),
) -> bool:
    """Whether any data file lies below a table directory; stops at the first one found.

    Parameters
    ----------
    default_name
        A directory of this name is a partition although it may look hidden.
    metadata_directories
        Names directly below the directory that are not data.
    except_below
        Directories that are not looked into.
    """
    excepted = frozenset(except_below)
    pending = [(location, tuple(metadata_directories))]
    while pending:
        directory, skipped = pending.pop()
        try:
            entries = storage.list_directory(directory)
        except FileNotFoundError:
            continue
        for entry in entries:
            if not entry.is_directory:
                if not is_hidden(entry.name):
                    return True
            elif entry.path not in excepted and (
                entry.name == default_name or not (is_hidden(entry.name) or entry.name in skipped)
            ):
                pending.append((entry.path, ()))
    return False
