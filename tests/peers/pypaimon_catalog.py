"""pypaimon's REST catalog as a client, in the environment of :mod:`tests.peers.pypaimon_files`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.peers.pypaimon_files import available as available
from tests.peers.pypaimon_files import interpreter
from tests.peers.worker import PeerError as PeerError
from tests.peers.worker import Worker

_PROGRAM = Path(__file__).parent / "pypaimon_catalog_worker.py"


class PyPaimonProcess(Worker):
    """A running pypaimon, for any number of catalogs."""

    def __init__(self) -> None:
        environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        super().__init__([interpreter(), _PROGRAM], environment)

    def open(self, options: Mapping[str, str]) -> PyPaimonCatalog:
        """A catalog with exactly these options.

        Raises
        ------
        PeerError
            pypaimon refused, or the server did.
        """
        name = options["uri"] + options.get("warehouse", "")
        self.ask(action="open", catalog=name, options=dict(options))
        return PyPaimonCatalog(self, name)


class PyPaimonCatalog:
    """An open catalog; every method raises :class:`PeerError` with the class and text of pypaimon's error."""

    def __init__(self, process: PyPaimonProcess, name: str) -> None:
        self._process = process
        self._name = name

    def call(self, method: str, *arguments: Any, api: bool = False, **named: Any) -> Any:
        """Call a method of the catalog, or of the requests below it.

        Parameters
        ----------
        arguments, named
            JSON, with the objects that :func:`table` and its like make.
        """
        return self._process.ask(
            action="call", catalog=self._name, method=method, arguments=arguments, named=named, api=api
        )["result"]

    def write(self, name: Any, rows: pa.Table, overwrite: Mapping[str, Any] | None = None) -> None:
        """Write rows; ``overwrite`` names a partition that is replaced, ``{}`` the whole table."""
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "rows.arrow")
            with pa.ipc.new_file(path, rows.schema) as sink:
                sink.write_table(rows.combine_chunks())
            self._process.ask(action="write", catalog=self._name, table=name, arrow=path, overwrite=overwrite)

    def read(self, name: Any, partition: Mapping[str, str] | None = None) -> pa.Table:
        """Rows of a table, or of one partition."""
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "rows.arrow")
            self._process.ask(action="read", catalog=self._name, table=name, arrow=path, partition=partition)
            with pa.ipc.open_file(path) as source:
                return source.read_all()


def table(database: str, name: str) -> dict[str, Any]:
    """Name of a table, as an argument."""
    return {":table": [database, name]}


def change(maker: str, *arguments: Any) -> dict[str, Any]:
    """What ``SchemaChange.<maker>`` makes, as an argument."""
    return {":change": [maker, *arguments]}


def kind(text: str) -> dict[str, Any]:
    """A data type, as an argument."""
    return {":type": text}
