"""One task's files: opened as rows need them, closed when they are large enough, removed when it fails."""

from __future__ import annotations

import logging
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format.base import FileWriter
from spark_paimon.partition.layout import Spec
from spark_paimon.storage import Storage, join, parent
from spark_paimon.table.commit.files import STAGED_PREFIX, STAGING, StagedFile
from spark_paimon.table.write.batches import conform
from spark_paimon.table.write.routing import split
from spark_paimon.table.write.settings import WriteSettings

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow

_LOG = logging.getLogger(__name__)

OPEN_FILES = 64
"""Files that are written at the same time; each holds buffers."""
_SIZE_CHECK_ROWS = 1000
# Text of a row may be this much longer than its values in memory.
_LARGEST_GROWTH = 4


@dataclass
class _Partition:
    """What is known of a partition in this task: all of its files share a uuid and count on."""

    directory: str
    uuid: str = field(default_factory=lambda: str(uuid.uuid4()))
    files: int = 0


@dataclass
class _OpenFile:
    staged: StagedFile
    writer: FileWriter
    rows: int = 0
    next_check: int = 0


class StagedWriter:
    """Writes rows of a table to files that nobody sees before a commit publishes them.

    Rows may come in any order. Files that cannot stay open until the end, because there are too many
    partitions, are closed and followed by another one.

    Parameters
    ----------
    settings
        Where and how.
    open_files
        Most files that are open at the same time. One is enough for rows that come sorted by partition.
    announce
        Called with every file before it is created, so that somebody else can remove it if this process dies.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow
    >>> from spark_paimon.catalog import load_catalog
    >>> from spark_paimon.schema import BigIntType, Field, Schema
    >>> from spark_paimon.table.commit import WriteMode, commit
    >>> catalog = load_catalog({"metastore": "embedded", "warehouse": tempfile.mkdtemp()})
    >>> options = {"type": "format-table"}
    >>> _ = catalog.create_table("default.t", Schema((Field(0, "id", BigIntType()),), options=options))
    >>> table = catalog.get_table("default.t")
    >>> with StagedWriter(WriteSettings.of(table)) as writer:
    ...     writer.write(pyarrow.record_batch({"id": [1, 2]}))
    ...     files = writer.finish()
    >>> commit(table, files, WriteMode.APPEND)
    CommitReport(written=(), replaced=(), warnings=())
    """

    def __init__(
        self,
        settings: WriteSettings,
        *,
        open_files: int = OPEN_FILES,
        announce: Callable[[StagedFile], None] | None = None,
    ) -> None:
        self._settings = settings
        self._limit = max(1, open_files)
        self._announce = announce
        self._partitions: dict[tuple[str, ...], _Partition] = {}
        # In the order of their last use.
        self._open: OrderedDict[tuple[str, ...], _OpenFile] = OrderedDict()
        self._begun: list[StagedFile] = []
        self._finished: list[StagedFile] = []

    def __enter__(self) -> StagedWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.abort()

    def write(self, batch: pyarrow.RecordBatch) -> None:
        """Append rows, with all columns of the table.

        Raises
        ------
        InvalidInputError
            Rows that the table cannot hold; see :func:`.batches.conform` and :func:`.routing.split`. The task
            has to be given up with :meth:`abort` after any error.
        """
        settings = self._settings
        batch = conform(batch, settings.schema, settings.columns, settings.table)
        for spec, piece in split(batch, settings.layout):
            self._append(spec, self._without_keys(piece))

    def finish(self) -> list[StagedFile]:
        """Complete all files, in the order in which they were completed."""
        while self._open:
            self._close(next(iter(self._open)))
        return list(self._finished)

    def abort(self) -> None:
        """Remove every file, and every directory that was made for one; an error is logged, never raised."""
        while self._open:
            _, file = self._open.popitem()
            with suppress(Exception):
                file.writer.close()
        remove_staged(self._settings.storage, self._settings.location, self._begun)
        self._begun, self._finished = [], []

    def _without_keys(self, piece: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        import pyarrow as pa

        schema = self._settings.stored_schema
        if len(schema) == piece.num_columns:
            return piece
        return pa.RecordBatch.from_arrays([piece.column(name) for name in schema.names], schema=schema)

    def _append(self, spec: Spec, rows: pyarrow.RecordBatch) -> None:
        key = tuple(spec.values())
        while rows.num_rows:
            file = self._open.get(key) or self._begin(key, spec, rows)
            self._open.move_to_end(key)
            step = min(rows.num_rows, file.next_check - file.rows, self._settings.target_rows - file.rows)
            file.writer.write(rows.slice(0, step))
            file.rows += step
            rows = rows.slice(step)
            if self._is_full(file):
                self._close(key)

    def _begin(self, key: tuple[str, ...], spec: Spec, rows: pyarrow.RecordBatch) -> _OpenFile:
        settings, storage = self._settings, self._settings.storage
        while len(self._open) >= self._limit:
            self._close(next(iter(self._open)))
        partition = self._partitions.get(key)
        if partition is None:
            directory = join(settings.location, settings.layout.path(spec)) if spec else settings.location
            partition = self._partitions[key] = _Partition(directory)
        name = f"{settings.file_prefix}{partition.uuid}-{partition.files}{settings.extension}"
        partition.files += 1
        staged = StagedFile(
            spec=spec,
            staged=join(join(partition.directory, STAGING), STAGED_PREFIX + str(uuid.uuid4())),
            final=join(partition.directory, name),
            created_directory=not storage.exists(partition.directory),
        )
        self._begun.append(staged)
        if self._announce is not None:
            self._announce(staged)
        writer = settings.file_format.open_writer(storage, staged.staged, settings.request)
        file = _OpenFile(staged, writer, next_check=self._first_check(rows))
        self._open[key] = file
        return file

    def _first_check(self, rows: pyarrow.RecordBatch) -> int:
        in_memory: int = max(1, rows.nbytes // rows.num_rows)
        return max(_SIZE_CHECK_ROWS, self._settings.target_size // (in_memory * _LARGEST_GROWTH))

    def _is_full(self, file: _OpenFile) -> bool:
        if file.rows >= self._settings.target_rows:
            return True
        if file.rows < file.next_check:
            return False
        size = file.writer.size()
        left = self._settings.target_size - size
        if left <= 0:
            return True
        # Half of what probably fits: the rows to come may be longer.
        file.next_check = file.rows + max(_SIZE_CHECK_ROWS, left * file.rows // max(1, size) // 2)
        return False

    def _close(self, key: tuple[str, ...]) -> None:
        file = self._open.pop(key)
        file.writer.close()
        size = self._settings.storage.file_size(file.staged.staged)
        self._finished.append(replace(file.staged, rows=file.rows, size=size))


def remove_staged(storage: Storage, location: str, files: Iterable[StagedFile]) -> None:
    """Remove files of a task that failed, and the directories that it made for them where they are empty.

    What cannot be removed stays invisible, and never hides the error that the task failed with.
    """
    files = list(files)
    for file in files:
        _attempt(storage.delete_file, file.staged)
    # Not before all files are gone: those of one partition share its directories.
    for file in files:
        _attempt(storage.remove_empty_directory, parent(file.staged))
        directory = parent(file.final)
        while file.created_directory and len(directory) > len(location):
            _attempt(storage.remove_empty_directory, directory)
            directory = parent(directory)


def _attempt(remove: Callable[[str], object], path: str) -> None:
    try:
        remove(path)
    except (errors.PaimonError, OSError) as error:
        _LOG.warning("%s of a failed write stays, and stays invisible: %s", path, error)
