"""A format table: its description, what it scans, its partitions, its commits and its metadata tables."""

from spark_paimon.table.format_table import FormatTable

__all__ = ["FormatTable"]
