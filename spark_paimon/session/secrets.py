"""The file in which this process keeps secret options, so that Spark's settings only name it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

_LOCK = threading.Lock()
_written: dict[tuple[int, str, str], Path] = {}
_folders: dict[int, Path] = {}


def keep(catalog: str, secrets: Mapping[str, str]) -> Path:
    """Write secret options of a catalog to a file that only this user can read; it goes with this process.

    The same secrets have the same file, so that settings made twice are the same.

    Parameters
    ----------
    catalog
        Name of the catalog.
    secrets
        Its secret options.

    Returns
    -------
    Path
        For the catalog option ``secrets-file``.
    """
    process = os.getpid()
    text = json.dumps(dict(sorted(secrets.items())))
    with _LOCK:
        path = _written.get((process, catalog, text))
        if path is None or not path.is_file():
            handle, name = tempfile.mkstemp(".json", f"{catalog}-", _folder(process))  # mode 0600
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            path = _written[process, catalog, text] = Path(name)
    return path


def _folder(process: int) -> Path:
    folder = _folders.get(process)
    if folder is None or not folder.is_dir():
        folder = _folders[process] = Path(tempfile.mkdtemp(prefix="spark-paimon-secrets-"))  # mode 0700
        atexit.register(_remove, folder, process)
    return folder


def _remove(folder: Path, process: int) -> None:
    # A fork inherits what is to be done at the exit of its parent.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
