from __future__ import annotations

import uuid

import pytest

from spark_paimon import errors
from spark_paimon.storage import Storage, join, storage_for
from spark_paimon.storage.remote import FsspecStorage
from tests.unit.storage.contract import StorageContract


class TestFsspecStorage(StorageContract):
    @pytest.fixture
    def root(self) -> str:
        return f"memory:/{uuid.uuid4()}"

    @pytest.fixture
    def storage(self, root: str) -> Storage:
        storage = storage_for(root)
        storage.make_directory(root)
        return storage

    def test_an_error_of_the_service_is_no_absence(
        self, storage: FsspecStorage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def denied(*_args: object, **_options: object) -> None:
            raise PermissionError("AccessDenied")

        monkeypatch.setattr(storage._fs, "info", denied)
        monkeypatch.setattr(storage._fs, "ls", denied)
        with pytest.raises(errors.StorageError, match="AccessDenied"):
            storage.exists(root)
        with pytest.raises(errors.StorageError, match="AccessDenied"):
            storage.list_directory(root)

    def test_a_deletion_that_did_nothing_is_an_error(
        self, storage: FsspecStorage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = self.put(storage, join(root, "x"))
        monkeypatch.setattr(storage._fs, "rm_file", lambda _path: None)
        with pytest.raises(errors.StorageError, match="still there"):
            storage.delete_file(path)


def test_credentials_are_never_shown() -> None:
    storage = storage_for("memory:/a", {"key": "public", "secret": "s3cr3t"})
    assert "s3cr3t" not in repr(storage)


def test_a_missing_package_is_one_sentence_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_args: object, **_options: object) -> None:
        raise ImportError("no s3fs")

    monkeypatch.setattr("fsspec.filesystem", missing)
    with pytest.raises(errors.UnsupportedError, match=r"pip install 'spark-paimon\[s3\]'"):
        storage_for("s3a://bucket/a")
