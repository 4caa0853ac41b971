"""Partitions: their values, their directories, how they are found, chosen and compared with the registry."""

from __future__ import annotations

from spark_paimon.partition.discovery import (
    DiscoveredPartition,
    Discovery,
    SkippedDirectory,
    discover,
)
from spark_paimon.partition.escaping import escape, is_hidden_name, unescape
from spark_paimon.partition.layout import PartitionLayout, Spec, layout_for
from spark_paimon.partition.predicate import Predicate
from spark_paimon.partition.repair import RepairMode, RepairPlan, diff
from spark_paimon.partition.values import (
    DEFAULT_PARTITION_NAME,
    Value,
    format_value,
    is_blank,
    literal_value,
    parse_value,
)

__all__ = [
    "DEFAULT_PARTITION_NAME",
    "DiscoveredPartition",
    "Discovery",
    "PartitionLayout",
    "Predicate",
    "RepairMode",
    "RepairPlan",
    "SkippedDirectory",
    "Spec",
    "Value",
    "diff",
    "discover",
    "escape",
    "format_value",
    "is_blank",
    "is_hidden_name",
    "layout_for",
    "literal_value",
    "parse_value",
    "unescape",
]
