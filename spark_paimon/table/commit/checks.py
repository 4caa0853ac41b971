"""What a write is checked for before rows are written, and again before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import util

from spark_paimon import errors
from spark_paimon.catalog.definitions import check_storable
from spark_paimon.catalog.models import Spec
from spark_paimon.format import file_format
from spark_paimon.options import TableOptions
from spark_paimon.partition.values import Value
from spark_paimon.table.commit.files import WriteMode, spec_key
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import PARTITION_FORMAT, FormatTable
from spark_paimon.table.selection import check_path_components, checked_rows

_HIVE_SYNC = "format-table.commit-hive-sync-url"
_REQUIRE_PARTITION = "write.overwrite.require-partition"


def check_write(table: FormatTable, mode: WriteMode, static: Mapping[str, Value] | None = None) -> None:
    """Refuse a write that cannot succeed, before any row is written.

    A write that was killed while it published is settled first, so that running it again does not double
    rows.

    Parameters
    ----------
    table
        Where the rows shall go.
    mode
        What happens to the rows that are there.
    static
        Values that the statement gives for partition columns.

    Raises
    ------
    InvalidInputError
        A static value is for no partition column, behind a gap, or has no directory; an option is malformed.
    UnsupportedError
        ``WRITE_FORMAT_DIFFERS``, a format that cannot store the columns or needs an extra of this package, a
        Delta table, or a whole-table overwrite that the table forbids.
    """
    static = static or {}
    check_static(table, mode, static)
    _check_format(table, mode)
    _ = table.file_compression, cleanup_threads(table), publish_threads(table)
    if table.table_options.is_set(_HIVE_SYNC):
        raise errors.UnsupportedError("HIVE_SYNC_UNSUPPORTED", table=table.full_name, option=_HIVE_SYNC)
    whole_table = mode is WriteMode.OVERWRITE and table.partitioned and not static
    if whole_table and table.table_options.get(_REQUIRE_PARTITION):
        raise errors.UnsupportedError(
            "OVERWRITE_NEEDS_PARTITION", table=table.full_name, option=_REQUIRE_PARTITION
        )
    table.check_not_delta()
    settle_killed(table)


def _check_format(table: FormatTable, mode: WriteMode) -> None:
    # Definitions of other versions and programs were not checked when they were made.
    check_storable(table.identifier, table.schema.data_fields, table.options)
    extra = file_format(table.format).extra
    # The package behind an extra of a format is imported by the name of the extra.
    if extra is not None and util.find_spec(extra) is None:
        raise errors.UnsupportedError(
            "EXTRA_MISSING", what=f"File format {table.format.upper()}", extra=extra
        )
    stored = str(TableOptions(table.schema.options).get(PARTITION_FORMAT))
    # Where nothing keeps the format of what is written, readers go by the stored one.
    if table.format != stored and not (table.managed and mode is not WriteMode.APPEND):
        raise errors.UnsupportedError(
            "WRITE_FORMAT_DIFFERS", format=table.format.upper(), table=table.full_name, stored=stored.upper()
        )


def check_static(table: FormatTable, mode: WriteMode, static: Mapping[str, Value]) -> None:
    """Check the values that a statement gives for partition columns.

    Raises
    ------
    InvalidInputError
        ``STATIC_PARTITION_UNPARTITIONED``, ``STATIC_PARTITION_UNKNOWN``, ``STATIC_PARTITION_GAP`` or
        ``PARTITION_VALUE_BLANK`` (overwrites only: they select by leading columns and by these values), or a
        value that has no directory.
    """
    if not static:
        return
    keys = ", ".join(table.partition_keys)
    if not table.partitioned:
        raise errors.InvalidInputError("STATIC_PARTITION_UNPARTITIONED", table=table.full_name)
    for column in static:
        if column not in table.partition_keys:
            raise errors.InvalidInputError(
                "STATIC_PARTITION_UNKNOWN", column=column, table=table.full_name, keys=keys
            )
    if mode is WriteMode.OVERWRITE:
        leading = table.partition_keys[: len(static)]
        for column in static:
            if column not in leading:
                raise errors.InvalidInputError(
                    "STATIC_PARTITION_GAP", column=column, table=table.full_name, keys=keys
                )
        # It would replace the NULL partition, which the statement does not name.
        table.layout.check_not_blank(static, "INSERT OVERWRITE", table.full_name)
    spec = table.layout.spec(static)
    check_path_components(table, spec)
    if not table.managed and len(spec) == len(table.partition_keys):
        table.layout.check_discoverable(spec, "INSERT", table.full_name, table.metadata_directories)


def check_append(table: FormatTable, specs: Sequence[Spec]) -> None:
    """Check the registrations of the partitions that an append goes to.

    Raises
    ------
    UnsupportedError
        ``APPEND_CUSTOM_LOCATION`` or ``APPEND_FORMAT_MISMATCH``: the new files would lie elsewhere than the
        partition, or be read as something else.
    IllegalStateError
        The catalog answered with something that was not asked for.
    """
    if not specs:
        return
    catalog = table.require_managed("INSERT INTO")
    asked = {spec_key(table, spec) for spec in specs}
    rows = checked_rows(table, catalog.list_partitions_by_names(table.identifier, specs))
    for row in rows:
        name = table.layout.name(row.spec)
        if spec_key(table, row.spec) not in asked:
            reason = f"asked for some partitions, it answered with {name} as well"
            raise errors.IllegalStateError("PARTITION_METADATA_CORRUPT", table=table.full_name, reason=reason)
        location = table.custom_location(row)
        if location is not None:
            raise errors.UnsupportedError(
                "APPEND_CUSTOM_LOCATION", partition=name, location=location, table=table.full_name
            )
        if PARTITION_FORMAT in row.options and table.effective_format(row.options) != table.format:
            raise errors.UnsupportedError(
                "APPEND_FORMAT_MISMATCH",
                format=table.format,
                partition=name,
                table=table.full_name,
                registered=row.options[PARTITION_FORMAT],
            )


def cleanup_threads(table: FormatTable) -> int:
    """Deletions at once in a commit; more than one only where the catalog manages partitions."""
    threads = int(table.table_options.get("format-table.commit.cleanup-thread-num"))
    return threads if table.managed else 1


def publish_threads(table: FormatTable) -> int:
    """Publications at once in a commit; more than one only where the catalog manages partitions."""
    threads = int(table.table_options.get("format-table.commit.publish-thread-num"))
    return threads if table.managed else 1
