"""Making written files part of a table: checks, clearing of what is replaced, publication, registration."""

from spark_paimon.table.commit.checks import check_write
from spark_paimon.table.commit.files import CommitReport, StagedFile, WriteMode
from spark_paimon.table.commit.protocol import abort, commit

__all__ = ["CommitReport", "StagedFile", "WriteMode", "abort", "check_write", "commit"]
