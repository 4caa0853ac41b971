"""Paimon's client in Rust, by the SQL of its Python package, in an environment of its own."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.peers.cache import UnavailableError, cached
from tests.peers.pypaimon_files import make_environment
from tests.peers.worker import PeerError as PeerError
from tests.peers.worker import Worker

VERSION = "0.4.0"

# Its results are pyarrow's, which it does not name.
_PACKAGES = (f"pypaimon-rust=={VERSION}", "pyarrow")
_PROGRAM = Path(__file__).parent / "rust_client_worker.py"


@functools.cache
def available() -> str | None:
    """None where it can be run; otherwise why not, for the message of a skipped test."""
    try:
        _interpreter()
    except UnavailableError as reason:
        return str(reason)
    return None


class PyPaimonRust(Worker):
    """A running client.

    Parameters
    ----------
    options
        Of its catalog ``peer``.

    Raises
    ------
    PeerError
        The client refused, or the server did.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        super().__init__([_interpreter(), _PROGRAM], environment)
        try:
            self.ask(options=dict(options))
        except PeerError:
            self.close()
            raise

    def sql(self, statement: str) -> list[dict[str, Any]]:
        """Rows of a statement.

        Raises
        ------
        PeerError
            The client refused, or the server did.
        """
        rows: list[dict[str, Any]] = self.ask(sql=statement)["rows"]
        return rows


@functools.cache
def _interpreter() -> Path:
    tag = f"py{sys.version_info[0]}{sys.version_info[1]}"
    make = functools.partial(make_environment, packages=_PACKAGES)
    return cached(f"pypaimon-rust-{VERSION}-{tag}", make) / "environment" / "bin" / "python"
