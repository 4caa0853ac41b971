"""What a write consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from spark_paimon import errors
from spark_paimon.catalog.models import Spec
from spark_paimon.statistics import UNKNOWN
from spark_paimon.storage import is_hidden, join, name_of, parent, qualify
from spark_paimon.table.format_table import FormatTable

STAGING = "_temporary"
"""Directory inside a partition where a task writes; its name keeps readers out."""

STAGED_PREFIX = ".tmp."
"""Begins the names of the files in it."""


class WriteMode(str, Enum):
    """What a write does with the rows that are there."""

    APPEND = "append"
    """Keeps them."""
    OVERWRITE = "overwrite"
    """Replaces the partitions below the static values, the whole table without any."""
    OVERWRITE_DYNAMIC = "overwrite-dynamic"
    """Replaces the partitions that files are written to."""


@dataclass(frozen=True)
class StagedFile:
    """One file that a task has written completely and nobody can see yet; picklable.

    Parameters
    ----------
    spec
        Raw texts of the partition columns; empty for an unpartitioned table.
    staged
        Where the file is, ``<partition>/_temporary/<name>``, as a Hadoop Path string.
    final
        Where it goes, ``<partition>/<name>``.
    rows, size
        Rows and bytes, negative when unknown.
    created_directory
        Whether the task made the partition directory, so that an abort may remove it again when it is empty.
    """

    spec: Mapping[str, str]
    staged: str
    final: str
    rows: int = UNKNOWN
    size: int = UNKNOWN
    created_directory: bool = False


@dataclass(frozen=True)
class CommitReport:
    """What a commit did.

    Parameters
    ----------
    written
        Names of the partitions that have new files or were created, sorted.
    replaced
        Names of the partitions whose old files were deleted, sorted.
    warnings
        What did not work without making the write wrong.
    """

    written: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def spec_key(table: FormatTable, spec: Mapping[str, str]) -> tuple[str, ...]:
    """Texts of a complete spec in key order, to tell partitions apart."""
    return tuple(spec[key] for key in table.partition_keys)


def written_specs(table: FormatTable, files: Sequence[StagedFile]) -> list[Spec]:
    """Partitions that files go to, each once and sorted by name, after checking that every file lies there.

    Raises
    ------
    InvalidInputError
        ``STAGED_FILE_MISPLACED``: committing the file would put rows where they do not belong.
    """
    unique: dict[tuple[str, ...], Spec] = {}
    directories: dict[tuple[str, ...], str] = {}
    finals: set[str] = set()
    for file in files:
        if set(file.spec) != set(table.partition_keys):
            raise _misplaced(table, file, f"its partition {dict(file.spec)} has not exactly these keys")
        key = spec_key(table, file.spec)
        if key not in unique:
            unique[key] = {name: file.spec[name] for name in table.partition_keys}
            directories[key] = qualify(_directory(table, unique[key]))
            if table.partitioned and not table.managed:
                table.layout.check_discoverable(
                    unique[key], "INSERT", table.full_name, table.metadata_directories
                )
        _check_place(table, file, directories[key])
        if file.final in finals:
            raise _misplaced(table, file, "another file of this write has the same name")
        finals.add(file.final)
    return sorted(unique.values(), key=table.layout.name) if table.partitioned else list(unique.values())


def _directory(table: FormatTable, spec: Spec) -> str:
    return table.partition_location(spec) if table.partitioned else table.location


def _check_place(table: FormatTable, file: StagedFile, directory: str) -> None:
    final, staged = qualify(file.final), qualify(file.staged)
    if parent(final) != directory or is_hidden(name_of(final)):
        raise _misplaced(
            table, file, f"it is no data file directly in {directory}, the directory of its partition"
        )
    if parent(staged) != join(directory, STAGING):
        raise _misplaced(table, file, f"it was staged at {file.staged} and not in {join(directory, STAGING)}")


def _misplaced(table: FormatTable, file: StagedFile, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError(
        "STAGED_FILE_MISPLACED",
        path=file.final,
        table=table.full_name,
        keys=", ".join(table.partition_keys),
        reason=reason,
    )
