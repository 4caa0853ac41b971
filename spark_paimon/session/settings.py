"""Spark settings of a catalog, as pairs of key and value. Knows nothing of a builder or a session."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from spark_paimon import errors
from spark_paimon.options import SECRETS_FILE, is_secret, validate_catalog_options
from spark_paimon.session import secrets

CATALOG_CLASS = "org.sparkpaimon.PaimonCatalog"
EXTENSION_CLASS = "org.sparkpaimon.PaimonExtensions"
BRIDGE_PYTHON = "spark.paimon.bridge.python"
JARS = "spark.jars"
EXTENSIONS = "spark.sql.extensions"

_ARGUMENTS = ("metastore", "warehouse", "uri", "token")


def catalog_settings(
    catalog: str,
    *,
    metastore: str,
    warehouse: str | os.PathLike[str] | None,
    uri: str | None,
    token: str | None,
    options: Mapping[str, str] | None,
) -> dict[str, str]:
    """Settings that make `catalog` a Paimon catalog; the parameters are those of the public functions.

    Secret options are written to a file, which one of the settings names.

    Raises
    ------
    InvalidInputError
        The name is no plain identifier, an option is unknown or malformed, or it has an argument of its own,
        or there are secrets and a file of secrets.

    Examples
    --------
    >>> settings = catalog_settings(
    ...     "paimon", metastore="embedded", warehouse="/data/w", uri=None, token=None, options=None
    ... )
    >>> for key, value in settings.items():
    ...     print(key, value)
    spark.sql.catalog.paimon org.sparkpaimon.PaimonCatalog
    spark.sql.catalog.paimon.metastore embedded
    spark.sql.catalog.paimon.warehouse /data/w
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", catalog, re.ASCII):
        raise errors.InvalidInputError("CATALOG_NAME_INVALID", name=catalog)
    extra = {key: str(value) for key, value in (options or {}).items()}
    for key in _ARGUMENTS:
        if key in extra:
            raise errors.InvalidInputError("CATALOG_OPTION_IS_ARGUMENT", key=key)
    given = {"metastore": metastore, "warehouse": _warehouse(warehouse), "uri": uri, "token": token}
    merged = {**{key: value for key, value in given.items() if value is not None}, **extra}
    validate_catalog_options(merged)
    prefix = f"spark.sql.catalog.{catalog}"
    named = _without_secrets(catalog, merged)
    return {prefix: CATALOG_CLASS, **{f"{prefix}.{key}": value for key, value in named.items()}}


def _without_secrets(catalog: str, options: Mapping[str, str]) -> dict[str, str]:
    secret = {key: value for key, value in options.items() if is_secret(key, value)}
    if not secret:
        return dict(options)
    if any(key.lower() == SECRETS_FILE for key in options):
        raise errors.InvalidInputError("SECRETS_FILE_GIVEN_TOO", key=next(iter(secret)))
    shown = {key: value for key, value in options.items() if key not in secret}
    return {**shown, SECRETS_FILE: str(secrets.keep(catalog, secret))}


def with_item(items: str | None, item: str) -> str:
    """A comma-separated list with `item` in it, at the end unless it is there already.

    Examples
    --------
    >>> with_item("a.jar,b.jar", "c.jar")
    'a.jar,b.jar,c.jar'
    >>> with_item(None, "c.jar")
    'c.jar'
    >>> with_item("file:/x/c.jar, b.jar", "/x/c.jar")
    'file:/x/c.jar, b.jar'
    """
    if not items or not items.strip():
        return item
    return items if holds_item(items, item) else f"{items},{item}"


def holds_item(items: str | None, item: str) -> bool:
    """Whether a comma-separated list holds `item`, where a local path may be written as a ``file:`` URI."""
    return any(_plain(each) == _plain(item) for each in (items or "").split(","))


def _plain(item: str) -> str:
    return re.sub(r"^file:/*", "/", item.strip())


def _warehouse(warehouse: str | os.PathLike[str] | None) -> str | None:
    if warehouse is None:
        return None
    text = os.fspath(warehouse)
    # The process behind the catalog need not share the working directory of this one.
    return text if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", text) else str(Path(text).absolute())
