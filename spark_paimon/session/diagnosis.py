"""``spark-paimon doctor``: is everything there that a session with a Paimon catalog needs?"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal

from spark_paimon import __version__, errors
from spark_paimon.options import hidden, secret_values, with_secrets
from spark_paimon.session.jar import check_spark_version, jar_path, jar_versions
from spark_paimon.session.launch import provide_java
from spark_paimon.session.local import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17

_DEVELOPMENT_EXTRAS = ("test", "lint")


@dataclass(frozen=True)
class Check:
    """One line of the diagnosis.

    Attributes
    ----------
    name
        What was looked at.
    status
        ``ok``, ``problem``, or ``absent`` for something optional that is not installed.
    detail
        What was found.
    advice
        What to do, where there is something to do.
    """

    name: str
    status: Literal["ok", "problem", "absent"]
    detail: str
    advice: str = ""


class _FindingError(Exception):
    """Something is wrong, and what to do about it."""

    def __init__(self, detail: str, advice: str) -> None:
        super().__init__(detail)
        self.advice = advice


def doctor(catalog_options: Mapping[str, str] | None = None, *, session: bool = True) -> Iterator[Check]:
    """Examine this installation, one check at a time, in an order where the first problem explains the next.

    Parameters
    ----------
    catalog_options
        Options of a catalog that should be reachable, as for :func:`~spark_paimon.catalog.load_catalog`.
    session
        Whether to start a Spark session and run statements in it, which takes some seconds.

    Examples
    --------
    >>> for check in doctor(session=False):
    ...     print(check.name, check.status)  # doctest: +SKIP
    """
    provide_java()
    yield _checked("python", _python)
    yield _checked("java", _java)
    yield _checked("spark", _spark)
    yield _checked("jar", _jar)
    yield _checked("data sources", _python_data_sources)
    if catalog_options:
        yield from _catalog_checks(catalog_options)
    if session:
        yield from _session_checks()
    yield from _extras()


def _checked(name: str, examine: Callable[[], str], options: Mapping[str, str] | None = None) -> Check:
    try:
        return Check(name, "ok", examine())
    except _FindingError as finding:
        return Check(name, "problem", str(finding), finding.advice)
    except errors.PaimonError as error:
        detail = error.text
    except Exception as error:  # whatever is broken here is the finding
        detail = f"{type(error).__name__}: {_first_line(error)}"
    return Check(name, "problem", hidden(detail, secret_values(options or {})))


def _python() -> str:
    return f"Python {platform.python_version()} at {sys.executable}"


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    advice = (
        f"install a Java {OLDEST_JAVA} or newer (Debian: apt-get install openjdk-17-jre-headless; "
        "anywhere: pip install 'spark-paimon[jdk]') or point JAVA_HOME at one"
    )
    if java is None:
        raise _FindingError("no java in JAVA_HOME or on PATH", advice)
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError) as error:
        raise _FindingError(f"{java} does not run: {_first_line(error)}", advice) from error
    version = re.search(r'version "(?:1\.)?(\d+)[^"]*"', output)
    if version is None or int(version[1]) < OLDEST_JAVA:
        raise _FindingError(f"{version[0] if version else _first_line(output)} at {java} is too old", advice)
    return f"Java {version[0]} at {java}".replace('version "', "").replace('"', "")


def _spark() -> str:
    try:
        installed = metadata.version("pyspark")
    except metadata.PackageNotFoundError as error:
        minor = jar_versions().spark_minor
        raise _FindingError("pyspark is not installed", f"pip install 'pyspark~={minor}.0'") from error
    check_spark_version(installed)
    runtime = os.environ.get("DATABRICKS_RUNTIME_VERSION")
    if runtime:
        raise _FindingError(
            f"Databricks Runtime {runtime} is not Apache Spark {installed}; its internal classes differ",
            "the Python API (spark_paimon.catalog) works there; Spark statements are not promised to",
        )
    home = os.environ.get("SPARK_HOME")
    return f"pyspark {installed}" + (f", SPARK_HOME {home}" if home else "")


def _jar() -> str:
    versions = jar_versions()
    if versions.package != __version__:
        raise _FindingError(
            f"the jar is of spark-paimon {versions.package}, the package is {__version__}",
            "install spark-paimon again, or run `make jar` in a source folder",
        )
    return f"{jar_path()}, spark-paimon {versions.package} for Spark {versions.spark_minor}"


def _python_data_sources() -> str:
    # One module of this prefix that does not import makes Spark silently forget all Python data sources.
    names = [module.name for module in iter_modules() if module.name.startswith("pyspark_")]
    for name in names:
        try:
            import_module(name)
        except Exception as error:  # any failure of a stranger's module is the finding
            raise _FindingError(
                f"module {name} does not import ({type(error).__name__}: {_first_line(error)}), "
                "which hides every Python data source from Spark",
                f"repair or uninstall the package that {name} belongs to",
            ) from error
    return f"{len(names)} module(s) named pyspark_*, all import"


def _catalog_checks(options: Mapping[str, str]) -> Iterator[Check]:
    known: dict[str, str] = {}

    def examine() -> str:
        known.update(with_secrets(options))
        return _catalog(known)

    yield _checked("catalog", examine, known)


def _catalog(options: Mapping[str, str]) -> str:
    from spark_paimon.catalog import load_catalog

    with load_catalog(options) as catalog:
        databases = catalog.list_databases()
    return f"{options.get('metastore', 'filesystem')}, {len(databases)} database(s)"


def _session_checks() -> Iterator[Check]:
    with ExitStack() as cleanup:
        folder = cleanup.enter_context(tempfile.TemporaryDirectory(prefix="spark-paimon-doctor-"))
        warehouse = Path(folder) / "warehouse"
        sessions: list[SparkSession] = []

        def start() -> str:
            session = local_session("spark-paimon doctor", warehouse, master="local[1]")
            sessions.append(cleanup.enter_context(session))
            return f"Spark {sessions[0].version} starts"

        yield _checked("session", start)
        for spark in sessions:
            yield _checked("connector", partial(_connector, spark))
            yield _checked("extension", partial(_extension, spark))
            yield _checked("workers", partial(_workers, spark))


def _extras() -> Iterator[Check]:
    try:
        requirements = metadata.requires("spark-paimon") or []
    except metadata.PackageNotFoundError:
        return  # not installed by pip, for instance in a zip file
    found = (re.fullmatch(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]", each) for each in requirements)
    packages: dict[str, list[str]] = {}
    for match in found:
        if match and match[2] not in _DEVELOPMENT_EXTRAS and match[1] != "spark-paimon":
            packages.setdefault(match[2], []).append(match[1])
    for extra, names in packages.items():
        missing = [name for name in names if not _is_installed(name)]
        if missing:
            advice = f"pip install 'spark-paimon[{extra}]'"
            yield Check(f"extra {extra}", "absent", f"{', '.join(missing)} not installed", advice)
        else:
            yield Check(f"extra {extra}", "ok", "installed")


def _is_installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _connector(spark: SparkSession) -> str:
    spark.sql("CREATE NAMESPACE paimon.doctor")
    spark.sql(
        "CREATE TABLE paimon.doctor.t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table'='true')"
    )
    spark.sql("INSERT INTO paimon.doctor.t VALUES (1, 'a'), (2, 'b')")
    rows = spark.table("paimon.doctor.t").count()
    if rows != 2:
        raise _FindingError(f"a table of 2 rows has {rows}", "please report this")
    return "catalog, insert and query work"


def _extension(spark: SparkSession) -> str:
    spark.sql("MSCK REPAIR TABLE paimon.doctor.t")
    return "MSCK REPAIR TABLE works"


def _workers(spark: SparkSession) -> str:
    def versions(batches: Iterator[Any]) -> Iterator[Any]:
        import platform
        import sys

        import pyarrow

        import spark_paimon.statistics  # noqa: F401  # what ANALYZE needs there

        for _ in batches:
            yield pyarrow.RecordBatch.from_pylist(
                [{"python": platform.python_version(), "path": sys.executable, "arrow": pyarrow.__version__}]
            )

    try:
        found = spark.range(1).mapInArrow(versions, "python string, path string, arrow string").first()
    except Exception as error:  # a worker that cannot start or import is the finding
        raise _FindingError(
            f"Python workers fail: {_first_line(error)}",
            "set PYSPARK_PYTHON to a Python where spark-paimon is installed",
        ) from error
    if found is None:
        raise _FindingError("Python workers give no rows", "please report this")
    return f"Python {found['python']} at {found['path']}, pyarrow {found['arrow']}"


def _first_line(text: object) -> str:
    lines = str(text).strip().splitlines()
    return lines[0] if lines else type(text).__name__
