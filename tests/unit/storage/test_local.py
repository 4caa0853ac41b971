from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.storage import Entry, Storage, join, storage_for
from spark_paimon.storage.local import LocalStorage
from tests.unit.storage.contract import StorageContract


class TestLocalStorage(StorageContract):
    @pytest.fixture
    def root(self, tmp_path: Path) -> str:
        (tmp_path / "root").mkdir()
        return f"file:{tmp_path}/root"

    @pytest.fixture
    def storage(self, root: str) -> Storage:
        return storage_for(root)

    @pytest.mark.parametrize("name", ["new\nline", "tab\t", "trailing ", "\x01", "x" * 255])
    def test_every_name_that_the_system_allows(self, storage: Storage, root: str, name: str) -> None:
        storage.make_directory(join(root, name))
        assert [entry.name for entry in storage.list_directory(root)] == [name]
        assert storage.is_directory(join(root, name))
        assert storage.remove_empty_directory(join(root, name))

    def test_a_directory_that_another_removes_while_it_is_created(
        self, storage: Storage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It was there when it was to be created, and gone when that was looked at."""
        storage.make_directory(join(root, "d"))
        make = os.mkdir

        def racing(path: str, mode: int = 0o777) -> None:
            try:
                make(path, mode)
            except FileExistsError:
                Path(path).rmdir()
                raise

        monkeypatch.setattr(os, "mkdir", racing)
        storage.make_directory(join(root, "d"))
        assert storage.is_directory(join(root, "d"))

    def test_a_directory_that_disappears_during_the_walk_is_skipped(
        self, storage: Storage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage.write_new(join(root, "a/x"), b"")
        storage.write_new(join(root, "b/x"), b"")
        listed = LocalStorage.list_directory

        def vanish(self: LocalStorage, path: str) -> list[Entry]:
            found = listed(self, path)
            if path == root:
                self.delete_directory(join(root, "a"))
            return found

        monkeypatch.setattr(LocalStorage, "list_directory", vanish)
        assert [entry.path for entry in storage.data_files(root)] == [join(root, "b/x")]

    def test_a_listing_that_breaks_in_the_middle_is_an_error(
        self, storage: Storage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage.write_new(join(root, "a/x"), b"")
        real = os.scandir

        def broken(path: str) -> object:
            if path.endswith("/a"):
                raise PermissionError(errno.EACCES, "Permission denied")
            return real(path)

        monkeypatch.setattr(os, "scandir", broken)
        with pytest.raises(errors.StorageError, match=r"list directory.*/a.*Permission denied"):
            storage.data_files(root)

    def test_looking_that_fails_is_not_an_absence(
        self, storage: Storage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(path: str) -> object:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(os, "stat", broken)
        with pytest.raises(errors.StorageError):
            storage.exists(join(root, "x"))

    def test_a_dangling_link_stays_in_the_listing(self, storage: Storage, root: str, tmp_path: Path) -> None:
        (tmp_path / "root" / "part").symlink_to("nowhere")
        assert [entry.name for entry in storage.data_files(root)] == ["part"]

    def test_a_link_to_a_directory_is_followed_but_not_deleted_through(
        self, storage: Storage, root: str, tmp_path: Path
    ) -> None:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "x").write_bytes(b"1")
        (tmp_path / "root" / "dt=1").symlink_to(elsewhere)
        assert [entry.path for entry in storage.data_files(root)] == [join(root, "dt=1/x")]
        storage.delete_directory(join(root, "dt=1"))
        assert (elsewhere / "x").exists()
        assert storage.list_directory(root) == []

    @pytest.mark.parametrize("target", [".", "..", "../.."])
    def test_a_link_to_a_directory_that_holds_it_is_not_followed(
        self, storage: Storage, root: str, tmp_path: Path, target: str
    ) -> None:
        deep = tmp_path / "root" / "dt=1" / "below"
        deep.mkdir(parents=True)
        for folder in (deep, deep.parent):
            (folder / "x").write_bytes(b"1")
            (folder / "link").symlink_to(target)
        found = [entry.path for entry in storage.data_files(join(root, "dt=1"))]
        assert found == [join(root, "dt=1/below/x"), join(root, "dt=1/x")]

    def test_links_in_a_circle_end(self, storage: Storage, root: str, tmp_path: Path) -> None:
        for name, other in (("dt=1", "dt=2"), ("dt=2", "dt=1")):
            (tmp_path / "root" / name).mkdir()
            (tmp_path / "root" / name / "x").write_bytes(b"1")
            (tmp_path / "root" / name / "to").symlink_to(tmp_path / "root" / other)
        found = [entry.path for entry in storage.data_files(join(root, "dt=1"))]
        assert found == [join(root, "dt=1/to/x"), join(root, "dt=1/x")]

    def test_a_refused_deletion_names_the_file(
        self, storage: Storage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage.write_new(join(root, "t/x"), b"")

        def refuse(*_args: object, **_options: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(os, "unlink", refuse)
        with pytest.raises(errors.StorageError, match=r"was not deleted.*Permission denied") as caught:
            storage.delete_file(join(root, "t/x"))
        assert caught.value.condition == "FILE_NOT_DELETED"
        with pytest.raises(errors.StorageError, match="was not deleted") as caught:
            storage.delete_directory(join(root, "t"))
        assert caught.value.condition == "DIRECTORY_NOT_DELETED"

    def test_without_hard_links_nothing_is_overwritten_either(
        self, storage: Storage, root: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_args: object) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)
        staged = join(root, "_staged")
        assert storage.write_new(staged, b"new")
        assert not storage.write_new(staged, b"other")
        storage.publish(staged, join(root, "final"))
        assert storage.read_bytes(join(root, "final")) == b"new"
        storage.write_new(staged, b"again")
        with pytest.raises(errors.StorageError):
            storage.publish(staged, join(root, "final"))

    def test_of_many_writers_of_one_name_exactly_one_wins(self, storage: Storage, root: str) -> None:
        start = threading.Barrier(8)
        won: list[int] = []

        def write(number: int) -> None:
            start.wait()
            if storage.write_new(join(root, "schema-0"), str(number).encode()):
                won.append(number)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        assert storage.read_bytes(join(root, "schema-0")) == str(won[0]).encode()
        assert len(storage.list_directory(root)) == 1
