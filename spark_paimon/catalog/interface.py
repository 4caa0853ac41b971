"""What every catalog can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.catalog.models import CreateResult, Database, DropResult, Identifier, Partition, TableInfo
from spark_paimon.options import catalog_option
from spark_paimon.storage import Storage, join, qualify, storage_for

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Self

    from spark_paimon.partition.predicate import Predicate
    from spark_paimon.schema import Change, Schema
    from spark_paimon.statistics import PartitionStatistics
    from spark_paimon.table import FormatTable

DEFAULT_DATABASE = "default"
"""The database that is always there."""


class Catalog(ABC):
    """Databases, tables and, where the catalog manages them, partitions.

    A table is named by ``"db.t"`` or an :class:`Identifier`. A catalog may be used from many threads; it is
    closed by :meth:`close` or as a context manager.

    Parameters
    ----------
    options
        Catalog options, validated by :func:`~spark_paimon.catalog.load_catalog`.

    Raises
    ------
    InvalidInputError
        ``WAREHOUSE_MISSING``.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self._warehouse = self._warehouse_of(self.options.get("warehouse", ""))
        self._case_sensitive = bool(catalog_option(self.options, "case-sensitive"))

    def _warehouse_of(self, text: str) -> str:
        if not text.strip():
            raise errors.InvalidInputError(
                "WAREHOUSE_MISSING", metastore=self.options.get("metastore", "filesystem")
            )
        return qualify(text)

    def __repr__(self) -> str:
        # Options may hold secrets; the warehouse does not.
        return f"{type(self).__name__}({self._warehouse!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def warehouse(self) -> str:
        """Directory of the warehouse as a Hadoop Path string."""
        return self._warehouse

    def storage(self, location: str) -> Storage:
        """Return the storage that holds a location, with the credentials in the catalog options ``fs.*``."""
        return storage_for(location, self.storage_options)

    @property
    def storage_options(self) -> dict[str, str]:
        """The catalog options ``fs.*`` without the prefix."""
        prefix = "fs."
        return {key[len(prefix) :]: text for key, text in self.options.items() if key.startswith(prefix)}

    def _default_database_location(self, name: str) -> str:
        return join(self.warehouse, f"{name}.db")

    @property
    def case_sensitive(self) -> bool:
        """Whether ``T`` and ``t`` are two tables."""
        return self._case_sensitive

    @property
    @abstractmethod
    def supports_managed_partitions(self) -> bool:
        """Whether the catalog can own the partitions of a table."""

    @property
    def counts_partitions(self) -> bool:
        """Whether counting partitions costs less than listing them."""
        return True

    @property
    def always_replaces(self) -> bool:
        """Whether :meth:`replace_table` is there; a server that is not ours may lack it."""
        return True

    @property
    def metadata_in_table_directory(self) -> bool:
        """Whether the table directory holds ``schema`` and ``branch`` beside the data."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Release connections; the catalog cannot be used afterwards. Closing twice is fine."""

    # Databases

    @abstractmethod
    def list_databases(self) -> list[str]:
        """Names of the databases, sorted; ``default`` is always one of them."""

    @abstractmethod
    def create_database(
        self,
        name: str,
        ignore_if_exists: bool = False,
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
        location: str | None = None,
        owner: str | None = None,
    ) -> None:
        """Create a database and its directory.

        Parameters
        ----------
        owner
            Who made it, for people; dropped by a catalog that keeps nothing about databases.
        location
            Directory; ``<warehouse>/<name>.db`` when None. Tables without their own location lie below it.

        Raises
        ------
        DatabaseExistsError
            ``DATABASE_EXISTS``.
        InvalidInputError
            ``NAME_INVALID``.
        UnsupportedError
            A location or options in a catalog that cannot keep them.
        """

    @abstractmethod
    def get_database(self, name: str) -> Database:
        """Return one database.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        """

    @abstractmethod
    def alter_database(
        self, name: str, updates: Mapping[str, str] | None = None, removals: Iterable[str] = ()
    ) -> None:
        """Change options; the keys ``comment`` and ``owner`` address those fields.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        UnsupportedError
            ``location`` cannot be changed; a catalog may be unable to keep options at all.
        """

    @abstractmethod
    def drop_database(self, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also its tables.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        NotEmptyError
            ``DATABASE_NOT_EMPTY``: it holds tables and ``cascade`` is false.
        InvalidInputError
            ``DATABASE_DEFAULT_KEPT``: the default database stays.
        """

    # Tables

    @abstractmethod
    def list_tables(self, database: str) -> list[str]:
        """Names of the tables of a database, sorted.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        """

    @abstractmethod
    def create_table(
        self,
        table: str | Identifier,
        schema: Schema | pyarrow.Schema,
        partition_keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
        ignore_if_exists: bool = False,
    ) -> TableInfo:
        """Create a table and its directory.

        Parameters
        ----------
        schema
            Columns as Arrow types, or a complete definition; the other arguments are then added to it.
        options
            ``path`` makes the table external. The catalog options ``table-default.*`` come first.

        Returns
        -------
        TableInfo
            The new table, or the one that was there already.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        TableExistsError
            ``TABLE_EXISTS``.
        InvalidInputError
            The definition contradicts itself, or ``DIRECTORY_NOT_EMPTY``: the default directory holds data
            files of somebody else.
        UnsupportedError
            The definition asks for something that format tables or this catalog do not do.
        """

    @abstractmethod
    def plan_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """Return what :meth:`create_table`, or :meth:`replace_table` if the table exists, would store.

        Nothing is stored and no directory is made. It tells where the files of a query go whose result
        becomes the table.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        InvalidInputError, UnsupportedError
            As for :meth:`create_table`.
        """

    @abstractmethod
    def load_table_info(self, table: str | Identifier) -> TableInfo:
        """Return what the catalog says about a table.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        """

    def get_table(self, table: str | Identifier) -> FormatTable:
        """Return a table ready to be planned, read and written.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        InvalidInputError
            The stored options cannot be combined.
        UnsupportedError
            ``TABLE_TYPE_UNSUPPORTED``: not a format table.
        """
        # The table module imports this package for its models.
        from spark_paimon.catalog.definitions import check_type
        from spark_paimon.table import FormatTable

        info = self.load_table_info(table)
        check_type(info.identifier, info.schema.options)
        return FormatTable(info, self)

    def table_exists(self, table: str | Identifier) -> bool:
        """Whether there is such a table."""
        try:
            self.load_table_info(table)
        except (errors.NoSuchTableError, errors.NoSuchDatabaseError):
            return False
        return True

    @abstractmethod
    def alter_table(
        self, table: str | Identifier, changes: Sequence[Change], ignore_if_not_exists: bool = False
    ) -> None:
        """Apply changes to the definition, all or none. Data files are never touched.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        InvalidInputError, UnsupportedError, NoSuchColumnError
            A change that cannot be made.
        """

    @abstractmethod
    def rename_table(
        self, source: str | Identifier, destination: str | Identifier, ignore_if_not_exists: bool = False
    ) -> None:
        """Give a table another name, possibly in another database. Its partitions follow.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND`` for the destination.
        TableExistsError
            ``TABLE_EXISTS``.
        """

    @abstractmethod
    def drop_table(self, table: str | Identifier, ignore_if_not_exists: bool = False) -> None:
        """Drop a table; the files of an internal one are deleted after the metadata.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        StorageError
            ``DIRECTORY_NOT_DELETED``: the table is dropped, files are left.
        """

    @abstractmethod
    def replace_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """Give an existing table a new definition; its partitions are forgotten.

        An internal table keeps its location. The data files are the caller's business.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        InvalidInputError, UnsupportedError
            As for :meth:`create_table`.
        """

    # Partitions

    @abstractmethod
    def list_partitions(
        self,
        table: str | Identifier,
        prefix: Mapping[str, str] | None = None,
        predicate: Predicate | None = None,
    ) -> list[Partition]:
        """Registered partitions, sorted by name.

        Parameters
        ----------
        prefix
            Leading partition columns to text, matched by value: ``1`` finds ``01`` of an INT column.
        predicate
            Narrows the answer to partitions that may match.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        InvalidInputError
            ``prefix`` is not a leading run of the partition columns.
        UnsupportedError
            ``PARTITIONS_NOT_MANAGED``.
        """

    @abstractmethod
    def list_partitions_by_names(
        self, table: str | Identifier, specs: Sequence[Mapping[str, str]]
    ) -> list[Partition]:
        """Return the registered ones among complete specs, by exact text and in the order of the request.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        InvalidInputError
            A spec is incomplete.
        UnsupportedError
            ``PARTITIONS_NOT_MANAGED``.
        """

    @abstractmethod
    def count_partitions(self, table: str | Identifier) -> int:
        """Count the registered partitions.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        UnsupportedError
            ``PARTITIONS_NOT_MANAGED``.
        """

    @abstractmethod
    def create_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_exists: bool = True,
        statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None = None,
        replace_statistics: bool = False,
        options: Sequence[Mapping[str, str]] | None = None,
    ) -> CreateResult:
        """Register partitions and report statistics of them, everything or nothing.

        Parameters
        ----------
        specs
            Complete specs with raw text.
        ignore_if_exists
            Whether a partition that is registered already is fine. Otherwise one of them, or a spec given
            twice, fails the whole batch.
        statistics
            Pairs of a spec of this request and its numbers; there may be fewer than specs. A new partition
            without a report has unknown statistics.
        replace_statistics
            Whether known numbers take the place of the stored ones or are added to them, see
            :func:`spark_paimon.statistics.combine`.
        options
            One map for each spec, by position; empty maps for none. ``file.format`` is stored also on a
            partition that exists. ``path`` is a location outside of the table (see
            :func:`~spark_paimon.partition.location.canonical_location`), which a partition keeps for good;
            the default directory as ``path`` forgets a custom one and needs replacing statistics for the
            same spec. Other keys are stored as they are.

        Raises
        ------
        NoSuchTableError
            ``TABLE_NOT_FOUND``.
        PartitionsExistError
            ``PARTITIONS_EXIST`` naming them, ``PARTITION_LOCATION_DIFFERS``; nothing was registered.
        InvalidInputError
            ``PARTITION_LOCATION_INVALID``: it cannot be a location, overlaps with the directory of the table
            or with the location of another partition. Or a spec is incomplete or has no directory, or options
            or statistics do not fit the specs.
        UnsupportedError
            ``PARTITIONS_NOT_MANAGED``.
        """

    @abstractmethod
    def drop_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_not_exists: bool = True,
    ) -> DropResult:
        """Forget partitions, by their exact text and all or none. Files are never touched.

        Raises
        ------
        NoSuchPartitionError
            ``PARTITIONS_NOT_FOUND`` unless missing ones are to be ignored; nothing is dropped then.
        """

    @abstractmethod
    def mark_partitions_done(self, table: str | Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """Mark registered partitions as complete.

        Raises
        ------
        NoSuchPartitionError
            ``PARTITIONS_NOT_FOUND``; nothing is marked then.
        """
