"""What a write is about to publish, noted down so that one whose process was killed can be settled.

Publishing is one rename a file, so a process that dies in between leaves some of the files in place. Of an
append, running the statement again would double their rows; of an overwrite, the old files are gone already.
The note lies in the table directory under a hidden name and is locked while the process lives; see
:mod:`spark_paimon.table.commit.recovery` for what happens to one without an owner.

Only for tables on a file system of this machine: elsewhere nothing tells a dead owner from a slow one.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from spark_paimon import errors
from spark_paimon.catalog.models import Spec
from spark_paimon.storage import join, local_path, scheme_of
from spark_paimon.table.commit.files import STAGING, StagedFile
from spark_paimon.table.format_table import FormatTable

try:
    import fcntl
except ImportError:  # pragma: no cover - no such locks on Windows
    fcntl = None  # type: ignore[assignment]

_NAME = ".commit."
_UNFINISHED = ".noting."


@dataclass(frozen=True)
class Intent:
    """What a write does once it is noted.

    Parameters
    ----------
    files
        What is published.
    replaces
        Whether it is an overwrite.
    old
        Paths of the files that it deletes first.
    targets
        Specs of the partitions that it replaces; none for an unpartitioned table.
    format
        File format of the new files.
    now_millis
        Time of the commit in epoch milliseconds.
    """

    files: Sequence[StagedFile]
    replaces: bool = False
    old: Sequence[str] = ()
    targets: Sequence[Spec] = ()
    format: str = ""
    now_millis: int = 0

    def to_json(self) -> str:
        """Content of a note."""
        return json.dumps({"host": socket.gethostname(), **asdict(self)})

    @classmethod
    def from_json(cls, text: bytes) -> tuple[str, Intent]:
        """Read a note: the machine that wrote it, and what it says.

        Raises
        ------
        ValueError, TypeError, KeyError
            It is no note of this version.
        """
        content = json.loads(text)
        host = str(content.pop("host"))
        files = [StagedFile(**file) for file in content.pop("files")]
        return host, cls(files=files, **content)


@dataclass(frozen=True)
class Note:
    """A note without an owner, locked by this process.

    Parameters
    ----------
    path
        Where it lies.
    host
        The machine that wrote it.
    intent
        None when it cannot be read.
    """

    path: Path
    host: str
    intent: Intent | None

    def remove(self) -> None:
        """Remove it: what it says is settled."""
        self.path.unlink(missing_ok=True)


def keeps_notes(table: FormatTable) -> bool:
    """Whether writes to the table are noted."""
    return fcntl is not None and scheme_of(table.location) == "file"


@contextmanager
def noted(table: FormatTable, intent: Intent) -> Iterator[None]:
    """Keep a note as long as the block runs.

    It goes when the block is left. It stays, without owner, when that was killed or interrupted, and when an
    append could not be taken back after its failure.
    """
    if not keeps_notes(table) or not (intent.files or intent.old):
        yield
        return
    folder = _folder(table)
    try:
        note, descriptor = _write(folder, intent.to_json().encode())
    except OSError as error:
        raise errors.StorageError(
            "STORAGE_FAILED", operation="write into", path=folder, reason=error.strerror or str(error)
        ) from error
    try:
        yield
    except Exception as error:
        # What a failed clean-up left is attached to the error; whoever uses the table next tries again.
        if intent.replaces or not getattr(error, "suppressed", ()):
            note.unlink(missing_ok=True)
        raise
    else:
        note.unlink(missing_ok=True)
    finally:
        # An interrupt is neither success nor a failure that was cleaned up: then the note stays.
        os.close(descriptor)
        _remove_if_empty(table, folder)


def abandoned(table: FormatTable) -> Iterator[Note]:
    """Notes whose owner is gone, each locked while the caller has it.

    Raises
    ------
    StorageError
        The directory cannot be listed, or a note not be opened.
    """
    if not keeps_notes(table):
        return
    folder = _folder(table)
    try:
        # Most tables have no such directory, and this is asked for each scan.
        names = sorted(name for name in os.listdir(folder) if name.startswith(_NAME))  # noqa: PTH208
        for name in names:
            yield from _locked(folder / name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise errors.StorageError(
            "STORAGE_FAILED", operation="look for unfinished writes in", path=folder, reason=str(error)
        ) from error
    if names:
        _remove_if_empty(table, folder)


def _locked(path: Path) -> Iterator[Note]:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # its owner lives
        if not path.exists():
            return  # somebody else was faster
        try:
            host, intent = Intent.from_json(path.read_bytes())
        except (ValueError, TypeError, KeyError):
            yield Note(path, "", None)
        else:
            yield Note(path, host, intent)
    finally:
        os.close(descriptor)


def _folder(table: FormatTable) -> Path:
    return Path(local_path(join(table.location, STAGING)))


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


def _remove_if_empty(table: FormatTable, folder: Path) -> None:
    # Tasks of an unpartitioned table stage their files in the same folder and may be about to open one.
    if table.partitioned:
        with suppress(OSError):
            folder.rmdir()
