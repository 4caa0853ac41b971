"""A PostgreSQL server of the tests' own: real, temporary, and gone whatever happens to the tests.

It listens on a socket in its own temporary directory and on no port, so the servers of several test runs do
not meet. A small process holds the other end of a pipe; when the pipe closes, at the end or because the tests
were killed, it ends the server and deletes the directory.

``python -m tests.postgres`` prints where the programs are, or fails.
"""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEBIAN = Path("/usr/lib/postgresql")
SETTINGS = {
    "listen_addresses": "",
    # Nothing here has to survive a power failure; what was committed survives a kill.
    "fsync": "off",
    "full_page_writes": "off",
    # A vacuum would hold the template of new databases, and lock what a test has just made.
    "autovacuum": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "dynamic_shared_memory_type": "mmap",
}
PATIENCE = 60.0
CUT_OFF = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

# The first line of postmaster.pid is the process that listens now; a restarted server has another one.
WATCHDOG = """
import os, pathlib, shutil, signal, sys, time
sys.stdin.buffer.read()
folder = pathlib.Path(sys.argv[1])
try:
    pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)
    for _ in range(500):
        os.kill(pid, 0)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
except (OSError, ValueError, IndexError):
    pass
shutil.rmtree(folder, ignore_errors=True)
"""


class Unavailable(Exception):  # noqa: N818
    """Why there is no PostgreSQL for the tests."""


def find_programs() -> Path:
    """Directory with ``initdb`` and ``postgres``: on the PATH, or where Debian has them."""
    versions = [path for path in DEBIAN.glob("*/bin") if path.parent.name.isdecimal()]
    versions.sort(key=lambda path: -int(path.parent.name))
    places = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    for place in (*places, *versions):
        if all(os.access(place / program, os.X_OK) for program in ("initdb", "postgres")):
            return place
    raise Unavailable(f"no PostgreSQL: neither the PATH nor {DEBIAN} has initdb (Debian: package postgresql)")


def _unprivileged() -> dict[str, Any]:
    """Arguments of Popen for another user where this one is root, as whom PostgreSQL does not run."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise Unavailable("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")


class PostgresServer:
    """One server. ``close`` ends it and deletes its data."""

    def __init__(self) -> None:
        self._programs = find_programs()
        self._user = _unprivileged()
        # Not below pytest's directories: these are closed to other users, and too deep for a socket.
        self._folder = Path(tempfile.mkdtemp(prefix="paimon-pg-"))
        self._created = 0
        self._free: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._watchdog = subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", WATCHDOG, str(self._folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            if self._user:
                os.chown(self._folder, self._user["user"], self._user["group"])
            self._initialise()
            self.start()
        except BaseException:
            self.close()
            raise

    def url(self, database: str = "postgres") -> str:
        """URL of a database for a catalog; it stays the same over restarts."""
        return f"postgresql://postgres@/{database}?host={self._folder}"

    @property
    def is_running(self) -> bool:
        """Whether the server was started, and neither stopped nor killed since."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the server and wait until it answers; nothing happens when it runs."""
        deadline = time.monotonic() + PATIENCE
        while not self.is_running:
            self._process = self._run("postgres", "-D", "data", "-k", str(self._folder), *_settings())
            while self.is_running and not self._answers():
                if time.monotonic() > deadline:
                    raise TimeoutError(self._log())
                time.sleep(0.02)
            # Processes of a server that was killed may still hold its memory.
            if not self.is_running and time.monotonic() > deadline:
                raise RuntimeError(self._log())
            if not self.is_running:
                time.sleep(0.1)

    def stop(self) -> None:
        """Shut down: connections are broken, transactions rolled back."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Kill without a word, as ``kill -9`` does; the data is recovered at the next start."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()

    @contextmanager
    def database(self) -> Iterator[str]:
        """An empty database that nobody else uses, as its URL."""
        # Emptying one takes a tenth of the time of making one.
        name = self._free.pop() if self._free else self._create_database()
        yield self.url(name)
        self.start()
        self.execute(CUT_OFF, name)
        self.execute("DROP SCHEMA public CASCADE", name)
        self.execute("CREATE SCHEMA public", name)
        self._free.append(name)

    def _create_database(self) -> str:
        self._created += 1
        self.execute(f"CREATE DATABASE test_{self._created}")
        return f"test_{self._created}"

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """Run one statement and return its rows."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        """End the server and delete its data."""
        self._end(signal.SIGQUIT)
        self._watchdog.communicate()

    def _initialise(self) -> None:
        arguments = ["-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-locale"]
        usage = subprocess.run([self._programs / "initdb", "--help"], capture_output=True, **self._away())
        if b"--icu-locale" in usage.stdout:
            # Names sorted by the rules of a language show where a query forgot that it must not.
            arguments += ["--locale-provider=icu", "--icu-locale=en"]
        if self._run("initdb", *arguments).wait() != 0:
            raise RuntimeError(self._log())

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self._programs / program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._away(),
            )

    def _away(self) -> dict[str, Any]:
        return {"cwd": self._folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}, **self._user}

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url()).close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def _log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")


def _settings() -> list[str]:
    return [part for key, value in SETTINGS.items() for part in ("-c", f"{key}={value}")]


if __name__ == "__main__":
    try:
        print(find_programs())
    except Unavailable as reason:
        sys.exit(str(reason))
