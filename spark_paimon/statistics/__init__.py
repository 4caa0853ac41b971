"""Statistics of partitions: the numbers (:mod:`.values`) and how they are taken from storage
(:mod:`.measure`).
"""

from spark_paimon.statistics.values import UNKNOWN, PartitionStatistics, combine

__all__ = ["UNKNOWN", "PartitionStatistics", "combine"]
