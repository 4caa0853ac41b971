"""The table object: a description with every question answered in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.format import parse_format, resolve_compression
from spark_paimon.options import TableOptions, dynamic_options, parse_boolean
from spark_paimon.partition.escaping import DELTA_LOG
from spark_paimon.partition.layout import PartitionLayout, layout_for
from spark_paimon.schema import TableSchema, to_arrow
from spark_paimon.storage import Storage, is_below, join, qualify, storage_for

if TYPE_CHECKING:
    import pyarrow

    from spark_paimon.catalog.interface import Catalog
    from spark_paimon.catalog.models import Identifier, Partition, TableInfo

MANAGED = "metastore.partitioned-table"
IMPLEMENTATION = "format-table.implementation"
VALUE_ONLY = "format-table.partition-path-only-value"
PARTITION_PATH = "path"
PARTITION_FORMAT = "file.format"

_METADATA_DIRECTORIES = ("schema", "branch")


class FormatTable:
    """A directory of files of one format, with or without partitions.

    Parameters
    ----------
    info
        What the catalog says about the table.
    catalog
        Where it came from; None for a table outside of any catalog, whose partitions are then discovered.
    dynamic_options
        Options of this use of the table (session, reader), on top of the stored ones.

    Raises
    ------
    InvalidInputError
        Options that cannot be combined, or a dynamic option that may not change what the table is.

    Notes
    -----
    The object never changes; :meth:`copy` makes another one. It holds nothing that was read from storage.
    """

    def __init__(
        self, info: TableInfo, catalog: Catalog | None, dynamic_options: Mapping[str, str] | None = None
    ) -> None:
        self.info = info
        self.catalog = catalog
        self.dynamic_options: Mapping[str, str] = MappingProxyType(dict(dynamic_options or {}))
        self.table_options = TableOptions(info.schema.options).updated(self.dynamic_options)
        self.options: Mapping[str, str] = MappingProxyType(dict(self.table_options.mapping))
        if self.dynamic_options:
            self._check_dynamic()
        self._check_managed()

    def __repr__(self) -> str:
        return f"FormatTable({self.full_name}, {self.location})"

    @property
    def identifier(self) -> Identifier:
        """Database and name."""
        return self.info.identifier

    @property
    def name(self) -> str:
        """Name without the database."""
        return self.info.identifier.name

    @property
    def full_name(self) -> str:
        """``database.name``, as in every error message."""
        return str(self.info.identifier)

    @property
    def schema(self) -> TableSchema:
        """Columns, partition keys, stored options and comment."""
        return self.info.schema

    @cached_property
    def arrow_schema(self) -> pyarrow.Schema:
        """The columns as Arrow types, partition columns included."""
        return to_arrow(self.schema.fields)

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """Partition columns in key order; empty for an unpartitioned table."""
        return tuple(self.schema.partition_keys)

    @property
    def partitioned(self) -> bool:
        """Whether there are partition columns."""
        return bool(self.partition_keys)

    @cached_property
    def location(self) -> str:
        """Directory of the table as a Hadoop Path string."""
        return qualify(self.info.location)

    @cached_property
    def storage(self) -> Storage:
        """Opens the directory of the table."""
        return storage_for(self.location)

    def storage_of(self, location: str) -> Storage:
        """Opens a directory of the table, or the location of a partition outside of it."""
        if location == self.location or is_below(location, self.location):
            return self.storage
        return storage_for(location) if self.catalog is None else self.catalog.storage(location)

    @property
    def file_system(self) -> Storage:
        """Another name of :attr:`storage`."""
        return self.storage

    @cached_property
    def format(self) -> str:
        """File format that writers use, in lower case."""
        return parse_format(self.table_options.get("file.format"))

    @cached_property
    def file_compression(self) -> str:
        """Codec that writers use, in lower case."""
        return resolve_compression(self.table_options, self.format)

    @cached_property
    def partition_default_name(self) -> str:
        """Text of a NULL partition value."""
        return str(self.table_options.get("partition.default-name"))

    @cached_property
    def partition_only_value_in_path(self) -> bool:
        """Whether a partition directory is ``value`` and not ``key=value``."""
        return bool(self.table_options.get(VALUE_ONLY))

    @cached_property
    def layout(self) -> PartitionLayout:
        """How partition values and directories are turned into each other."""
        return layout_for(self.schema.partition_fields, self.table_options.get)

    @cached_property
    def managed(self) -> bool:
        """Whether the catalog, and nothing else, says which partitions there are."""
        return self.partitioned and self._asks_for_managed

    @property
    def _asks_for_managed(self) -> bool:
        # In a catalog that keeps no partitions the option has no effect and is no error.
        capable = self.catalog is not None and self.catalog.supports_managed_partitions
        return capable and bool(self.table_options.get(MANAGED))

    @property
    def list_parallelism(self) -> int:
        """Directory listings at once."""
        return int(self.table_options.get("format-table.scan.list-parallelism"))

    @property
    def location_carries_paimon_metadata(self) -> bool:
        """Whether the table directory also holds schema files, which are never data."""
        return self.catalog is not None and self.catalog.metadata_in_table_directory

    @property
    def metadata_directories(self) -> tuple[str, ...]:
        """Names directly below the table directory that are metadata and never data or partitions."""
        return _METADATA_DIRECTORIES if self.location_carries_paimon_metadata else ()

    def partition_location(self, spec: Mapping[str, str]) -> str:
        """Default directory of a partition.

        Raises
        ------
        InvalidInputError
            The spec has no directory: a value is missing, or is ``..`` in the value-only layout.
        """
        # A path of the layout has no component that leads upwards, so this lies below the table.
        return join(self.location, self.layout.path(spec))

    def effective_format(self, partition_options: Mapping[str, str]) -> str:
        """Format of the files of a partition: its own, or that of the table.

        Raises
        ------
        UnsupportedError
            The partition names a format that does not exist, or an empty one.
        """
        if PARTITION_FORMAT in partition_options:
            return parse_format(partition_options[PARTITION_FORMAT])
        return self.format

    def custom_location(self, partition: Partition) -> str | None:
        """Where the files of a registered partition lie when that is not its default directory."""
        path = partition.options.get(PARTITION_PATH)
        if not path or qualify(path) == self.partition_location(partition.spec):
            return None
        return path

    def copy(self, options: Mapping[str, str]) -> FormatTable:
        """Return the same table with further dynamic options; this object stays as it is.

        Raises
        ------
        InvalidInputError
            An option would change who owns the partitions, or the layout or implementation of a table whose
            partitions the catalog manages, or does not parse.
        """
        return FormatTable(self.info, self.catalog, {**self.dynamic_options, **options})

    def check_not_delta(self) -> None:
        """Refuse a table directory that has become a Delta table: its files are not all data any more.

        Raises
        ------
        UnsupportedError
            ``DELTA_TABLE_DIRECTORY``.
        """
        if self.storage.is_directory(join(self.location, DELTA_LOG)):
            raise errors.UnsupportedError(
                "DELTA_TABLE_DIRECTORY", table=self.full_name, location=self.location
            )

    def require_managed(self, operation: str) -> Catalog:
        """Return the catalog that manages the partitions.

        Raises
        ------
        InvalidInputError
            ``TABLE_NOT_PARTITIONED``.
        UnsupportedError
            ``PARTITIONS_NOT_MANAGED``: they come from directories.
        """
        if not self.partitioned:
            raise errors.InvalidInputError("TABLE_NOT_PARTITIONED", operation=operation, table=self.full_name)
        if self.catalog is None or not self.managed:
            raise errors.UnsupportedError("PARTITIONS_NOT_MANAGED", operation=operation, table=self.full_name)
        return self.catalog

    def list_partitions(self) -> list[Partition]:
        """All partitions, sorted by name: the registered ones, or the directories with unknown statistics."""
        from spark_paimon.table.selection import all_partitions

        return all_partitions(self)

    def truncate(self, partitions: Sequence[Mapping[str, Any]] | None = None) -> list[str]:
        """Delete the data files of the table, or of some partitions; see :func:`.partitions.truncate`."""
        from spark_paimon.table.partitions import truncate

        return truncate(self, partitions)

    def _check_dynamic(self) -> None:
        stored = TableOptions(dict(self.schema.options))
        for key in (MANAGED, VALUE_ONLY):
            if key in self.dynamic_options:
                parse_boolean(self.dynamic_options[key], key)
        if bool(stored.get(MANAGED)) != bool(self.table_options.get(MANAGED)):
            raise errors.InvalidInputError("MANAGED_PARTITIONS_FIXED", table=self.full_name, option=MANAGED)
        if not self._asks_for_managed:
            return
        for key in (VALUE_ONLY, IMPLEMENTATION):
            if stored.get(key) != self.table_options.get(key):
                raise errors.InvalidInputError("MANAGED_OPTION_FIXED", table=self.full_name, option=key)

    def _check_managed(self) -> None:
        if not self._asks_for_managed:
            return
        if self.info.external:
            raise errors.InvalidInputError(
                "MANAGED_PARTITIONS_EXTERNAL", table=self.full_name, option=MANAGED
            )
        if str(self.table_options.get(IMPLEMENTATION)).lower() == "engine":
            raise errors.InvalidInputError("MANAGED_PARTITIONS_ENGINE", table=self.full_name, option=MANAGED)


def open_table(
    catalog: Catalog,
    identifier: Identifier,
    catalog_name: str | None,
    settings: Mapping[str, str],
    given: Mapping[str, str] | None = None,
) -> FormatTable:
    """Open a table as a session uses it.

    Parameters
    ----------
    catalog_name
        What SQL calls the catalog.
    settings, given
        Settings of the session, and options of a reader or writer; see :func:`.dynamic_options`.

    Raises
    ------
    NoSuchTableError
        There is no such table.
    InvalidInputError, UnsupportedError
        A setting is malformed, or cannot be used with this table.
    """
    return as_used(catalog.get_table(identifier), catalog_name, settings, given)


def as_used(
    table: FormatTable,
    catalog_name: str | None,
    settings: Mapping[str, str],
    given: Mapping[str, str] | None = None,
) -> FormatTable:
    """The table with the options of one use of it; see :func:`open_table`."""
    name = (catalog_name, table.identifier.database, table.identifier.name)
    # A writer that appends to an external table may name its directory once more.
    named = {
        key: text
        for key, text in (given or {}).items()
        if key.lower() != "path" or qualify(text) != table.location
    }
    options = dynamic_options(settings, name, named, table.schema.options)
    return table.copy(options) if options else table
