"""Faults at the seams of the bridge process: calls of the storage, of the catalog, and of the bridge itself.

What happens is decided while the process runs, by a file of JSON: ``step`` (name of the seam), ``number``
(at its n-th call since the file was written), ``when`` (``before`` or ``after`` the call did its work),
``action`` and ``match`` (text that the arguments contain). A fault happens once, and leaves a file
``<file>.fired``.

========  =======================================================================================
action    what happens
========  =======================================================================================
fail      the error that the seam raises when it is refused or its answer is lost
crash     an error that nobody foresaw
kill      ``kill -9`` of this process
driver    ``kill -9`` of the JVM; this process then waits for its own end
trace     nothing: every call is written to ``<file>.trace``
========  =======================================================================================
"""

from __future__ import annotations

import functools
import json
import os
import signal
import threading
import time
from pathlib import Path

STORAGE = (
    "publish", "delete_file", "delete_directory", "remove_empty_directory", "list_directory",
    "make_directory", "write_new", "move_directory", "open_input",
)  # fmt: skip
CATALOG = (
    "create_table", "replace_table", "drop_table", "load_table_info", "list_partitions",
    "list_partitions_by_names", "count_partitions", "create_partitions", "drop_partitions",
)  # fmt: skip
SYSTEM = ("link", "rename")
"""Single steps inside of the publication of a file and of the note of an append."""


def storage_failure(step):
    from spark_paimon import errors

    return errors.StorageError("STORAGE_FAILED", operation=step, path="file:/x", reason="injected fault")


def catalog_failure(step):
    from spark_paimon import errors

    return errors.CatalogError("CATALOG_DATABASE_FAILED", database="injected", reason=f"fault in {step}")


def system_failure(step):
    return OSError(5, f"injected fault in {step}")


class Switch:
    """The fault that is armed at the moment."""

    def __init__(self, path):
        self._path = Path(path)
        self._lock = threading.Lock()
        self._armed = None
        self._calls = 0

    def at(self, step, when, arguments, failure):
        """Called around every seam; does what the file says about this one."""
        try:
            text = self._path.read_text()
        except FileNotFoundError:
            return
        with self._lock:
            if text != self._armed:
                self._armed, self._calls = text, 0
            fault = json.loads(text)
            if fault["action"] == "trace":
                if when == "before":
                    self._trace(step, arguments)
                return
            if (fault["step"], fault["when"]) != (step, when) or fault["match"] not in repr(arguments):
                return
            self._calls += 1
            if self._calls != fault["number"]:
                return
            self._path.unlink()
            self._path.with_suffix(".fired").write_text(text)
        self._strike(fault["action"], step, failure)

    def _trace(self, step, arguments):
        with self._path.with_suffix(".trace").open("a") as trace:
            print(step, *arguments, file=trace)

    def _strike(self, action, step, failure):
        if action == "fail":
            raise failure(step)
        if action == "crash":
            raise RuntimeError(f"injected crash in {step}")
        os.kill(os.getpid() if action == "kill" else os.getppid(), signal.SIGKILL)
        time.sleep(60)


def wrapped(switch, step, function, failure, skipped=0):
    """The function with a switch before and after it; the first ``skipped`` arguments are not looked at."""

    @functools.wraps(function)
    def around(*arguments, **named):
        shown = (*arguments[skipped:], *named.values())
        switch.at(step, "before", shown, failure)
        result = function(*arguments, **named)
        switch.at(step, "after", shown, failure)
        return result

    return around


def install(path):
    """Wrap all seams."""
    from spark_paimon.bridge.service import Service
    from spark_paimon.catalog.embedded import EmbeddedCatalog
    from spark_paimon.catalog.filesystem import FilesystemCatalog
    from spark_paimon.catalog.rest import RestCatalog
    from spark_paimon.storage.local import LocalStorage

    switch = Switch(path)
    for name in STORAGE:
        wrap_method(switch, LocalStorage, name, storage_failure)
    for kind in (EmbeddedCatalog, FilesystemCatalog, RestCatalog):
        for name in CATALOG:
            wrap_method(switch, kind, name, catalog_failure)
    wrap_method(switch, Service, "call", catalog_failure)
    for name in SYSTEM:
        setattr(os, name, wrapped(switch, name, getattr(os, name), system_failure))


def wrap_method(switch, kind, name, failure):
    """Wrap a method of a class."""
    setattr(kind, name, wrapped(switch, name, getattr(kind, name), failure, skipped=1))
