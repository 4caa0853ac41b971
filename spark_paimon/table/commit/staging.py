"""Publishing staged files, and taking back what must not stay."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from spark_paimon import errors
from spark_paimon.parallel import attempt_all, map_ordered
from spark_paimon.storage import is_below, parent
from spark_paimon.table.commit.files import StagedFile
from spark_paimon.table.format_table import FormatTable


class Publication:
    """The publication of the files of one write: which final names are this write's own."""

    def __init__(self, table: FormatTable, files: Sequence[StagedFile]) -> None:
        self._table = table
        self._files = files
        self._own: set[str] = set()
        self._published: set[str] = set()

    def run(self, parallelism: int) -> None:
        """Publish all files; after a failure no further one is started.

        Raises
        ------
        StorageError, FileNotFoundError
            The first failure, the others attached.
        """
        map_ordered(self._publish, self._files, parallelism)

    def _publish(self, file: StagedFile) -> None:
        try:
            self._table.storage.publish(file.staged, file.final)
        except errors.StorageError as error:
            # A name that was taken is somebody else's file. After any other failure the file may be there
            # already, and nobody else can have made it: the names are drawn at random.
            if error.condition != "FILE_EXISTS":
                self._own.add(file.final)
            raise
        except FileNotFoundError:
            raise
        except Exception:
            self._own.add(file.final)
            raise
        self._own.add(file.final)
        self._published.add(file.final)

    @property
    def own(self) -> Collection[str]:
        """Final paths that hold, or may hold, a file of this write."""
        return self._own

    @property
    def count(self) -> int:
        """How many files were published."""
        return len(self._published)


def discard(
    table: FormatTable, files: Sequence[StagedFile], published: Collection[str] = ()
) -> list[Exception]:
    """Remove staged files, and those published ones that are named; return the failures after trying every
    file.
    """
    paths = sorted(published) + [file.staged for file in files]
    failures = attempt_all(table.storage.delete_file, paths)
    return failures + attempt_all(table.storage.remove_empty_directory, _made_directories(table, files))


def _made_directories(table: FormatTable, files: Sequence[StagedFile]) -> Iterator[str]:
    """Directories that a task may have made, inner ones first; they are only removed when nothing is in
    them.
    """
    staging = {parent(file.staged) for file in files}
    yield from sorted(staging)
    made: set[str] = set()
    for file in files:
        directory = parent(file.final) if file.created_directory else table.location
        while is_below(directory, table.location):
            made.add(directory)
            directory = parent(directory)
    yield from sorted(made, key=len, reverse=True)
