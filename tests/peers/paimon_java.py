"""Apache Paimon's own Java code: data files by its formats, and its client of REST catalogs.

The formats are parquet, orc, csv, json and text. The bundle comes through the ``mvn`` of the machine into the
cache of :mod:`tests.peers.cache`, and is run with the jars of the installed pyspark, which have the Hadoop
classes that it leaves to its surroundings.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark_paimon.schema import Field
from tests.peers import transport
from tests.peers.cache import UnavailableError, cached, run
from tests.peers.worker import PeerError as PeerError
from tests.peers.worker import Worker

VERSION = "1.4.2"
FORMATS = ("parquet", "orc", "csv", "json", "text")

_BUNDLE = f"org.apache.paimon:paimon-bundle:{VERSION}"
_SOURCES = Path(__file__).parent / "java"
_FILES, REST = "PaimonFiles", "PaimonRest"


@functools.cache
def available(program: str = _FILES) -> str | None:
    """None where Paimon can be run; otherwise why not, for the message of a skipped test."""
    try:
        _class_path(program)
    except UnavailableError as reason:
        return str(reason)
    return None


class PaimonJava(Worker):
    """Paimon's formats in a process, usable for any number of files.

    Parameters
    ----------
    time_zone
        Zone of the Java process.
    """

    def __init__(self, time_zone: str = "UTC") -> None:
        super().__init__(_command(_FILES, f"-Duser.timezone={time_zone}"))

    def write(
        self,
        path: Path,
        table: pa.Table,
        fields: Sequence[Field],
        file_format: str,
        compression: str = "none",
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Write one file.

        Raises
        ------
        PeerError
            Paimon refused.
        """
        self.ask(
            action="write",
            path=str(path),
            format=file_format,
            fields=[field.to_json() for field in fields],
            compression=compression,
            options=dict(options or {}),
            rows=transport.to_rows(table),
        )

    def read(
        self,
        path: Path,
        fields: Sequence[Field],
        file_format: str,
        options: Mapping[str, str] | None = None,
        wanted: Sequence[Field] | None = None,
    ) -> pa.Table:
        """Rows of one file; the codec of csv, json and text goes by its name.

        Parameters
        ----------
        fields
            Columns that are in the file.
        wanted
            The columns to read of them; None for all.

        Raises
        ------
        PeerError
            Paimon refused.
        """
        answer = self.ask(
            action="read",
            path=str(path),
            format=file_format,
            fields=[field.to_json() for field in fields],
            wanted=None if wanted is None else [field.to_json() for field in wanted],
            options=dict(options or {}),
        )
        return transport.from_rows(answer["rows"], fields if wanted is None else wanted)


class PaimonRest(Worker):
    """Paimon's client of a REST catalog in a process.

    Parameters
    ----------
    options
        Catalog options as Paimon spells them.

    Raises
    ------
    PeerError
        The handshake with the server failed.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(_command(REST))
        try:
            self.options: dict[str, str] = self.call("open", options=dict(options))
        except BaseException:
            self.close()
            raise

    def call(self, action: str, /, **arguments: Any) -> Any:
        """Result of one call; see java/PaimonRest.java for actions and their arguments.

        Raises
        ------
        PeerError
            The client threw; the message begins with the class of the exception.
        """
        return self.ask(action=action, **arguments)["result"]


def _command(program: str, *settings: str) -> list[str]:
    return ["java", "-Xmx512m", *settings, "-Dlog4j2.level=error", "-cp", _class_path(program), program]


@functools.cache
def _class_path(program: str) -> str:
    source = _SOURCES / f"{program}.java"
    fingerprint = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    classes = cached(f"{program}-{VERSION}-{fingerprint}", functools.partial(_compile, bundle(), source))
    # Paimon's own classes first: Spark has other versions of some of what it is made of.
    return f"{classes}:{bundle()}:{spark_jars()}/*"


def spark_jars() -> Path:
    """Directory of the jars of the installed pyspark."""
    import pyspark

    return Path(pyspark.__file__).parent / "jars"


def bundle() -> Path:
    """The jar of Paimon.

    Raises
    ------
    UnavailableError
        It cannot be had.
    """
    folder = cached(f"paimon-bundle-{VERSION}", functools.partial(fetch, _BUNDLE))
    return folder / f"paimon-bundle-{VERSION}.jar"


def fetch(artifact: str, folder: Path) -> None:
    """Put one jar of a Maven repository into a directory.

    Raises
    ------
    UnavailableError
        It cannot be had.
    """
    run(
        [
            "mvn",
            "--quiet",
            "--batch-mode",
            # The local repository of the user stays as it is.
            f"-Dmaven.repo.local={folder / 'repository'}",
            f"-Dartifact={artifact}",
            f"-DoutputDirectory={folder}",
            "-Dmdep.useBaseVersion=true",
            "dependency:copy",
        ],
        f"fetching {artifact}",
    )


def _compile(paimon: Path, source: Path, folder: Path) -> None:
    run(["javac", "--release", "17", "-cp", paimon, "-d", folder, source], f"compiling {source.name}")
