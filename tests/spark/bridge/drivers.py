"""Spark drivers in processes of their own, and what can be seen of a process from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from pyspark.sql import SparkSession

PROGRAM = Path(__file__).with_name("driver_program.py")
BRIDGE = "spark_paimon.bridge"
# A JVM that lives for seconds gains nothing from its second compiler.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "localhost",
    "spark.sql.catalogImplementation": "in-memory",
}


class StatementError(Exception):
    """A statement failed in the driver."""

    def __init__(self, kind: str, condition: str | None, message: str) -> None:
        super().__init__(f"{kind} {condition}: {message}")
        self.kind, self.condition, self.message = kind, condition, message


class Driver:
    """A driver; use it as a context, so that nothing of it is left behind."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "driver.log"
        ours = ("PYSPARK_", "SPARK_", "PYTHONPATH")
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(PROGRAM)],
                cwd=folder,
                env={**inherited, **(environment or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.jvm = 0

    def start(self, catalogs: Mapping[str, Mapping[str, str]], **settings: str) -> None:
        """Start a session; dots in the names of settings are written as two underscores."""
        named = {key.replace("__", "."): value for key, value in settings.items()}
        self.jvm = self._ask({"start": {**SETTINGS, **named}, "catalogs": catalogs})[0][0]

    def sql(self, statement: str) -> list[list[Any]]:
        return self._ask({"sql": statement})

    def fail_once(self, number: int) -> None:
        """Register ``fail_once(n)``, which fails in the first attempt of a task that meets a number."""
        self._ask({"fail_once": number})

    def stop(self) -> None:
        self._ask({"stop": True})

    def exit(self) -> int:
        """Let the driver end as any program does."""
        assert self._process.stdin is not None
        self._process.stdin.write('{"exit": true}\n')
        self._process.stdin.close()
        return self._process.wait(60)

    def kill(self) -> None:
        """``kill -9`` of the JVM and of the program that started it."""
        for pid in (self.jvm, self._process.pid):
            if pid and is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(60)

    def bridges(self) -> list[int]:
        return bridges_of(self.jvm)

    def _ask(self, command: Mapping[str, Any]) -> list[list[Any]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the driver ended:\n{self.log.read_text()[-3000:]}"
        answer = json.loads(line)
        if "error" in answer:
            error = answer["error"]
            raise StatementError(error["class"], error["condition"], error["message"])
        rows: list[list[Any]] = answer["rows"]
        return rows

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


def embedded(warehouse: Path) -> dict[str, dict[str, str]]:
    """The catalog ``paimon`` in a warehouse."""
    return {"paimon": {"metastore": "embedded", "warehouse": str(warehouse)}}


def jvm_pid(spark: SparkSession) -> int:
    """Process id of the JVM of a session."""
    return int(spark._jvm.java.lang.ProcessHandle.current().pid())


def bridge_pid(spark: SparkSession) -> int:
    """Process id of the only bridge of a session's JVM."""
    children = spark._jvm.java.lang.ProcessHandle.current().children().toList()
    found = [int(child.pid()) for child in children if is_bridge(int(child.pid()))]
    assert len(found) == 1, found
    return found[0]


def bridges_of(jvm: int) -> list[int]:
    """Process ids of the bridges below a JVM.

    Each process is asked for its parent: the kernel lists children by thread, and when a thread ends its
    children move to the list of another, where a reader in turn can miss them.
    """
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if is_bridge(pid) and parent_of(pid) == jvm]


def parent_of(pid: int) -> int | None:
    """Process id of the parent of a process, None when there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_bridge(pid: int) -> bool:
    try:
        return BRIDGE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(check: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.05)
    return check()
