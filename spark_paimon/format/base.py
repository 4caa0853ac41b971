"""What a file format has to offer."""

from __future__ import annotations

from typing import Protocol

from spark_paimon.storage import Storage


class FileFormat(Protocol):
    """One file format, as the rest of the package needs it."""

    @property
    def name(self) -> str:
        """Lower-case name, as in the option ``file.format``."""
        ...

    @property
    def extension(self) -> str:
        """Ending of written file names, without the dot."""
        ...

    @property
    def default_compression(self) -> str:
        """Codec where no option names one."""
        ...

    @property
    def codecs(self) -> tuple[str, ...]:
        """Codecs that can be named."""
        ...

    @property
    def counts_rows(self) -> bool:
        """Whether files carry their number of rows, so that counting does not read the data."""
        ...

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """Return the exact number of rows of a file, None where the format does not carry it.

        Raises
        ------
        OSError, ValueError
            The file cannot be read, or is not of this format.
        """
        ...
