"""The jar inside the package: where it is, and which Spark it was compiled for."""

from __future__ import annotations

import atexit
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from spark_paimon import errors


@dataclass(frozen=True)
class JarVersions:
    """What the manifest of a jar states.

    Attributes
    ----------
    package
        Version of spark-paimon, such as ``0.1.0``.
    spark
        Version of Spark it was compiled against, such as ``4.2.1``.
    """

    package: str
    spark: str

    @property
    def spark_minor(self) -> str:
        """Minor version of Spark that the jar runs on.

        Examples
        --------
        >>> JarVersions(package="0.1.0", spark="4.2.1").spark_minor
        '4.2'
        """
        return _minor(self.spark)


@lru_cache(maxsize=1)
def jar_path() -> Path:
    """Path of the jar, as a file that a JVM can open.

    Where the package itself is inside a zip file (``--py-files``), the jar is copied out for the life of
    this process.

    Raises
    ------
    IllegalStateError
        The installation has no jar.
    """
    folder = resources.files("spark_paimon") / "jars"
    found = [entry for entry in folder.iterdir() if _is_ours(entry.name)] if folder.is_dir() else []
    if not found:
        raise errors.IllegalStateError("JAR_MISSING", folder=folder)
    if isinstance(found[0], Path):
        return found[0]
    copies = ExitStack()
    atexit.register(copies.close)
    return copies.enter_context(resources.as_file(found[0]))


def jar_versions(jar: Path | None = None) -> JarVersions:
    """Versions in the manifest of `jar`, by default of the jar in this package."""
    with zipfile.ZipFile(jar or jar_path()) as archive:
        lines = archive.read("META-INF/MANIFEST.MF").decode("utf-8").splitlines()
    attributes = dict(line.split(": ", 1) for line in lines if ": " in line)
    return JarVersions(attributes["Implementation-Version"], attributes["Spark-Version"])


def check_spark_version(installed: str) -> None:
    """Refuse a pyspark of another minor version than the jar was compiled for.

    Parameters
    ----------
    installed
        Version of pyspark.

    Raises
    ------
    UnsupportedError
        Connector interfaces of Spark differ between minor versions, so that pair cannot work.
    """
    versions = jar_versions()
    if _minor(installed) != versions.spark_minor:
        raise errors.UnsupportedError(
            "SPARK_VERSION_MISMATCH",
            version=versions.package,
            built_for=versions.spark_minor,
            installed=installed,
        )


def _is_ours(name: str) -> bool:
    return name.startswith("spark-paimon_") and name.endswith(".jar")


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
