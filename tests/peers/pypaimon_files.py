"""Format tables by pypaimon: parquet, orc, csv, json and text, and single mosaic files.

pypaimon needs an older pyarrow than the one that this package is tested with, so it has a virtual environment
of its own, in the cache of :mod:`tests.peers.cache`.
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from spark_paimon.schema import Field
from tests.peers.cache import UnavailableError, cached, run
from tests.peers.worker import PeerError as PeerError
from tests.peers.worker import Worker

VERSION = "2.1.0"
FORMATS = ("parquet", "orc", "csv", "json", "text", "mosaic")

_PACKAGES = (f"pypaimon=={VERSION}", "paimon-mosaic==0.2.0")
_PROGRAM = Path(__file__).parent / "pypaimon_worker.py"


@functools.cache
def available() -> str | None:
    """None where pypaimon can be run; otherwise why not, for the message of a skipped test."""
    try:
        interpreter()
    except UnavailableError as reason:
        return str(reason)
    return None


class PyPaimon(Worker):
    """A running pypaimon, usable for any number of tables."""

    def __init__(self) -> None:
        environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        super().__init__([interpreter(), _PROGRAM], environment)

    def write(
        self,
        location: Path,
        table: pa.Table,
        fields: Sequence[Field],
        file_format: str,
        options: Mapping[str, str] | None = None,
    ) -> Path:
        """Write rows into an empty directory; returns the one file that is there then.

        Raises
        ------
        PeerError
            pypaimon refused.
        """
        location.mkdir(parents=True, exist_ok=True)
        self._with_arrow("write", location, table, fields, file_format, options)
        (file,) = [path for path in location.iterdir() if path.is_file()]
        return file

    def read(
        self,
        location: Path,
        fields: Sequence[Field],
        file_format: str,
        options: Mapping[str, str] | None = None,
    ) -> pa.Table:
        """Rows of all files of a directory, with the types that pypaimon gives them.

        Raises
        ------
        PeerError
            pypaimon refused.
        """
        rows = self._with_arrow("read", location, None, fields, file_format, options)
        assert rows is not None
        return rows

    def _with_arrow(
        self,
        action: str,
        location: Path,
        table: pa.Table | None,
        fields: Sequence[Field],
        file_format: str,
        options: Mapping[str, str] | None,
    ) -> pa.Table | None:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "rows.arrow")
            if table is not None:
                # In one piece: pypaimon makes a file of each.
                with pa.ipc.new_file(path, table.schema) as sink:
                    sink.write_table(table.combine_chunks())
            self.ask(
                action=action,
                location=str(location),
                format=file_format,
                fields=[field.to_json() for field in fields],
                options=dict(options or {}),
                arrow=path,
            )
            if table is not None:
                return None
            with pa.ipc.open_file(path) as source:
                return source.read_all()


@functools.cache
def interpreter() -> Path:
    """The Python that has pypaimon.

    Raises
    ------
    UnavailableError
        pypaimon cannot be had.
    """
    tag = f"py{sys.version_info[0]}{sys.version_info[1]}"
    made = cached(f"pypaimon-{VERSION}-{tag}", functools.partial(make_environment, packages=_PACKAGES))
    return made / "environment" / "bin" / "python"


def make_environment(folder: Path, packages: Sequence[str]) -> None:
    """Make a virtual environment ``environment`` in a directory, with some packages.

    Raises
    ------
    UnavailableError
        They cannot be had.
    """
    # The interpreter below the environment that the tests run in, so that nothing of that one is seen.
    python = Path(getattr(sys, "_base_executable", None) or sys.executable)
    run([python, "-m", "venv", folder / "environment"], "an environment for pypaimon")
    # The environment is moved when it is complete; only its scripts would mind, and those are not used.
    pip = [folder / "environment" / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", *packages], f"installing {', '.join(packages)}")
