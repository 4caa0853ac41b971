"""Where software of other projects is kept between runs, outside of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

_TIMEOUT_SECONDS = 420


class UnavailableError(Exception):
    """A peer cannot be had on this machine; the text says why."""


def cache_directory() -> Path:
    """The directory, which ``SPARK_PAIMON_PEERS`` can name."""
    named = os.environ.get("SPARK_PAIMON_PEERS")
    return Path(named) if named else Path(tempfile.gettempdir()) / "spark-paimon-peers"


def cached(name: str, make: Callable[[Path], None]) -> Path:
    """Path of a directory of the cache; ``make`` fills an empty one when it is not there yet.

    Raises
    ------
    UnavailableError
        From ``make``; nothing is kept then.
    """
    final = cache_directory() / name
    if final.exists():
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=final.parent, prefix=".making-") as folder:
        made = Path(folder) / name
        made.mkdir()
        make(made)
        try:
            made.rename(final)
        except OSError:
            # Another run was faster; what it made is as good.
            if not final.exists():
                raise
    return final


def run(command: Sequence[str | Path], purpose: str) -> None:
    """Run a program to its end.

    Raises
    ------
    UnavailableError
        There is no such program, it fails, or it takes longer than seven minutes.
    """
    program = str(command[0])
    if shutil.which(program) is None:
        raise UnavailableError(f"{purpose} needs {program}, which is not there")
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{purpose}: {program} did not end within {_TIMEOUT_SECONDS} s") from error
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise UnavailableError(f"{purpose}: {program} failed: {lines[0] if lines else done.returncode}")
