"""Settling writes whose process died before they were complete.

A killed append has never reported success, so it is taken back: running it again is then right. A killed
overwrite is taken back as long as all old files are there; otherwise it is finished, because its new files
may be all that is left of the rows: the query may have read them from the table itself.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from spark_paimon import errors
from spark_paimon.catalog.models import Partition
from spark_paimon.statistics.measure import MeasuredDirectory, count_rows, measure
from spark_paimon.storage import is_below, local_path, qualify
from spark_paimon.table.commit.files import StagedFile, written_specs
from spark_paimon.table.commit.journal import Intent, Note, abandoned
from spark_paimon.table.commit.reports import report_replaced
from spark_paimon.table.format_table import FormatTable

_LOG = logging.getLogger(__name__)


def settle_killed(table: FormatTable) -> None:
    """Take back or finish the writes whose process was killed.

    Parameters
    ----------
    table
        The table; only on a file system of this machine is known which writes died.

    Raises
    ------
    StorageError
        A file could not be removed or published.
    CatalogError
        The catalog could not be told about a finished overwrite.
    """
    for note in abandoned(table):
        if note.intent is None:
            _LOG.warning("%s: the note %s cannot be read and is left alone", table.full_name, note.path)
        elif note.host != socket.gethostname():
            # A lock of another machine may not be visible here.
            _LOG.warning("%s: the note %s was left by a write on %s", table.full_name, note.path, note.host)
        elif note.intent.replaces:
            _settle_overwrite(table, note, note.intent)
        else:
            _take_back(table, note, note.intent)


def settle_before_reading(table: FormatTable) -> None:
    """As :func:`settle_killed`, for one who may be allowed to read only: failures are warnings."""
    try:
        settle_killed(table)
    except errors.PaimonError as error:
        _LOG.warning("%s may hold rows of a write that was killed: %s", table.full_name, error)


def _take_back(table: FormatTable, note: Note, intent: Intent) -> None:
    published = []
    for file in intent.files:
        if not _within(table, file):
            continue  # the table was moved since; nothing outside of it is this write's
        if _is_published(file):
            table.storage.delete_file(file.final)
            published.append(file.spec)
        table.storage.delete_file(file.staged)
    if published:
        _LOG.warning(
            "Removed %d files of a write to %s that was killed before it was complete",
            len(published),
            table.full_name,
        )
        _measure_again(table, published)
    note.remove()


def _settle_overwrite(table: FormatTable, note: Note, intent: Intent) -> None:
    files = [file for file in intent.files if _within(table, file)]
    old = [path for path in intent.old if is_below(qualify(path), table.location)]
    if all(_exists(path) for path in old) and not any(_is_published(file) for file in files):
        for file in files:
            table.storage.delete_file(file.staged)
        note.remove()
        return
    try:
        written_specs(table, files)
    except errors.InvalidInputError as error:
        _LOG.warning("%s: a killed overwrite is not of this table as it is now: %s", table.full_name, error)
        note.remove()
        return
    for path in old:
        table.storage.delete_file(path)
    there = []
    for file in files:
        if not _is_published(file):
            try:
                table.storage.publish(file.staged, file.final)
            except FileNotFoundError:
                _LOG.warning("%s: %s of a killed overwrite is lost", table.full_name, file.staged)
                continue
        table.storage.delete_file(file.staged)
        there.append(file)
    if table.managed:
        try:
            report_replaced(table, intent.targets, there, intent.format, intent.now_millis)
        except errors.CatalogError:
            raise
        except errors.PaimonError as error:
            _LOG.warning(
                "%s: the catalog refused what a killed overwrite replaced: %s", table.full_name, error
            )
    _LOG.warning("Finished an overwrite of %s that was killed before it was complete", table.full_name)
    note.remove()


def _within(table: FormatTable, file: StagedFile) -> bool:
    return all(is_below(qualify(path), table.location) for path in (file.staged, file.final))


def _exists(path: str) -> bool:
    return os.path.lexists(local_path(path))


def _is_published(file: StagedFile) -> bool:
    """Whether the file under the final name is the one that was staged, and not somebody else's of that
    name.
    """
    if not _exists(file.final):
        return False
    return not _exists(file.staged) or Path(local_path(file.staged)).samefile(local_path(file.final))


def _measure_again(table: FormatTable, specs: Sequence[Mapping[str, str]]) -> None:
    """Correct the numbers of partitions that a killed write may have added to already."""
    if not table.managed:
        return
    unique = list({tuple(sorted(spec.items())): spec for spec in specs}.values())
    try:
        catalog = table.require_managed("INSERT INTO")
        rows: list[Partition] = catalog.list_partitions_by_names(table.identifier, unique)
        directories = [
            MeasuredDirectory(
                table.layout.name(row.spec),
                table.partition_location(row.spec),
                table.effective_format(row.options),
            )
            for row in rows
        ]
        numbers = measure(table.storage, directories, partial(count_rows, storage=table.storage))
        if rows:
            catalog.create_partitions(
                table.identifier,
                [row.spec for row in rows],
                ignore_if_exists=True,
                statistics=[(row.spec, measured) for row, measured in zip(rows, numbers, strict=True)],
                replace_statistics=True,
            )
    except errors.PaimonError as error:
        _LOG.warning(
            "The statistics of %s may be wrong, run ANALYZE TABLE %s COMPUTE STATISTICS: %s",
            table.full_name,
            table.full_name,
            error,
        )
