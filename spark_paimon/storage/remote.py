"""Everything that is not the local file system, through fsspec."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any, BinaryIO, cast

import fsspec

from spark_paimon import errors
from spark_paimon.storage.base import Entry, Storage
from spark_paimon.storage.paths import authority_of, join, parent, scheme_of

# Hadoop's scheme names where fsspec has another one.
_PROTOCOLS = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "wasb": "abfs", "wasbs": "abfs"}
_EXTRAS = {"s3": "s3", "gs": "gcs", "abfs": "azure", "abfss": "azure", "az": "azure"}
# File systems whose rmdir is known to refuse a directory that is not empty. Elsewhere it may be recursive
# (Arrow's HDFS) or there are no directories at all.
_PLAIN_RMDIR = {"memory", "sftp", "ssh"}
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")


class FsspecStorage(Storage):
    """One fsspec file system.

    Parameters
    ----------
    location
        Any location on it; says scheme and authority.
    options
        fsspec storage options (credentials, endpoint). They never appear in a repr or an error.
    """

    def __init__(self, location: str, options: Mapping[str, Any] | None = None) -> None:
        self._scheme = scheme_of(location)
        self._protocol = _PROTOCOLS.get(self._scheme, self._scheme)
        self._authority = authority_of(location)
        self._options = dict(options or {})
        self._fs = self._open()

    def _open(self) -> Any:
        arguments: dict[str, Any] = {"use_listings_cache": False, **self._options}
        if self._protocol in ("hdfs", "webhdfs") and self._authority:
            host, _, port = self._authority.partition(":")
            arguments.setdefault("host", host)
            if port:
                arguments.setdefault("port", int(port))
        try:
            return fsspec.filesystem(self._protocol, **arguments)
        except ImportError as error:
            extra = _EXTRAS.get(self._protocol)
            hint = (
                f"pip install 'spark-paimon[{extra}]'"
                if extra
                else f"install what fsspec needs for it ({error.name})"
            )
            raise errors.UnsupportedError("STORAGE_EXTRA_MISSING", scheme=self._scheme, hint=hint) from error
        except ValueError as error:
            raise errors.UnsupportedError("STORAGE_SCHEME_UNKNOWN", scheme=self._scheme) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return FsspecStorage, (f"{self._scheme}://{self._authority}/", self._options)

    def __repr__(self) -> str:
        return f"FsspecStorage({self._scheme!r})"

    def _native(self, path: str) -> str:
        """The path as the file system's own methods want it; cut by hand so that every character stays."""
        rest = path[len(scheme_of(path)) + 1 :]
        if self._protocol == "memory":
            return "/" + rest.lstrip("/")
        if self._protocol in ("hdfs", "webhdfs", "sftp", "ssh"):
            return "/" + rest.lstrip("/").partition("/")[2] if rest.startswith("//") else rest
        return rest.lstrip("/")

    def _failure(self, operation: str, path: str, error: BaseException) -> errors.StorageError:
        return errors.StorageError(
            "STORAGE_FAILED", operation=operation, path=path, reason=f"{type(error).__name__}: {error}"
        )

    def list_directory(self, path: str) -> list[Entry]:
        """See :meth:`Storage.list_directory`."""
        native = self._native(path).rstrip("/")
        try:
            listed = self._fs.ls(native or "/", detail=True)
        except FileNotFoundError:
            raise
        except Exception as error:
            raise self._failure("list directory", path, error) from error
        prefix = path.rstrip("/") + "/"
        entries: dict[str, Entry] = {}
        for info in listed:
            full = str(info["name"]).rstrip("/")
            head, _, name = full.rpartition("/")
            is_self = full.strip("/") == native.strip("/")
            if is_self and info.get("type") == "file" and info.get("size"):
                reason = "it is a file"
                raise errors.StorageError(
                    "STORAGE_FAILED", operation="list directory", path=path, reason=reason
                )
            # An object store also lists the marker object of the directory itself.
            if is_self or not name or head.strip("/") != native.strip("/"):
                continue
            is_directory = info.get("type") == "directory"
            size = 0 if is_directory else int(info.get("size") or 0)
            entries[name] = Entry(name, prefix + name, is_directory, size, _millis(info))
        return [entries[name] for name in sorted(entries)]

    def exists(self, path: str) -> bool:
        """See :meth:`Storage.exists`."""
        return self._info(path) is not None

    def is_directory(self, path: str) -> bool:
        """See :meth:`Storage.is_directory`."""
        info = self._info(path)
        return info is not None and info.get("type") == "directory"

    def _info(self, path: str) -> Mapping[str, Any] | None:
        # fs.exists() answers False on any failure, credentials included.
        try:
            return cast("Mapping[str, Any]", self._fs.info(self._native(path)))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._failure("look at", path, error) from error

    def leads_back(self, link: str, came_by: Collection[str] = ()) -> bool:
        """See :meth:`Storage.leads_back`: listings of fsspec say nothing about links."""
        return False

    def file_size(self, path: str) -> int:
        """See :meth:`Storage.file_size`."""
        info = self._info(path)
        if info is None:
            raise FileNotFoundError(path)
        return int(info["size"])

    def make_directory(self, path: str) -> None:
        """See :meth:`Storage.make_directory`."""
        try:
            self._fs.makedirs(self._native(path), exist_ok=True)
        except Exception as error:
            raise self._failure("create directory", path, error) from error

    def publish(self, staged: str, final: str) -> None:
        """See :meth:`Storage.publish`."""
        if not self.exists(staged):
            raise FileNotFoundError(staged)
        if self.exists(final):
            raise errors.StorageError("FILE_EXISTS", path=final)
        self.make_directory(parent(final))
        source, target = self._native(staged), self._native(final)
        try:
            # The generic mv() expands glob characters; only a file system's own one is exact.
            if type(self._fs).mv is not fsspec.AbstractFileSystem.mv:
                self._fs.mv(source, target)
            else:
                self._fs.cp_file(source, target)
                self._fs.rm_file(source)
        except Exception as error:
            raise self._failure("publish", final, error) from error

    def write_new(self, path: str, content: bytes) -> bool:
        """See :meth:`Storage.write_new`."""
        if self.exists(path):
            return False
        self.make_directory(parent(path))
        try:
            self._fs.pipe_file(self._native(path), content, mode="create")
        except FileExistsError:
            return False
        except Exception as error:
            raise self._failure("write", path, error) from error
        return True

    def delete_file(self, path: str) -> None:
        """See :meth:`Storage.delete_file`."""
        try:
            self._fs.rm_file(self._native(path))
        except FileNotFoundError:
            return
        except Exception as error:
            raise errors.StorageError("FILE_NOT_DELETED", path=path, reason=str(error)) from error
        if self.exists(path):
            raise errors.StorageError("FILE_NOT_DELETED", path=path, reason="it is still there")

    def delete_directory(self, path: str) -> None:
        """See :meth:`Storage.delete_directory`."""
        reason = "it is still there"
        try:
            self._remove_tree(path)
        except FileNotFoundError:
            pass
        except Exception as error:
            reason = str(error)
        if self.exists(path):
            raise errors.StorageError("DIRECTORY_NOT_DELETED", path=path, reason=reason)

    def _remove_tree(self, path: str) -> None:
        # fs.rm() would expand glob characters of the path.
        for entry in self.list_directory(path):
            if entry.is_directory:
                self._remove_tree(entry.path)
            else:
                self.delete_file(entry.path)
        # A directory of an object store ends with its last object.
        with suppress(FileNotFoundError, NotImplementedError, FileExistsError):
            self._fs.rmdir(self._native(path))

    def remove_empty_directory(self, path: str) -> bool:
        """See :meth:`Storage.remove_empty_directory`."""
        if self._protocol not in _PLAIN_RMDIR:
            return False
        try:
            if self.list_directory(path):
                return False
            self._fs.rmdir(self._native(path))
        except FileNotFoundError:
            return False
        except OSError:
            return False
        return True

    def move_directory(self, source: str, target: str) -> None:
        """See :meth:`Storage.move_directory`."""
        if self.exists(target):
            raise errors.StorageError("FILE_EXISTS", path=target)
        self.make_directory(target)
        for entry in self.list_directory(source):
            goal = join(target, entry.name)
            if entry.is_directory:
                self.move_directory(entry.path, goal)
            else:
                self.publish(entry.path, goal)
        self.delete_directory(source)

    def open_input(self, path: str) -> BinaryIO:
        """See :meth:`Storage.open_input`."""
        try:
            return cast(BinaryIO, self._fs.open(self._native(path), "rb"))
        except FileNotFoundError:
            raise
        except Exception as error:
            raise self._failure("read", path, error) from error

    def open_output(self, path: str) -> BinaryIO:
        """See :meth:`Storage.open_output`."""
        if self.exists(path):
            raise errors.StorageError("FILE_EXISTS", path=path)
        self.make_directory(parent(path))
        try:
            return cast(BinaryIO, self._fs.open(self._native(path), "wb"))
        except Exception as error:
            raise self._failure("write", path, error) from error


def _millis(info: Mapping[str, Any]) -> int:
    for key in _TIMES:
        value = info.get(key)
        if isinstance(value, datetime):
            moment = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
            return int(moment.timestamp() * 1000)
        if isinstance(value, (int, float)):
            return int(value * 1000)
        if isinstance(value, str):
            try:
                return int(datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() * 1000)
            except ValueError:
                continue
    return -1
