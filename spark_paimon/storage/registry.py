"""Which storage opens a location."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_paimon.storage.base import Storage
from spark_paimon.storage.local import LocalStorage
from spark_paimon.storage.paths import scheme_of

_LOCAL = LocalStorage()


def storage_for(location: str, options: Mapping[str, Any] | None = None) -> Storage:
    """Return the storage that holds a location.

    Parameters
    ----------
    location
        Hadoop Path string.
    options
        fsspec storage options (credentials, endpoint); unused for local locations.

    Raises
    ------
    UnsupportedError
        ``STORAGE_EXTRA_MISSING`` or ``STORAGE_SCHEME_UNKNOWN``.

    Examples
    --------
    >>> storage_for("file:/data")
    LocalStorage()
    """
    if scheme_of(location) == "file":
        return _LOCAL
    # fsspec is imported only where it is needed; local tables start faster without it.
    from spark_paimon.storage.remote import FsspecStorage

    return FsspecStorage(location, options)
