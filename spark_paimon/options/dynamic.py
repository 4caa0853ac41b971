"""Options of one use of a table: settings of the session, and options of a reader or writer.

Source: Apache Paimon, dynamic options of Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from spark_paimon import errors
from spark_paimon.options.tables import MEANT_KEYS, TABLE_OPTIONS

SESSION_PREFIX = "spark.paimon."
_ANY = "*"

_TYPES = {option.key: option.type for option in TABLE_OPTIONS}

# What only tables with snapshots can do.
_SNAPSHOT_OPTIONS = frozenset(
    {
        "branch",
        "consumer-id",
        "incremental-between",
        "incremental-between-scan-mode",
        "incremental-between-tag-to-snapshot",
        "incremental-between-timestamp",
        "incremental-to-auto-tag",
        "scan.bounded.watermark",
        "scan.creation-time-millis",
        "scan.file-creation-time-millis",
        "scan.mode",
        "scan.snapshot-id",
        "scan.tag-name",
        "scan.timestamp",
        "scan.timestamp-millis",
        "scan.version",
        "scan.watermark",
    }
)
# What a table is, and not how it is used.
_FIXED = frozenset({"auto-create", "file.format", "path", "primary-key", "type"})


def dynamic_options(
    settings: Mapping[str, str],
    table: tuple[str | None, str, str],
    given: Mapping[str, str],
    stored: Mapping[str, str],
) -> dict[str, str]:
    """What a session and a reader or writer set for one table.

    Parameters
    ----------
    settings
        Settings of the session, of which those that begin with ``spark.paimon.`` count. Behind it stands an
        option; or catalog, database and table with a dot behind each, and then an option. Each of the three
        may be ``*``.
    table
        Name of the catalog in SQL, database and table.
    given
        Options of the reader or writer, which count before all settings. Among settings those that name the
        table count before those that name only its database, these before those that name only its catalog.
    stored
        Options of the table.

    Returns
    -------
    dict
        Values by the keys of the documentation. Keys that are no option of a table are left out: they may be
        meant for others.

    Raises
    ------
    InvalidInputError
        ``OPTION_MALFORMED``, which names the key as it was given, or ``OPTION_FIXED``: the option says what
        the table is.
    UnsupportedError
        ``SNAPSHOT_OPTION``: the option is about snapshots, which a format table does not have.

    Examples
    --------
    >>> settings = {"spark.paimon.file.compression": "zstd", "spark.paimon.*.db.*.csv.null-literal": "-"}
    >>> dynamic_options(settings, ("paimon", "db", "t"), {"compression": "gzip"}, {})
    {'file.compression': 'gzip', 'csv.null-literal': '-'}
    """
    result: dict[str, str] = {}
    for key, option, text in (
        *_of_session(settings, table),
        *((key, key, text) for key, text in given.items()),
    ):
        lowered = option.lower()
        if lowered in _SNAPSHOT_OPTIONS:
            raise errors.UnsupportedError("SNAPSHOT_OPTION", table=".".join(table[1:]), key=key)
        for meant in MEANT_KEYS.get(lowered, ()):
            _TYPES[meant].parse(text, key)
            if meant in _FIXED and text.lower() != stored.get(meant, "").lower():
                raise errors.InvalidInputError("OPTION_FIXED", table=".".join(table[1:]), key=key)
            result[meant] = text
    return result


def _of_session(
    settings: Mapping[str, str], table: tuple[str | None, str, str]
) -> Iterator[tuple[str, str, str]]:
    """Key, option and value of the settings that can be about a table, weakest first."""
    known = {
        key.removeprefix(SESSION_PREFIX): (key, text)
        for key, text in settings.items()
        if key.startswith(SESSION_PREFIX)
    }
    for rest, (key, text) in known.items():
        yield key, rest, text
    catalog, database, name = table
    for of_name, of_database, of_catalog in product((_ANY, name), (_ANY, database), (_ANY, catalog)):
        prefix = f"{of_catalog}.{of_database}.{of_name}."
        for rest, (key, text) in known.items():
            if rest.startswith(prefix):
                yield key, rest.removeprefix(prefix), text
