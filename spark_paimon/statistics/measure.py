"""Taking the numbers of partitions from storage: listings on the caller, row counts through a callable."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, TypeVar

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.parallel import Progress, map_ordered, no_progress, reporting
from spark_paimon.statistics.values import UNKNOWN, PartitionStatistics
from spark_paimon.storage import Entry, Storage, storage_for

_Item = TypeVar("_Item")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class MeasuredDirectory:
    """A directory to be measured.

    Parameters
    ----------
    name
        What a warning calls it, such as ``dt=2025-01-01``.
    location
        Hadoop Path string.
    format
        Effective file format of every file in it, in lower case.
    """

    name: str
    location: str
    format: str


@dataclass(frozen=True)
class DataFile:
    """One data file whose rows are to be counted; picklable.

    Parameters
    ----------
    path
        Hadoop Path string.
    format
        File format in lower case.
    size
        Bytes.
    """

    path: str
    format: str
    size: int = UNKNOWN


RowCounter = Callable[[Sequence[DataFile]], Sequence["int | None"]]
"""Counts the rows of many files: one number a file in the same order, None where it could not be known.

It decides where that runs: threads here, or the executors of a Spark session.
"""


class ParallelRowCounter(Protocol):
    """A :data:`RowCounter` that is told how many files may be open at once."""

    def __call__(self, files: Sequence[DataFile], parallelism: int) -> Sequence[int | None]:
        """See :data:`RowCounter`."""


def deal(items: Sequence[_Item], hands: int) -> list[list[_Item]]:
    """Spread work over tasks: no task gets more than one item more than another, and neighbours are parted.

    The files of one huge partition lie next to each other, and perhaps so do the slow ones.

    Examples
    --------
    >>> deal("abcdefg", 3)
    [['a', 'd', 'g'], ['b', 'e'], ['c', 'f']]
    """
    return [list(items[start::hands]) for start in range(hands)]


@dataclass(frozen=True)
class CountTask:
    """Counts the rows of the files of one task; picklable, so that it runs in a Spark worker.

    Parameters
    ----------
    storage_options
        Credentials and the like of the catalog; the worker opens the storage anew.
    at_once
        Files that are open at once.
    """

    storage_options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    at_once: int = 1

    def __call__(self, files: Sequence[DataFile]) -> list[int | None]:
        """One number a file, in their order."""
        return map_ordered(
            lambda file: count_rows_of_file(file, storage_for(file.path, self.storage_options)),
            files,
            self.at_once,
        )


def count_rows_of_file(file: DataFile, storage: Storage | None = None) -> int | None:
    """Count the rows of one file from its footer; None, with a warning in the log, when it cannot be read.

    None without a warning where the format has no footer: counting never reads data.

    A module-level function of picklable values, so that it also runs in a Spark worker.
    """
    implementation = file_format(file.format)
    if not implementation.counts_rows:
        return None
    try:
        return implementation.count_rows(storage or storage_for(file.path), file.path)
    except errors.UnsupportedError:
        raise  # a package that is not installed: no file is to blame
    except Exception as error:
        # Damaged files make the libraries raise all kinds of errors.
        _LOG.warning("The row count of %s stays unknown: %s", file.path, error)
        return None


def count_rows(
    files: Sequence[DataFile],
    storage: Storage | None = None,
    parallelism: int = 8,
    progress: Progress = no_progress,
) -> list[int | None]:
    """Count rows with threads of this process; the :data:`RowCounter` where there is no Spark session."""

    def count(file: DataFile) -> int | None:
        return count_rows_of_file(file, storage)

    count_one = reporting(count, "files counted", len(files), progress)
    return map_ordered(count_one, files, parallelism)


def measure(
    storage: Storage,
    directories: Sequence[MeasuredDirectory],
    count_rows: RowCounter | None = None,
    parallelism: int = 8,
    metadata_directories: Collection[str] = (),
    progress: Progress = no_progress,
) -> list[PartitionStatistics]:
    """Measure directories and return one result for each, in their order.

    Parameters
    ----------
    storage
        Holds all of the directories.
    directories
        What to measure.
    count_rows
        Counts rows. None stops at the listing: the row counts stay unknown.
    parallelism
        Listings at once.
    metadata_directories
        Names directly below a directory that are not data (unpartitioned tables).
    progress
        Is told about each directory that is listed.

    Returns
    -------
    list of PartitionStatistics
        Files and bytes are exact, also zero for a missing directory; the time is that of the newest file.
        Rows are exact zero without files, and unknown when one file of the directory could not be counted, as
        those of a format without footers never can.

    Raises
    ------
    StorageError
        Some listing failed: nothing is reported rather than half of the numbers.
    """

    def data_files(directory: MeasuredDirectory) -> list[Entry]:
        try:
            return storage.data_files(directory.location, metadata_directories)
        except FileNotFoundError:
            return []

    for name in sorted({directory.format for directory in directories} if count_rows else ()):
        file_format(name)  # a format that is not built is refused before anything is listed
    list_one = reporting(data_files, "partitions listed", len(directories), progress)
    listings = map_ordered(list_one, directories, parallelism)
    rows = _rows(directories, listings, count_rows) if count_rows is not None else [UNKNOWN] * len(listings)
    return [
        PartitionStatistics(
            record_count=records,
            file_size_in_bytes=sum(entry.size for entry in entries),
            file_count=len(entries),
            last_file_creation_time=max((entry.modified_millis for entry in entries), default=UNKNOWN),
        )
        for entries, records in zip(listings, rows, strict=True)
    ]


def _rows(
    directories: Sequence[MeasuredDirectory], listings: Sequence[Sequence[Entry]], count_rows: RowCounter
) -> list[int]:
    # Files of all directories go out together: one directory may hold most of them.
    counted = {name: file_format(name).counts_rows for name in {each.format for each in directories}}
    files = [
        DataFile(entry.path, directory.format, entry.size)
        for directory, entries in zip(directories, listings, strict=True)
        if counted[directory.format]
        for entry in entries
    ]
    # Without files there is nothing to count and no reason to start a job.
    counts = list(count_rows(files)) if files else []
    if len(counts) != len(files):
        text = f"a row counter returned {len(counts)} numbers for {len(files)} files"
        raise errors.IllegalStateError("INTERNAL_ERROR", text=text)
    remaining = iter(counts)
    rows: list[int] = []
    for directory, entries in zip(directories, listings, strict=True):
        if not counted[directory.format]:
            rows.append(UNKNOWN if entries else 0)
            continue
        known = [number for number in islice(remaining, len(entries)) if number is not None and number >= 0]
        if len(known) == len(entries):
            rows.append(sum(known))
            continue
        rows.append(UNKNOWN)
        _LOG.warning(
            "The row count of partition %s stays unknown: %d of its %d files could not be counted",
            directory.name,
            len(entries) - len(known),
            len(entries),
        )
    return rows
