"""The catalog behind a REST server: ours, or any other that speaks Paimon's protocol."""

from __future__ import annotations

from spark_paimon.catalog.rest.client import RestCatalog

__all__ = ["RestCatalog"]
