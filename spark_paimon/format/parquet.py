"""Parquet files."""

from __future__ import annotations

from dataclasses import dataclass

from spark_paimon.storage import Storage


@dataclass(frozen=True)
class Parquet:
    """The format of format tables that name none; its footers carry exact row counts.

    Examples
    --------
    >>> Parquet().default_compression
    'snappy'
    """

    name: str = "parquet"
    extension: str = "parquet"
    default_compression: str = "snappy"
    codecs: tuple[str, ...] = ("none", "uncompressed", "snappy", "gzip", "brotli", "lz4", "lz4_raw", "zstd")
    counts_rows: bool = True

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """Return the number of rows that the footer states; one open, no data read."""
        # pyarrow takes longer to import than everything else here together.
        import pyarrow.parquet

        with storage.open_input(path) as stream, pyarrow.parquet.ParquetFile(stream) as file:
            return int(file.metadata.num_rows)


FORMAT = Parquet()
