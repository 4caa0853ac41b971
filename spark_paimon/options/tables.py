"""The options, one row each. Documentation and validation are made from these rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spark_paimon.options.kinds import (
    BOOLEAN,
    DURATION,
    FILE_FORMAT,
    MEMORY_SIZE,
    NON_EMPTY,
    STRING,
    OptionType,
    choice,
    integer,
)


@dataclass(frozen=True)
class Option:
    """One option.

    Parameters
    ----------
    key
        Its name, and the name under which it is stored.
    type
        Kind of value.
    default
        Text used when the option is absent; None when absence means something of its own, which `help` tells.
    help
        One line for the documentation.
    aliases
        Other spellings, asked in this order after `key`.
    """

    key: str
    type: OptionType
    default: str | None
    help: str
    aliases: tuple[str, ...] = ()

    @property
    def default_value(self) -> Any:
        """The default as a value, or None."""
        return None if self.default is None else self.type.parse(self.default, self.key)


_MB = "128 mb"
_NO_NULL_KEYS = "Accepted for compatibility; maps of Spark and Arrow have no NULL keys, so it has no effect."
_COMPATIBLE = "Accepted for compatibility with the Java connector; has no effect."

_IDENTITY: Sequence[Option] = (
    Option("type", STRING, "table", "`format-table` makes the table a format table. Cannot be changed."),
    Option(
        "file.format",
        FILE_FORMAT,
        "parquet",
        "Format of new files, and of partitions that have none of their own; see [formats.md](formats.md).",
    ),
    Option("path", STRING, None, "Table directory. Given at CREATE, the table is external."),
    Option("primary-key", STRING, None, "Refused for format tables."),
    Option("auto-create", BOOLEAN, "false", "Refused for format tables when true."),
    Option(
        "format-table.implementation",
        choice("paimon", "engine"),
        "paimon",
        "Who reads and writes: this package or Spark's own file tables.",
    ),
    Option(
        "format-table.partition-path-only-value",
        BOOLEAN,
        "false",
        "Partition directories are `value` instead of `key=value`.",
    ),
    Option(
        "metastore.partitioned-table",
        BOOLEAN,
        "false",
        "The catalog keeps the list of partitions. No effect in a `filesystem` catalog.",
    ),
    Option(
        "partition.default-name",
        NON_EMPTY,
        "__DEFAULT_PARTITION__",
        "Directory name and registered value of the NULL partition.",
    ),
    Option(
        "partition.legacy-name",
        BOOLEAN,
        "true",
        "Write dates as days since 1970 and timestamps in ISO form. Tables with a DATE or TIMESTAMP "
        "partition column get `false` at CREATE unless it is set. Readers take both.",
    ),
    Option(
        "format-table.commit-hive-sync-url", STRING, None, "Metastore that is told about written partitions."
    ),
    Option(
        "dynamic-partition-overwrite",
        BOOLEAN,
        "true",
        "An overwrite without static partition replaces the written partitions only (true) or the table.",
    ),
    Option(
        "write.overwrite.require-partition",
        BOOLEAN,
        "false",
        "Refuse an overwrite that would replace the whole partitioned table.",
    ),
)

_FILES: Sequence[Option] = (
    Option(
        "file.compression",
        STRING,
        None,
        "Codec, one of the [format](formats.md#codecs). Default by format: parquet `snappy`; orc, mosaic "
        "`zstd`; csv, json, text `none`.",
        ("format-table.file.compression", "compression"),
    ),
    Option("file.compression.zstd-level", integer(1, 22), "1", "Level of the codec zstd."),
    Option("data-file.prefix", STRING, "data-", "Beginning of the names of data files."),
    Option(
        "file.suffix.include.compression", BOOLEAN, "false", "Put the codec into the names of columnar files."
    ),
    Option("target-file-size", MEMORY_SIZE, "256 mb", "Size at which a writer starts a new file."),
    Option("target-file-row-num", integer(1), str(2**63 - 1), "Rows after which a writer starts a new file."),
    Option("write.batch-size", integer(1), "1024", "Rows that a writer collects before it encodes them."),
    Option("write.batch-memory", MEMORY_SIZE, _MB, "Bytes that a writer collects before it encodes them."),
    Option(
        "partition.sink-strategy",
        choice("none", "hash", "partition_dynamic"),
        "none",
        "Cluster rows by partition before writing (`hash`, `partition_dynamic`) or not.",
    ),
)

_SCAN: Sequence[Option] = (
    Option("source.split.target-size", MEMORY_SIZE, _MB, "Bytes that one reading task gets."),
    Option("source.split.open-file-cost", MEMORY_SIZE, "4 mb", "Least weight of a file when packing tasks."),
    Option(
        "source.split.target-size-with-column-pruning",
        BOOLEAN,
        "false",
        "Weigh a file by the share of its columns that is read.",
    ),
    Option("read.batch-size", integer(1), "1024", "Rows of a batch of a reader."),
    Option("scan.ignore-corrupt-files", BOOLEAN, "false", "Skip files that cannot be read."),
    Option("scan.ignore-lost-files", BOOLEAN, "false", "Skip files that vanished."),
    Option(
        "format-table.scan.list-parallelism",
        integer(1, 1000, clamp=True),
        "64",
        "Directory listings at once; numbers outside 1…1000 become the nearest inside.",
    ),
    Option(
        "format-table.commit.cleanup-thread-num",
        integer(1, 64),
        "64",
        "Deletions of old files at once in a commit.",
    ),
    Option(
        "format-table.commit.publish-thread-num",
        integer(1, 64),
        "64",
        "Publications of files at once in a commit.",
    ),
    Option(
        "format-table.repair.collect-statistics",
        BOOLEAN,
        "false",
        "MSCK REPAIR TABLE measures partitions as well.",
    ),
    Option(
        "format-table.statistics.parallelism",
        integer(1),
        "8",
        "Storage requests at once while ANALYZE or MSCK measures.",
    ),
)

_FORMATS: Sequence[Option] = (
    Option(
        "csv.field-delimiter",
        NON_EMPTY,
        ",",
        "Between the fields of a line.",
        ("field-delimiter", "seq", "delimiter", "sep"),
    ),
    Option("csv.line-delimiter", NON_EMPTY, "\n", "Between lines.", ("lineSep",)),
    Option("csv.quote-character", NON_EMPTY, '"', "Around fields that need it.", ("quote",)),
    Option("csv.escape-character", NON_EMPTY, "\\", "Before a quote inside a quoted field.", ("escape",)),
    Option("csv.include-header", BOOLEAN, "false", "Files begin with a line of column names.", ("header",)),
    Option(
        "csv.enforce-header",
        BOOLEAN,
        "true",
        "Names in the header of a file must be those of the columns. `false` skips the header unread: "
        "columns go by position, whatever it calls them.",
    ),
    Option("csv.null-literal", STRING, "", "Text of NULL.", ("nullvalue",)),
    Option(
        "csv.mode",
        choice("PERMISSIVE", "DROPMALFORMED", "FAILFAST"),
        "PERMISSIVE",
        "What to do with a malformed line.",
        ("mode",),
    ),
    Option("json.ignore-parse-errors", BOOLEAN, "false", "A malformed line becomes a row of NULLs."),
    Option(
        "json.map-null-key-mode",
        choice("FAIL", "DROP", "LITERAL"),
        "FAIL",
        _NO_NULL_KEYS,
    ),
    Option("json.map-null-key-literal", STRING, "null", _NO_NULL_KEYS),
    Option("json.line-delimiter", NON_EMPTY, "\n", "Between objects."),
    Option("text.line-delimiter", NON_EMPTY, "\n", "Between lines.", ("lineSep",)),
)

_EXPIRATION: Sequence[Option] = (
    Option("partition.expiration-time", DURATION, None, "Age after which a partition is expired."),
    Option(
        "partition.expiration-strategy",
        choice("values-time", "update-time"),
        "values-time",
        "The age of a partition is told by its values, or by its newest file.",
    ),
    Option("partition.timestamp-formatter", STRING, None, "Pattern that reads the time of a partition."),
    Option(
        "partition.timestamp-pattern", STRING, None, "How the time is put together, e.g. `$dt $hour:00:00`."
    ),
)

#: Options of tables, by topic; the topics are the sections of the documentation.
TABLE_OPTION_TOPICS: dict[str, Sequence[Option]] = {
    "Identity, layout, partitions": _IDENTITY,
    "Files and compression": _FILES,
    "Scan, commit, statistics, repair": _SCAN,
    "CSV, JSON and TEXT": _FORMATS,
    "Partition expiration": _EXPIRATION,
}

#: All options of tables.
TABLE_OPTIONS: tuple[Option, ...] = tuple(
    option for topic in TABLE_OPTION_TOPICS.values() for option in topic
)

#: The options that a name means, by its lower-cased spelling: `lineSep` is one of CSV and one of TEXT.
MEANT_KEYS: dict[str, tuple[str, ...]] = {}
for _option in TABLE_OPTIONS:
    for _spelling in (_option.key.lower(), *(alias.lower() for alias in _option.aliases)):
        MEANT_KEYS[_spelling] = (*MEANT_KEYS.get(_spelling, ()), _option.key)

#: Options of catalogs: what follows ``spark.sql.catalog.<name>.``.
CATALOG_OPTIONS: tuple[Option, ...] = (
    Option(
        "metastore",
        choice("filesystem", "embedded", "rest"),
        "filesystem",
        "Kind of catalog: schema files under the tables, a database inside the warehouse, or a REST server.",
    ),
    Option("warehouse", STRING, None, "Directory or URI below which databases and tables lie."),
    Option("uri", STRING, None, "Address of the REST server, or of the database of an embedded catalog."),
    Option("token.provider", choice("bear", "dlf"), None, "How requests to the REST server are authorised."),
    Option("token", STRING, None, "Bearer token for `token.provider` = `bear`, which it implies."),
    Option(
        "token-file",
        STRING,
        None,
        "File with the bearer token, read at first use and again when the server refuses it. "
        "`token` counts before it.",
    ),
    Option("dlf.access-key-id", STRING, None, "Key that signs requests, with `token.provider` = `dlf`."),
    Option("dlf.access-key-secret", STRING, None, "Secret half of that key."),
    Option("dlf.security-token", STRING, None, "Third part of a key that ends (STS)."),
    Option(
        "dlf.token-path",
        STRING,
        None,
        "JSON file with the key, written by another process; read again from an hour before the key ends. "
        "Counts before the three options above.",
    ),
    Option(
        "dlf.token-loader",
        choice("local_file", "ecs"),
        None,
        "Where the key comes from; `ecs` is not supported.",
    ),
    Option("dlf.region", STRING, None, "Region of the server. Default: the one in its host name."),
    Option(
        "dlf.signing-algorithm",
        choice("default", "openapi", "openapi-v4"),
        "default",
        "How requests are signed. `default` is `openapi` where the host contains `dlfnext`; "
        "`openapi-v4` is not supported.",
    ),
    Option("rest.connect-timeout", DURATION, "10 s", "How long to wait for a connection to the REST server."),
    Option("rest.read-timeout", DURATION, "180 s", "How long the REST server may be silent."),
    Option(
        "rest.ca-file",
        STRING,
        None,
        "File with the certificates that the REST server's is checked against. "
        "Default: those of the package certifi, or of the variable REQUESTS_CA_BUNDLE.",
    ),
    Option(
        "secrets-file",
        NON_EMPTY,
        None,
        "File on the driver with options that nobody may see, as a JSON object; "
        "they count before those set otherwise.",
    ),
    Option("prefix", STRING, None, "Path prefix of the REST server; normally the server tells it."),
    Option(
        "case-sensitive",
        BOOLEAN,
        None,
        "Whether names that differ by case are different names. Default: true for `rest`, else false.",
    ),
    Option("default-database", STRING, "default", "Database used when none is named.", ("defaultDatabase",)),
    Option("format-table.enabled", BOOLEAN, "true", "Whether the catalog holds format tables."),
    Option("data-token.enabled", BOOLEAN, "false", "Ask the REST server for credentials of each table."),
    Option("cache-enabled", BOOLEAN, "true", _COMPATIBLE),
    Option("lock.enabled", BOOLEAN, None, _COMPATIBLE),
    Option("sync-all-properties", BOOLEAN, "true", _COMPATIBLE),
    Option("table.type", choice("managed", "external"), "managed", _COMPATIBLE),
)

#: Beginnings of catalog options whose rest is free.
CATALOG_OPTION_PREFIXES: dict[str, str] = {
    "table-default.": "Option that every new table gets unless its own options set it.",
    "header.": "Header sent with every request to the REST server.",
    "dlf.": "Further options of Paimon's own clients; have no effect.",
    "fs.": "Passed to the file system of the warehouse (fsspec), e.g. credentials.",
}
