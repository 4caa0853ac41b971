"""What an append is about to publish, noted down so that one whose process was killed can be taken back.

Publishing is one rename a file, so a process that dies in between leaves some of the files in place, and
running the statement again would double their rows. The note lies in the table directory under a hidden
name and is locked while the process lives. The next write that finds a note without an owner removes the
files that it names: a write that was killed has never reported success, so taking it back is always right.

Only for tables on a file system of this machine: elsewhere nothing tells a dead owner from a slow one.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from spark_paimon import errors
from spark_paimon.catalog.models import Partition
from spark_paimon.statistics.measure import MeasuredDirectory, count_rows, measure
from spark_paimon.storage import is_below, join, local_path, qualify, scheme_of
from spark_paimon.table.commit.files import STAGING, StagedFile
from spark_paimon.table.format_table import FormatTable

try:
    import fcntl
except ImportError:  # pragma: no cover - no such locks on Windows
    fcntl = None  # type: ignore[assignment]

_LOG = logging.getLogger(__name__)
_NAME = ".commit."
_UNFINISHED = ".noting."


@contextmanager
def noted(table: FormatTable, files: Sequence[StagedFile]) -> Iterator[None]:
    """Keep a note of the files as long as the block runs.

    It goes when the block is left, and stays when that was killed or could not clean up after its failure.
    """
    if not files or not _possible(table):
        yield
        return
    folder = Path(local_path(join(table.location, STAGING)))
    content = {
        "host": socket.gethostname(),
        "files": [[file.spec, file.staged, file.final] for file in files],
    }
    try:
        note, descriptor = _write(folder, json.dumps(content).encode())
    except OSError as error:
        raise errors.StorageError(
            "STORAGE_FAILED", operation="write into", path=folder, reason=error.strerror or str(error)
        ) from error
    try:
        yield
    except Exception as error:
        # What a failed clean-up left is attached to the error; the next write tries again.
        if not getattr(error, "suppressed", ()):
            note.unlink(missing_ok=True)
        raise
    else:
        note.unlink(missing_ok=True)
    finally:
        # An interrupt is neither success nor a failure that was cleaned up: then the note stays, without
        # owner.
        os.close(descriptor)
        _remove_if_empty(table, folder)


def _possible(table: FormatTable) -> bool:
    return fcntl is not None and scheme_of(table.location) == "file"


def _write(folder: Path, content: bytes) -> tuple[Path, int]:
    name = uuid.uuid4().hex
    unfinished, note = folder / f"{_UNFINISHED}{name}", folder / f"{_NAME}{name}"
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR)
            break
        except FileNotFoundError:
            continue  # another writer removed the empty folder in between
    try:
        # Under its name the note is complete and locked from the first moment.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            stream.write(content)
        unfinished.rename(note)
    except BaseException:
        # Nothing is published yet, so a note would be about nothing.
        os.close(descriptor)
        unfinished.unlink(missing_ok=True)
        note.unlink(missing_ok=True)
        raise
    return note, descriptor


def take_back_killed(table: FormatTable) -> int:
    """Remove the files of appends whose process died before they were complete.

    Returns
    -------
    int
        Number of data files that were visible and are removed.

    Raises
    ------
    StorageError
        A file could not be removed.
    """
    if not _possible(table):
        return 0
    folder = Path(local_path(join(table.location, STAGING)))
    try:
        notes = sorted(entry for entry in folder.iterdir() if entry.name.startswith(_NAME))
    except (FileNotFoundError, NotADirectoryError):
        return 0
    removed = sum(_take_back(table, note) for note in notes)
    if notes:
        _remove_if_empty(table, folder)
    return removed


def _take_back(table: FormatTable, note: Path) -> int:
    try:
        descriptor = os.open(note, os.O_RDWR)
    except FileNotFoundError:
        return 0
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return 0  # its owner lives
        if not note.exists():
            return 0  # somebody else was faster
        content = json.loads(note.read_bytes())
        if content["host"] != socket.gethostname():
            # A lock of another machine may not be visible here.
            _LOG.warning("%s: the note %s was left by a write on %s", table.full_name, note, content["host"])
            return 0
        published = []
        for spec, staged, final in content["files"]:
            if not (is_below(qualify(staged), table.location) and is_below(qualify(final), table.location)):
                continue  # the table was moved since; nothing outside of it is this write's
            if _is_published(local_path(staged), local_path(final)):
                table.storage.delete_file(final)
                published.append(spec)
            table.storage.delete_file(staged)
        if published:
            _LOG.warning(
                "Removed %d files of a write to %s that was killed before it was complete",
                len(published),
                table.full_name,
            )
            _measure_again(table, published)
        note.unlink(missing_ok=True)
        return len(published)
    finally:
        os.close(descriptor)


def _is_published(staged: str, final: str) -> bool:
    """Whether the file under the final name is the one that was staged, and not somebody else's of that
    name.
    """
    if not os.path.lexists(final):
        return False
    return not os.path.lexists(staged) or Path(staged).samefile(final)


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


def _remove_if_empty(table: FormatTable, folder: Path) -> None:
    # Tasks of an unpartitioned table stage their files in the same folder and may be about to open one.
    if table.partitioned:
        with suppress(OSError):
            folder.rmdir()
