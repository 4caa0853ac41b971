"""What every storage does; an implementation inherits the class and says where to work."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from spark_paimon import errors
from spark_paimon.storage import Storage, is_hidden, join

# Names that have broken path handling somewhere.
NAMES = [
    "a b",
    "a%3Ab",
    "a=b",
    "é",
    "😀",
    "x*",
    "[x]",
    "{x}",
    "q?",
    "it's",
    '"',
    "back\\slash",
    "plus+",
    "#h",
    "~",
    "-r",
]


class StorageContract:
    """Inherit and give fixtures ``storage`` and ``root`` (an existing, empty directory)."""

    def put(self, storage: Storage, path: str, content: bytes = b"x") -> str:
        assert storage.write_new(path, content)
        return path

    @pytest.mark.parametrize("name", NAMES)
    def test_names_are_exact(self, storage: Storage, root: str, name: str) -> None:
        path = self.put(storage, join(root, f"{name}/{name}"), b"content")
        assert [entry.name for entry in storage.list_directory(root)] == [name]
        assert [entry.path for entry in storage.data_files(root)] == [path]
        assert storage.read_bytes(path) == b"content"
        moved = join(root, f"{name}/moved {name}")
        storage.publish(path, moved)
        assert storage.exists(moved)
        assert not storage.exists(path)
        storage.delete_file(moved)
        assert not storage.exists(moved)
        storage.delete_directory(join(root, name))
        assert storage.list_directory(root) == []

    def test_a_listing_is_sorted_and_says_what_is_what(self, storage: Storage, root: str) -> None:
        for name in ("b", "a", "_h", "B"):
            self.put(storage, join(root, name), b"12345")
        self.put(storage, join(root, "d/x"))
        listed = storage.list_directory(root)
        assert [entry.name for entry in listed] == ["B", "_h", "a", "b", "d"]
        assert [entry.is_directory for entry in listed] == [False, False, False, False, True]
        assert [entry.size for entry in listed][:4] == [5, 5, 5, 5]
        assert all(entry.modified_millis > 1_600_000_000_000 for entry in listed if not entry.is_directory)
        assert listed[0].path == join(root, "B")

    def test_a_missing_directory_is_not_an_empty_one(self, storage: Storage, root: str) -> None:
        with pytest.raises(FileNotFoundError):
            storage.list_directory(join(root, "missing"))
        with pytest.raises(FileNotFoundError):
            storage.data_files(join(root, "missing"))

    def test_listing_a_file_is_an_error(self, storage: Storage, root: str) -> None:
        path = self.put(storage, join(root, "file"))
        with pytest.raises(errors.StorageError):
            storage.list_directory(path)

    def test_p07_hidden_names_are_no_data_below_the_directory_only(self, storage: Storage, root: str) -> None:
        table = join(root, "_warehouse/.t")
        kept = [self.put(storage, join(table, name)) for name in ("00000_0", "sub/deep/x.parquet")]
        for name in (
            "_SUCCESS",
            ".crc",
            "_temporary/0/part",
            ".hive-staging_1/part",
            "sub/__magic_job-1/part",
        ):
            self.put(storage, join(table, name))
        self.put(storage, join(table, "empty"), b"")
        assert [entry.path for entry in storage.data_files(table)] == sorted([*kept, join(table, "empty")])

    def test_metadata_directories_are_left_out_at_the_top_only(self, storage: Storage, root: str) -> None:
        self.put(storage, join(root, "schema/schema-0"))
        deeper = self.put(storage, join(root, "dt=1/schema/part"))
        file = self.put(storage, join(root, "branch"))
        assert [e.path for e in storage.data_files(root, ("schema", "branch"))] == [file, deeper]

    def test_a_file_has_a_size(self, storage: Storage, root: str) -> None:
        path = self.put(storage, join(root, "dt=1/x"), b"12345")
        assert storage.file_size(path) == 5
        with pytest.raises(FileNotFoundError):
            storage.file_size(join(root, "dt=1/missing"))

    def test_p48_publishing_never_overwrites(self, storage: Storage, root: str) -> None:
        staged = self.put(storage, join(root, "_staging/x"), b"new")
        final = self.put(storage, join(root, "dt=1/x"), b"old")
        with pytest.raises(errors.StorageError) as caught:
            storage.publish(staged, final)
        assert caught.value.condition == "FILE_EXISTS"
        assert storage.read_bytes(final) == b"old"
        assert storage.read_bytes(staged) == b"new"

    def test_publishing_creates_the_directory(self, storage: Storage, root: str) -> None:
        staged = self.put(storage, join(root, "_staging/x"), b"new")
        storage.publish(staged, join(root, "dt=2/hh=1/x"))
        assert storage.read_bytes(join(root, "dt=2/hh=1/x")) == b"new"
        with pytest.raises(FileNotFoundError):
            storage.publish(staged, join(root, "dt=2/hh=1/y"))

    def test_a_new_file_appears_with_its_content_or_not_at_all(self, storage: Storage, root: str) -> None:
        path = join(root, "schema/schema-0")
        assert storage.write_new(path, b"first")
        assert not storage.write_new(path, b"second")
        assert storage.read_bytes(path) == b"first"
        assert [entry.name for entry in storage.list_directory(join(root, "schema"))] == ["schema-0"]

    def test_deleting_what_is_missing_is_fine(self, storage: Storage, root: str) -> None:
        storage.delete_file(join(root, "missing"))
        storage.delete_directory(join(root, "missing"))
        assert not storage.remove_empty_directory(join(root, "missing"))

    def test_a_directory_is_deleted_with_everything_in_it(self, storage: Storage, root: str) -> None:
        self.put(storage, join(root, "t/_hidden/.x"))
        self.put(storage, join(root, "t/a/b/c"))
        storage.delete_directory(join(root, "t"))
        assert not storage.exists(join(root, "t"))

    def test_only_an_empty_directory_is_removed(self, storage: Storage, root: str) -> None:
        self.put(storage, join(root, "full/.x"))
        assert not storage.remove_empty_directory(join(root, "full"))
        assert storage.exists(join(root, "full/.x"))
        storage.make_directory(join(root, "empty"))
        storage.make_directory(join(root, "empty"))
        assert storage.is_directory(join(root, "empty"))
        assert storage.remove_empty_directory(join(root, "empty"))
        assert not storage.exists(join(root, "empty"))

    def test_output_is_created_with_its_directory_and_never_overwrites(
        self, storage: Storage, root: str
    ) -> None:
        path = join(root, "new/out")
        with storage.open_output(path) as stream:
            stream.write(b"abc")
        with storage.open_input(path) as stream:
            stream.seek(1)
            assert stream.read() == b"bc"
        with pytest.raises(errors.StorageError):
            storage.open_output(path)
        with pytest.raises(FileNotFoundError):
            storage.open_input(join(root, "missing"))

    def test_a_directory_moves_with_its_content_but_takes_no_place(self, storage: Storage, root: str) -> None:
        self.put(storage, join(root, "old/a/x"), b"1")
        storage.make_directory(join(root, "taken"))
        with pytest.raises(errors.StorageError):
            storage.move_directory(join(root, "old"), join(root, "taken"))
        storage.move_directory(join(root, "old"), join(root, "db/new"))
        assert storage.read_bytes(join(root, "db/new/a/x")) == b"1"
        assert not storage.exists(join(root, "old"))

    def test_a_storage_survives_pickling(self, storage: Storage, root: str) -> None:
        self.put(storage, join(root, "x"), b"1")
        assert pickle.loads(pickle.dumps(storage)).read_bytes(join(root, "x")) == b"1"

    def test_many_threads_may_list_at_once(self, storage: Storage, root: str) -> None:
        for number in range(20):
            self.put(storage, join(root, f"d{number}/x"))
        with ThreadPoolExecutor(16) as pool:
            listed = list(pool.map(lambda n: storage.data_files(join(root, f"d{n % 20}")), range(200)))
        assert all(len(files) == 1 for files in listed)


def test_hidden_names() -> None:
    assert [name for name in ("_a", ".a", "a_", "dt=_a", "") if is_hidden(name)] == ["_a", ".a"]
