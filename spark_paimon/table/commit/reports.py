"""What the catalog is told about the partitions of a write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from spark_paimon.catalog.models import Spec
from spark_paimon.statistics import UNKNOWN, PartitionStatistics
from spark_paimon.table.commit.files import StagedFile, spec_key
from spark_paimon.table.format_table import PARTITION_FORMAT, PARTITION_PATH, FormatTable


def numbers(
    table: FormatTable, files: Sequence[StagedFile], now_millis: int
) -> dict[tuple[str, ...], PartitionStatistics]:
    """Statistics of the new files of each partition; one unknown number makes the sum unknown.

    Parameters
    ----------
    now_millis
        Time of the commit in epoch milliseconds.

    Returns
    -------
    dict
        By the texts of the spec, see :func:`~spark_paimon.table.commit.files.spec_key`.
    """
    groups: defaultdict[tuple[str, ...], list[StagedFile]] = defaultdict(list)
    for file in files:
        groups[spec_key(table, file.spec)].append(file)

    def total(parts: Sequence[int]) -> int:
        return UNKNOWN if min(parts) < 0 else sum(parts)

    return {
        key: PartitionStatistics(
            record_count=total([file.rows for file in group]),
            file_size_in_bytes=total([file.size for file in group]),
            file_count=len(group),
            last_file_creation_time=now_millis,
        )
        for key, group in groups.items()
    }


def report_replaced(
    table: FormatTable, specs: Sequence[Spec], files: Sequence[StagedFile], format: str, now_millis: int
) -> None:
    """Tell the catalog in one call what each replaced partition is now: place, format and numbers.

    Parameters
    ----------
    specs
        The replaced partitions; one without a file among ``files`` has exactly no rows now.
    format
        Format of the files.

    Raises
    ------
    PaimonError
        From the catalog.
    """
    if not specs:
        return
    counted = numbers(table, files, now_millis)
    zero = PartitionStatistics.exact_zero(now_millis)
    table.require_managed("INSERT OVERWRITE").create_partitions(
        table.identifier,
        specs,
        ignore_if_exists=True,
        statistics=[(spec, counted.get(spec_key(table, spec), zero)) for spec in specs],
        replace_statistics=True,
        options=[
            {PARTITION_PATH: table.partition_location(spec), PARTITION_FORMAT: format} for spec in specs
        ],
    )
