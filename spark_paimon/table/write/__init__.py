"""Rows that Python writes: batches in, staged files out, which a commit publishes."""

from spark_paimon.table.write.settings import WriteSettings
from spark_paimon.table.write.staged import StagedWriter

__all__ = ["StagedWriter", "WriteSettings"]
