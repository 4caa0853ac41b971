"""Data files by Apache Paimon's own Java formats: parquet, orc, csv, json and text.

The bundle comes through the ``mvn`` of the machine into the cache of :mod:`tests.peers.cache`, and is run
with the jars of the installed pyspark, which have the Hadoop classes that it leaves to its surroundings.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from spark_paimon.schema import Field
from tests.peers import transport
from tests.peers.cache import UnavailableError, cached, run
from tests.peers.worker import PeerError as PeerError
from tests.peers.worker import Worker

VERSION = "1.4.2"
FORMATS = ("parquet", "orc", "csv", "json", "text")

_BUNDLE = f"org.apache.paimon:paimon-bundle:{VERSION}"
_SOURCE = Path(__file__).parent / "java" / "PaimonFiles.java"


@functools.cache
def available() -> str | None:
    """None where Paimon can be run; otherwise why not, for the message of a skipped test."""
    try:
        _class_path()
    except UnavailableError as reason:
        return str(reason)
    return None


class PaimonJava(Worker):
    """A running Paimon, usable for any number of files.

    Parameters
    ----------
    time_zone
        Zone of the Java process.
    """

    def __init__(self, time_zone: str = "UTC") -> None:
        settings = [f"-Duser.timezone={time_zone}", "-Dlog4j2.level=error"]
        super().__init__(["java", *settings, "-cp", _class_path(), "PaimonFiles"])

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


@functools.cache
def _class_path() -> str:
    import pyspark

    spark = Path(pyspark.__file__).parent / "jars"
    bundle = cached(f"paimon-bundle-{VERSION}", _fetch) / f"paimon-bundle-{VERSION}.jar"
    fingerprint = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]
    classes = cached(f"paimon-files-{VERSION}-{fingerprint}", functools.partial(_compile, bundle))
    # Paimon's own classes first: Spark has other versions of some of what it is made of.
    return f"{classes}:{bundle}:{spark}/*"


def _fetch(folder: Path) -> None:
    run(
        [
            "mvn",
            "--quiet",
            "--batch-mode",
            # The local repository of the user stays as it is.
            f"-Dmaven.repo.local={folder / 'repository'}",
            f"-Dartifact={_BUNDLE}",
            f"-DoutputDirectory={folder}",
            "-Dmdep.useBaseVersion=true",
            "dependency:copy",
        ],
        f"fetching {_BUNDLE}",
    )


def _compile(bundle: Path, folder: Path) -> None:
    run(["javac", "--release", "17", "-cp", bundle, "-d", folder, _SOURCE], f"compiling {_SOURCE.name}")
