"""Preparing a session builder, so that the session it makes has a Paimon catalog."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.session.jar import check_spark_version, jar_path
from spark_paimon.session.launch import (
    add_jar_to_submit_arguments,
    launch_settings,
    provide_java,
    require_jar,
    running_jvm,
    running_session_settings,
)
from spark_paimon.session.settings import (
    BRIDGE_PYTHON,
    EXTENSION_CLASS,
    EXTENSIONS,
    JARS,
    catalog_settings,
    holds_item,
    with_item,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def configure_spark_with_paimon(
    builder: SparkSession.Builder,
    *,
    catalog: str = "paimon",
    metastore: str = "embedded",
    warehouse: str | os.PathLike[str] | None = None,
    uri: str | None = None,
    token: str | None = None,
    options: Mapping[str, str] | None = None,
) -> SparkSession.Builder:
    """Add the jar, the SQL extension and a catalog to a session builder.

    What the builder, ``PYSPARK_SUBMIT_ARGS`` and ``spark-defaults.conf`` already have in ``spark.jars`` and
    ``spark.sql.extensions`` is appended to, never replaced. Call it again with another name for another
    catalog, and together with similar functions of other packages in any order.

    Parameters
    ----------
    builder
        ``SparkSession.builder``; it is changed in place.
    catalog
        Name of the catalog in SQL.
    metastore
        ``embedded`` (a database in the warehouse, or the one that `uri` names), ``rest`` or ``filesystem``.
    warehouse
        Directory or URI. A relative path is taken from the current directory.
    uri
        Of the REST catalog, or of the database of an embedded one.
    token
        For ``rest``.
    options
        Any other option of the catalog, without the prefix ``spark.sql.catalog.<name>.``. Secret ones, as the
        token, go to a file of this process and not to Spark's settings, which are on command lines and go to
        every executor.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    InvalidInputError
        An option is unknown or malformed.
    UnsupportedError
        The installed pyspark is not the version the jar was compiled for, or the builder is one of a
        Spark Connect client.
    IllegalStateError
        A JVM runs already that was started without the jar, or a session without the extension.

    Notes
    -----
    Python workers would run the ``python3`` of ``PATH``. Where nobody chose one (``PYSPARK_PYTHON``) and the
    session is a local one, it becomes the running interpreter.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from spark_paimon import configure_spark_with_paimon
    >>> builder = SparkSession.builder.master("local[2]")
    >>> builder = configure_spark_with_paimon(builder, warehouse="warehouse")
    >>> spark = builder.getOrCreate()  # doctest: +SKIP
    """
    settings = catalog_settings(
        catalog, metastore=metastore, warehouse=warehouse, uri=uri, token=token, options=options
    )
    chosen = _options(builder)
    _refuse_connect(chosen)
    import pyspark

    check_spark_version(pyspark.__version__)
    jar = jar_path()
    jvm = running_jvm()
    if jvm is None:
        provide_java()
        add_jar_to_submit_arguments(jar)
        present = {**launch_settings(), **chosen}
    else:
        require_jar(jvm, jar, catalog)
        present = {**dict(pyspark.SparkConf().getAll()), **chosen}
    session = running_session_settings()
    if session is None:
        builder.config(JARS, with_item(present.get(JARS), str(jar)))
        builder.config(EXTENSIONS, with_item(present.get(EXTENSIONS), EXTENSION_CLASS))
        _choose_python(builder, present)
    elif not holds_item(session.get(EXTENSIONS), EXTENSION_CLASS):
        raise errors.IllegalStateError("SESSION_WITHOUT_EXTENSION", extension=EXTENSION_CLASS)
    for key, value in settings.items():
        builder.config(key, value)
    return builder


def _options(builder: SparkSession.Builder) -> dict[str, Any]:
    # There is no public way to ask a builder what it has.
    options = getattr(builder, "_options", None)
    if not isinstance(options, dict):
        raise TypeError(
            "configure_spark_with_paimon takes SparkSession.builder; for a session that runs already "
            "there is spark_paimon.attach(spark, ...)"
        )
    return options


def _refuse_connect(options: Mapping[str, Any]) -> None:
    remote = str(options.get("spark.remote", os.environ.get("SPARK_REMOTE", "")))
    if remote and not remote.startswith("local"):
        raise errors.UnsupportedError("CONNECT_IS_SERVER_SIDE", extension=EXTENSION_CLASS)


def _choose_python(builder: SparkSession.Builder, present: Mapping[str, Any]) -> None:
    if BRIDGE_PYTHON not in present:
        builder.config(BRIDGE_PYTHON, sys.executable)
    master = str(present.get("spark.master", os.environ.get("MASTER", "local")))
    # On other machines this interpreter need not exist.
    if master.startswith("local") and "spark.pyspark.python" not in present:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
