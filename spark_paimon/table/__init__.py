"""A format table: its description, what it scans, its partitions, its commits and its metadata tables."""

from spark_paimon.table.format_table import FormatTable, as_used, open_table

__all__ = ["FormatTable", "as_used", "open_table"]
