"""Adding a catalog to a session that runs already."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.session.jar import check_spark_version, jar_path
from spark_paimon.session.launch import has_connector
from spark_paimon.session.settings import (
    BRIDGE_PYTHON,
    EXTENSION_CLASS,
    EXTENSIONS,
    catalog_settings,
    holds_item,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def attach(
    spark: SparkSession,
    *,
    catalog: str = "paimon",
    metastore: str = "embedded",
    warehouse: str | os.PathLike[str] | None = None,
    uri: str | None = None,
    token: str | None = None,
    options: Mapping[str, str] | None = None,
) -> SparkSession:
    """Add a catalog to a running session, for notebooks and shells where the session is given.

    The jar is added with ``ADD JAR`` unless it is there. SQL extensions cannot be added to a running session:
    where it has none of ours, a warning says which statements then need their ``CALL`` form.

    Parameters
    ----------
    spark
        The session; it gets the settings, and is returned.
    catalog, metastore, warehouse, uri, token, options
        As for :func:`configure_spark_with_paimon`.

    Raises
    ------
    InvalidInputError
        An option is unknown or malformed.
    UnsupportedError
        The session's Spark is not the version the jar was compiled for, or it is a Spark Connect client.

    Examples
    --------
    >>> from spark_paimon import attach
    >>> attach(spark, warehouse="/data/warehouse").sql("SHOW NAMESPACES IN paimon")  # doctest: +SKIP
    """
    settings = catalog_settings(
        catalog, metastore=metastore, warehouse=warehouse, uri=uri, token=token, options=options
    )
    context = getattr(spark, "_sc", None)
    if context is None:
        raise errors.UnsupportedError("CONNECT_IS_SERVER_SIDE", extension=EXTENSION_CLASS)
    check_spark_version(spark.version)
    if not has_connector(context._jvm):
        spark.sql(f"ADD JAR '{jar_path()}'")
    if not context._conf.contains(BRIDGE_PYTHON):
        # Of the context and not of the session: there is one process for all sessions of a driver.
        context._conf.set(BRIDGE_PYTHON, sys.executable)
    for key, value in settings.items():
        spark.conf.set(key, value)
    if not holds_item(spark.conf.get(EXTENSIONS, None), EXTENSION_CLASS):
        warnings.warn(_without_extension(catalog), UserWarning, stacklevel=2)
    return spark


def _without_extension(catalog: str) -> str:
    return (
        f"This session started without {EXTENSION_CLASS}, which cannot be added now. "
        "Instead of these statements use the procedures: "
        f"MSCK REPAIR TABLE -> CALL {catalog}.sys.repair(...), "
        f"ANALYZE TABLE -> CALL {catalog}.sys.analyze(...), "
        "ALTER TABLE ... DROP PARTITION with only some of the partition columns -> "
        f"CALL {catalog}.sys.drop_partitions(...). "
        "All other statements work as they are."
    )
