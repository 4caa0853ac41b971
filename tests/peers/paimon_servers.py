"""REST servers that nobody here wrote: those of the tests of Paimon and of pypaimon, each as a process.

Neither is whole. Paimon's checks the token and pages; it has no partitions of format tables but those that
commits of other tables leave. pypaimon's checks no token. Both come from where their project publishes them
and stay in the cache of :mod:`tests.peers.cache`.
"""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.peers import paimon_java
from tests.peers.cache import UnavailableError, cached, run
from tests.peers.pypaimon_files import make_environment

PYPAIMON_VERSION = "1.4.1"
"""The newest one that is published together with its tests."""

WAREHOUSE = "warehouse"
TOKEN = "peer-token"

_SOURCE = Path(__file__).parent / "java" / "PaimonRestServer.java"
_PROGRAM = Path(__file__).parent / "pypaimon_server.py"
_ARTIFACTS = (
    f"org.apache.paimon:paimon-core:{paimon_java.VERSION}:jar:tests",
    "com.squareup.okhttp3:mockwebserver:4.12.0",
    "com.squareup.okhttp3:okhttp:4.12.0",
    "com.squareup.okio:okio-jvm:3.6.0",
    "org.jetbrains.kotlin:kotlin-stdlib:1.9.10",
    "junit:junit:4.13.2",
)
# requests is needed, but not named by the package. Tests that are installed import what they test with.
_PACKAGES = (f"pypaimon=={PYPAIMON_VERSION}", "requests")


@functools.cache
def unavailable(kind: str) -> str | None:
    """None where a server can be run; otherwise why not, for the message of a skipped test.

    Parameters
    ----------
    kind
        ``java`` or ``pypaimon``.
    """
    try:
        _COMMANDS[kind]()
    except UnavailableError as reason:
        return str(reason)
    return None


@contextmanager
def foreign_server(kind: str, directory: Path) -> Iterator[dict[str, str]]:
    """Serve a directory; gives the catalog options of a client.

    Parameters
    ----------
    kind
        ``java`` or ``pypaimon``.
    """
    command = [*_COMMANDS[kind](), str(directory), WAREHOUSE, *([TOKEN] if kind == "java" else [])]
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout is not None
        uri = process.stdout.readline().strip()
        assert uri, f"the server ended with {process.wait(60)}"
        yield {"metastore": "rest", "uri": uri, "warehouse": WAREHOUSE, "token": TOKEN}
    finally:
        process.communicate(timeout=60)


def _java_command() -> Sequence[str]:
    bundle = paimon_java.bundle()
    jars = cached(f"paimon-rest-server-{paimon_java.VERSION}", _fetch)
    fingerprint = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]
    compile_server = functools.partial(_compile, f"{bundle}:{jars}/*")
    classes = cached(f"paimon-rest-server-{paimon_java.VERSION}-{fingerprint}", compile_server)
    path = f"{classes}:{bundle}:{jars}/*:{paimon_java.spark_jars()}/*"
    return ["java", "-Dlog4j2.level=error", "-cp", path, "PaimonRestServer"]


def _pypaimon_command() -> Sequence[str]:
    tag = f"py{sys.version_info[0]}{sys.version_info[1]}"
    made = cached(
        f"pypaimon-{PYPAIMON_VERSION}-{tag}", functools.partial(make_environment, packages=_PACKAGES)
    )
    return [str(made / "environment" / "bin" / "python"), str(_PROGRAM)]


_COMMANDS: dict[str, Callable[[], Sequence[str]]] = {"java": _java_command, "pypaimon": _pypaimon_command}


def _fetch(folder: Path) -> None:
    for artifact in _ARTIFACTS:
        paimon_java.fetch(artifact, folder)


def _compile(class_path: str, folder: Path) -> None:
    run(["javac", "--release", "17", "-cp", class_path, "-d", folder, _SOURCE], f"compiling {_SOURCE.name}")
