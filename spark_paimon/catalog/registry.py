"""Which catalog a set of options asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.options import catalog_option, validate_catalog_options, with_secrets


def _embedded(options: Mapping[str, str]) -> Catalog:
    try:
        from spark_paimon.catalog.embedded import EmbeddedCatalog
    except ImportError as error:
        raise errors.UnsupportedError(
            "CATALOG_EXTRA_MISSING", metastore="embedded", package=error.name, hint="pip install sqlalchemy"
        ) from error
    return EmbeddedCatalog(options)


def _filesystem(options: Mapping[str, str]) -> Catalog:
    from spark_paimon.catalog.filesystem import FilesystemCatalog

    return FilesystemCatalog(options)


def _rest(options: Mapping[str, str]) -> Catalog:
    from spark_paimon.catalog.rest import RestCatalog

    return RestCatalog(options)


# The loaders import what they need: a catalog in files needs no database driver.
_LOADERS: dict[str, Callable[[Mapping[str, str]], Catalog]] = {
    "embedded": _embedded,
    "filesystem": _filesystem,
    "rest": _rest,
}


def load_catalog(options: Mapping[str, str]) -> Catalog:
    """Open a catalog.

    Parameters
    ----------
    options
        Catalog options; ``metastore`` says which kind, ``filesystem`` when absent. ``secrets-file`` names a
        file with more of them.

    Raises
    ------
    InvalidInputError
        An option is unknown or malformed, or one that the kind needs is missing, or the file of secrets is
        unreadable.
    UnsupportedError
        The kind needs a package that is not installed.
    CatalogError
        The catalog cannot be reached.

    Examples
    --------
    >>> import tempfile
    >>> with load_catalog({"warehouse": tempfile.mkdtemp()}) as catalog:
    ...     catalog.list_databases(), catalog.supports_managed_partitions
    (['default'], False)
    """
    checked = validate_catalog_options(with_secrets(options))
    return _LOADERS[str(catalog_option(checked, "metastore"))](checked)
