"""What a storage can do, and the listing of data files built on it."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import BinaryIO

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or directory of a listing.

    Parameters
    ----------
    name
        Last component of the path.
    path
        Hadoop Path string.
    is_directory
        True also for a link to a directory.
    size
        Bytes; 0 for directories.
    modified_millis
        Modification time in epoch milliseconds, -1 where the storage does not say.
    is_link
        Whether it is a symbolic link.
    """

    name: str
    path: str
    is_directory: bool
    size: int
    modified_millis: int
    is_link: bool = False


def is_hidden(name: str) -> bool:
    """Whether a name belongs to some writer and is never data: it starts with ``_`` or ``.``.

    Source: Apache Paimon, partition path rules.

    Examples
    --------
    >>> is_hidden("_temporary"), is_hidden(".x"), is_hidden("dt=_x")
    (True, True, False)
    """
    return name.startswith(("_", "."))


class Storage(ABC):
    """Files and directories below one root; paths are Hadoop Path strings.

    Implementations are stateless towards their callers: usable from many threads and picklable.

    Every method raises :class:`~spark_paimon.errors.StorageError` when the storage refuses or fails;
    a missing file or directory is :class:`FileNotFoundError` where the method says so.
    """

    @abstractmethod
    def list_directory(self, path: str) -> list[Entry]:
        """Entries of one directory, hidden ones included, sorted by name.

        Raises
        ------
        FileNotFoundError
            The directory does not exist.
        StorageError
            Anything else; a listing is complete or it is an error.
        """

    @abstractmethod
    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""

    @abstractmethod
    def is_directory(self, path: str) -> bool:
        """Whether a directory is there."""

    @abstractmethod
    def leads_back(self, link: str, came_by: Collection[str] = ()) -> bool:
        """Whether a link is to a directory that holds it, or that holds a link by which it was reached."""

    @abstractmethod
    def file_size(self, path: str) -> int:
        """Bytes of a file.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        """

    @abstractmethod
    def make_directory(self, path: str) -> None:
        """Create a directory and its parents; one that is there already is fine."""

    @abstractmethod
    def publish(self, staged: str, final: str) -> None:
        """Move one file to its final name, creating the parent directory.

        Raises
        ------
        FileNotFoundError
            There is no staged file.
        StorageError
            ``FILE_EXISTS`` when the final name is taken: nothing is overwritten, the staged file stays.
        """

    @abstractmethod
    def write_new(self, path: str, content: bytes) -> bool:
        """Create a file with all of its content at once, creating the parent directory.

        Returns
        -------
        bool
            False, with nothing changed, when the name is taken: of several writers exactly one gets True.
        """

    @abstractmethod
    def delete_file(self, path: str) -> None:
        """Delete one file; a missing one is fine.

        Raises
        ------
        StorageError
            ``FILE_NOT_DELETED``: refused, or reported as done while the file is still there.
        """

    @abstractmethod
    def delete_directory(self, path: str) -> None:
        """Delete a directory with everything in it; a missing one is fine. Links are removed, not followed.

        Raises
        ------
        StorageError
            ``DIRECTORY_NOT_DELETED``: something of it is left.
        """

    @abstractmethod
    def remove_empty_directory(self, path: str) -> bool:
        """Remove a directory only if nothing is in it.

        Returns
        -------
        bool
            True when this call removed it; False when it is missing, not empty, or the storage cannot do
            it safely.
        """

    @abstractmethod
    def move_directory(self, source: str, target: str) -> None:
        """Give a directory another name, creating the parent of the new one.

        One step on file systems; on object stores every file is moved by itself.

        Raises
        ------
        FileNotFoundError
            There is no such directory.
        StorageError
            ``FILE_EXISTS`` when the new name is taken.
        """

    @abstractmethod
    def open_input(self, path: str) -> BinaryIO:
        """Open a file for reading; it can seek.

        Raises
        ------
        FileNotFoundError
            The file does not exist.
        """

    @abstractmethod
    def open_output(self, path: str) -> BinaryIO:
        """Create a file for writing, creating the parent directory.

        Raises
        ------
        StorageError
            ``FILE_EXISTS`` when the name is taken.
        """

    def read_bytes(self, path: str) -> bytes:
        """Whole content of a file.

        Raises
        ------
        FileNotFoundError
            The file does not exist.
        """
        with self.open_input(path) as stream:
            return stream.read()

    def data_files(self, directory: str, metadata_directories: Collection[str] = ()) -> list[Entry]:
        """All data files below a directory, sorted by path.

        Data is every file that is not hidden, in the directory or in sub-directories that are not hidden,
        whatever its extension and also when it is empty. Only components below ``directory`` are judged.
        A link to a directory is followed, except to one that holds the link: that would never end.

        Parameters
        ----------
        directory
            Partition directory, or the table directory of an unpartitioned table.
        metadata_directories
            Names of directories directly in ``directory`` that hold the table's metadata and are not entered.

        Raises
        ------
        FileNotFoundError
            ``directory`` is missing. A sub-directory that disappears during the walk is skipped.
        StorageError
            Any listing failed.
        """
        found: list[Entry] = []
        pending: list[tuple[str, tuple[str, ...]]] = []

        def visit(entries: list[Entry], skipped: Collection[str], came_by: tuple[str, ...]) -> None:
            for entry in entries:
                if is_hidden(entry.name):
                    continue
                if not entry.is_directory:
                    found.append(entry)
                elif entry.name in skipped:
                    continue
                elif not entry.is_link:
                    pending.append((entry.path, came_by))
                elif self.leads_back(entry.path, came_by):
                    _LOG.warning("%s is a link to a directory that holds it; it is not followed", entry.path)
                else:
                    pending.append((entry.path, (*came_by, entry.path)))

        visit(self.list_directory(directory), metadata_directories, ())
        while pending:
            path, came_by = pending.pop()
            try:
                entries = self.list_directory(path)
            except FileNotFoundError:
                continue
            visit(entries, (), came_by)
        return sorted(found, key=lambda entry: entry.path)
