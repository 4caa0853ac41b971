"""The local file system, by its own calls: a name may hold any character that the operating system allows."""

# pathlib normalises what it is given and costs more than the call itself on large listings.
# ruff: noqa: PTH103, PTH104, PTH106, PTH108, PTH114, PTH116, PTH118, PTH120, PTH123

from __future__ import annotations

import errno
import os
import shutil
import stat
import uuid
from collections.abc import Collection
from typing import Any, BinaryIO

from spark_paimon import errors
from spark_paimon.storage.base import Entry, Storage
from spark_paimon.storage.paths import local_path

# What a file system answers that has no hard links.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


# How often a directory is created anew that another process removes meanwhile.
_ATTEMPTS = 8


def _make_directories(path: str) -> None:
    """Create a directory and those above it, also while others create and remove the same ones."""
    for attempt in range(_ATTEMPTS):
        try:
            os.makedirs(path, exist_ok=True)
        except (FileExistsError, FileNotFoundError):
            # makedirs() itself looks again only at the last directory, and only once.
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def _failure(operation: str, path: str, error: OSError) -> errors.StorageError:
    return errors.StorageError(
        "STORAGE_FAILED", operation=operation, path=path, reason=error.strerror or type(error).__name__
    )


class LocalStorage(Storage):
    """``file:`` locations."""

    def __repr__(self) -> str:
        return "LocalStorage()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalStorage)

    def __hash__(self) -> int:
        return hash(LocalStorage)

    def list_directory(self, path: str) -> list[Entry]:
        """See :meth:`Storage.list_directory`."""
        prefix = path if path.endswith("/") else path + "/"
        entries: list[Entry] = []
        try:
            with os.scandir(local_path(path)) as found:
                for item in found:
                    status = _status(item)
                    if status is None:
                        continue
                    is_directory = stat.S_ISDIR(status.st_mode)
                    size = 0 if is_directory else status.st_size
                    modified = status.st_mtime_ns // 1_000_000
                    entries.append(
                        Entry(item.name, prefix + item.name, is_directory, size, modified, item.is_symlink())
                    )
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise FileNotFoundError(errno.ENOENT, error.strerror, local_path(path)) from error
            raise _failure("list directory", path, error) from error
        entries.sort(key=lambda entry: entry.name)
        return entries

    def exists(self, path: str) -> bool:
        """See :meth:`Storage.exists`."""
        return self._stat(path) is not None

    def is_directory(self, path: str) -> bool:
        """See :meth:`Storage.is_directory`."""
        status = self._stat(path)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def leads_back(self, link: str, came_by: Collection[str] = ()) -> bool:
        """See :meth:`Storage.leads_back`."""
        own = local_path(link)
        if not os.path.islink(own):
            return False
        target = os.path.join(os.path.realpath(own), "")
        # A link lies where its directory really is, whatever way led there.
        holders = (os.path.realpath(os.path.dirname(local_path(path))) for path in (link, *came_by))
        return any(os.path.join(holder, "").startswith(target) for holder in holders)

    def _stat(self, path: str) -> os.stat_result | None:
        # os.path.exists answers False when it may not look, which would turn a failure into an absence.
        try:
            return os.stat(local_path(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # what cannot be named cannot be there
            raise _failure("look at", path, error) from error

    def file_size(self, path: str) -> int:
        """See :meth:`Storage.file_size`."""
        status = self._stat(path)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), local_path(path))
        return status.st_size

    def make_directory(self, path: str) -> None:
        """See :meth:`Storage.make_directory`."""
        try:
            _make_directories(local_path(path))
        except OSError as error:
            raise _failure("create directory", path, error) from error

    def publish(self, staged: str, final: str) -> None:
        """See :meth:`Storage.publish`."""
        source, target = local_path(staged), local_path(final)
        try:
            _make_directories(os.path.dirname(target))
            # A rename would silently replace a file of that name; a second link to it cannot.
            try:
                os.link(source, target)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                if os.path.lexists(target):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from error
                os.rename(source, target)
                return
            os.unlink(source)
        except FileExistsError as error:
            raise errors.StorageError("FILE_EXISTS", path=final) from error
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _failure("publish", final, error) from error

    def write_new(self, path: str, content: bytes) -> bool:
        """See :meth:`Storage.write_new`."""
        target = local_path(path)
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name[:100]}.{uuid.uuid4()}.tmp")
        try:
            _make_directories(folder)
            with open(temporary, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            try:
                return _claim(temporary, target, content)
            finally:
                os.unlink(temporary)
        except OSError as error:
            raise _failure("write", path, error) from error

    def delete_file(self, path: str) -> None:
        """See :meth:`Storage.delete_file`."""
        try:
            os.unlink(local_path(path))
        except FileNotFoundError:
            return
        except OSError as error:
            raise errors.StorageError(
                "FILE_NOT_DELETED", path=path, reason=error.strerror or str(error)
            ) from error

    def delete_directory(self, path: str) -> None:
        """See :meth:`Storage.delete_directory`."""
        target = local_path(path)
        problems: list[str] = []

        def note(_function: Any, _name: str, info: Any) -> None:
            error = info[1]
            if not isinstance(error, FileNotFoundError):
                problems.append(str(getattr(error, "strerror", None) or error))

        if os.path.islink(target):
            self.delete_file(path)
            return
        if not os.path.lexists(target):
            return
        # onerror and not onexc: the latter is missing before Python 3.12. Going on after a failure deletes as
        # much as can be deleted; what is left is reported below.
        shutil.rmtree(target, onerror=note)
        if os.path.lexists(target):
            reason = problems[0] if problems else "it is still there"
            raise errors.StorageError("DIRECTORY_NOT_DELETED", path=path, reason=reason)

    def remove_empty_directory(self, path: str) -> bool:
        """See :meth:`Storage.remove_empty_directory`."""
        try:
            os.rmdir(local_path(path))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                return False
            raise _failure("remove directory", path, error) from error
        return True

    def move_directory(self, source: str, target: str) -> None:
        """See :meth:`Storage.move_directory`."""
        new = local_path(target)
        # A rename would take the place of an empty directory.
        if os.path.lexists(new):
            raise errors.StorageError("FILE_EXISTS", path=target)
        try:
            _make_directories(os.path.dirname(new))
            os.rename(local_path(source), new)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _failure("move directory", source, error) from error

    def open_input(self, path: str) -> BinaryIO:
        """See :meth:`Storage.open_input`."""
        try:
            return open(local_path(path), "rb")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _failure("read", path, error) from error

    def open_output(self, path: str) -> BinaryIO:
        """See :meth:`Storage.open_output`."""
        target = local_path(path)
        try:
            _make_directories(os.path.dirname(target))
            return open(target, "xb")
        except FileExistsError as error:
            raise errors.StorageError("FILE_EXISTS", path=path) from error
        except OSError as error:
            raise _failure("write", path, error) from error


def _claim(temporary: str, target: str, content: bytes) -> bool:
    """Give ``temporary`` the name ``target`` if it is free."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        try:
            with open(target, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        except FileExistsError:
            return False
    return True


def _status(item: os.DirEntry[str]) -> os.stat_result | None:
    """Status of an entry; of the link itself when it leads nowhere; None when it has just vanished."""
    try:
        return item.stat()
    except FileNotFoundError:
        pass
    try:
        # A dangling link stays in the listing, so that reading it fails by name instead of losing rows.
        return item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
