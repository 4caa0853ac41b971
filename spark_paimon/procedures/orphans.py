"""``sys.remove_orphan_files``: staged files of writers that died before they published or removed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from spark_paimon import errors
from spark_paimon.parallel import attach, attempt_all, map_ordered
from spark_paimon.partition.timestamps import usual_time
from spark_paimon.procedures.model import Parameter, Procedure, ProcedureContext
from spark_paimon.storage import Entry, join
from spark_paimon.table.commit.files import STAGED_PREFIX, STAGING
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import FormatTable

DEFAULT_AGE = timedelta(days=1)
"""A file that is younger may be of a writer that is still at work."""


def remove_orphan_files(table: FormatTable, older_than: datetime, dry_run: bool = False) -> list[str]:
    """Remove staged files that were last written before a moment.

    Parameters
    ----------
    table
        Any format table. Directories outside of it, custom locations and targets of links, are left alone: no
        writer of ours stages there.
    older_than
        A moment with its zone. Writers that began before it must have ended.
    dry_run
        Say what would be removed and change nothing.

    Returns
    -------
    list of str
        Paths of the files, sorted.

    Raises
    ------
    StorageError
        A listing failed, and nothing was removed; or a file could not be removed, all others are.

    Notes
    -----
    What a commit on a local file system noted before it was killed is settled first, as every write does.
    """
    if not dry_run:
        settle_killed(table)
    limit = older_than.timestamp() * 1000
    found: list[Entry] = []
    emptied: list[str] = []
    for directory in _staging_directories(table):
        try:
            entries = table.storage.list_directory(directory)
        except FileNotFoundError:
            continue  # its writer has ended meanwhile
        staged = [
            entry for entry in entries if not entry.is_directory and entry.name.startswith(STAGED_PREFIX)
        ]
        old = [entry for entry in staged if 0 <= entry.modified_millis < limit]
        found.extend(old)
        if old and len(old) == len(entries):
            emptied.append(directory)
    paths = sorted(entry.path for entry in found)
    if not dry_run:
        failures = attempt_all(table.storage.delete_file, paths)
        failures += attempt_all(table.storage.remove_empty_directory, emptied)
        if failures:
            raise attach(failures)
    return paths


def _staging_directories(table: FormatTable) -> Iterator[str]:
    """Staging directories in all directories that a partition can have, registered or not."""
    level = [table.location]
    for depth in range(len(table.partition_keys)):

        def children(directory: str, depth: int = depth) -> list[str]:
            try:
                entries = table.storage.list_directory(directory)
            except FileNotFoundError:
                return []
            return [
                entry.path
                for entry in entries
                if entry.is_directory
                and not entry.is_link
                and not (depth == 0 and entry.name in table.metadata_directories)
                and table.layout.is_partition_component(depth, entry.name) is not None
            ]

        listings = map_ordered(children, level, table.list_parallelism if depth else 1)
        level = [path for paths in listings for path in paths]
    for directory in level:
        yield join(directory, STAGING)


def _run(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    now = context.now()
    text = arguments["older_than"]
    older_than = now - DEFAULT_AGE
    if text is not None:
        time = usual_time(text)
        if time is None or time.replace(tzinfo=now.tzinfo) > now:
            raise errors.InvalidInputError(
                "PROCEDURE_ARGUMENT",
                procedure="remove_orphan_files",
                reason=f"older_than must be a moment of the past such as '2025-01-31 12:00:00', not '{text}'",
            )
        older_than = time.replace(tzinfo=now.tzinfo)
    paths = remove_orphan_files(context.table(arguments["table"]), older_than, arguments["dry_run"])
    return [(path,) for path in paths]


PROCEDURE = Procedure(
    name="remove_orphan_files",
    description="Remove staged files that writers left which died.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter(
            "older_than",
            "string",
            None,
            "Only files last written before, such as '2025-01-31 12:00:00' in the session's zone; "
            "a day ago when absent.",
        ),
        Parameter("dry_run", "boolean", False, "Say what would be removed and change nothing."),
    ),
    result=(("file_path", "STRING"),),
    action=_run,
)
