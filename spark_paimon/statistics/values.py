"""The five numbers that a catalog holds about a partition, and the one rule by which reports are combined
with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UNKNOWN = -1
"""What an unknown number is written as. Every negative number reads as unknown; zero is a measurement."""

LARGEST = 2**63 - 1
"""The largest number that a catalog holds; a sum beyond it is unknown."""


@dataclass(frozen=True)
class PartitionStatistics:
    """What is known about the committed data files of one partition.

    Parameters
    ----------
    record_count
        Rows.
    file_size_in_bytes
        Sum of the lengths of the data files, in bytes.
    file_count
        Number of data files.
    last_file_creation_time
        Epoch milliseconds: of the commit that wrote last, of the newest file when measured, of the
        truncation.
    total_buckets
        Always unknown for format tables; carried for the wire format.

    Notes
    -----
    A negative number means unknown and is normalised to :data:`UNKNOWN`, as is one beyond :data:`LARGEST`.
    Zero is exact.

    Examples
    --------
    >>> PartitionStatistics(record_count=3, file_count=1).file_size_in_bytes
    -1
    """

    record_count: int = UNKNOWN
    file_size_in_bytes: int = UNKNOWN
    file_count: int = UNKNOWN
    last_file_creation_time: int = UNKNOWN
    total_buckets: int = UNKNOWN

    def __post_init__(self) -> None:
        # Written out, because listings make these by the thousand.
        if not (
            UNKNOWN <= self.record_count <= LARGEST
            and UNKNOWN <= self.file_size_in_bytes <= LARGEST
            and UNKNOWN <= self.file_count <= LARGEST
            and UNKNOWN <= self.last_file_creation_time <= LARGEST
            and UNKNOWN <= self.total_buckets <= LARGEST
        ):
            for name in _FIELDS:
                if not UNKNOWN <= getattr(self, name) <= LARGEST:
                    object.__setattr__(self, name, UNKNOWN)

    @classmethod
    def unknown(cls) -> PartitionStatistics:
        """Nothing is known, as after a registration alone.

        Examples
        --------
        >>> PartitionStatistics.unknown().is_unknown
        True
        """
        return cls()

    @classmethod
    def exact_zero(cls, now_millis: int) -> PartitionStatistics:
        """No rows, no bytes, no files, known exactly since ``now_millis``.

        Examples
        --------
        >>> PartitionStatistics.exact_zero(7).record_count
        0
        """
        return cls(0, 0, 0, now_millis)

    @property
    def is_unknown(self) -> bool:
        """Whether no number is known."""
        return all(getattr(self, name) == UNKNOWN for name in _FIELDS)

    def to_json(self) -> dict[str, int]:
        """The fields under their names on the wire.

        Examples
        --------
        >>> PartitionStatistics(record_count=3).to_json()["recordCount"]
        3
        """
        # Written out, because pages of listings have these by the thousand.
        return {
            "recordCount": self.record_count,
            "fileSizeInBytes": self.file_size_in_bytes,
            "fileCount": self.file_count,
            "lastFileCreationTime": self.last_file_creation_time,
            "totalBuckets": self.total_buckets,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PartitionStatistics:
        """Read the fields from their names on the wire; absent and null numbers are unknown.

        Examples
        --------
        >>> PartitionStatistics.from_json({"recordCount": 3, "fileCount": None}).file_count
        -1
        """
        return cls(
            **{name: UNKNOWN if data.get(wire) is None else int(data[wire]) for name, wire in _FIELDS.items()}
        )


_FIELDS = {
    "record_count": "recordCount",
    "file_size_in_bytes": "fileSizeInBytes",
    "file_count": "fileCount",
    "last_file_creation_time": "lastFileCreationTime",
    "total_buckets": "totalBuckets",
}


def combine(stored: PartitionStatistics, reported: PartitionStatistics, replace: bool) -> PartitionStatistics:
    """What a catalog holds after a report.

    Parameters
    ----------
    stored
        What it held before.
    reported
        What the report says. An unknown number leaves the stored one as it was.
    replace
        Whether known numbers take the place of the stored ones. Otherwise counts are summed (onto nothing
        when the stored one is unknown) and the time is the later of both.

    Examples
    --------
    >>> before = PartitionStatistics(record_count=3, file_size_in_bytes=300, file_count=1)
    >>> combine(before, PartitionStatistics(record_count=4, file_count=2), replace=False).to_json()
    {'recordCount': 7, 'fileSizeInBytes': 300, 'fileCount': 3, 'lastFileCreationTime': -1, 'totalBuckets': -1}
    """

    def count(old: int, new: int) -> int:
        if new == UNKNOWN:
            return old
        return new if replace or old == UNKNOWN else old + new

    def time(old: int, new: int) -> int:
        if new == UNKNOWN:
            return old
        return new if replace else max(old, new)

    return PartitionStatistics(
        record_count=count(stored.record_count, reported.record_count),
        file_size_in_bytes=count(stored.file_size_in_bytes, reported.file_size_in_bytes),
        file_count=count(stored.file_count, reported.file_count),
        last_file_creation_time=time(stored.last_file_creation_time, reported.last_file_creation_time),
        total_buckets=stored.total_buckets,
    )
