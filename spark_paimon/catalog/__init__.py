"""Catalogs: which databases, tables and partitions there are."""

from spark_paimon.catalog.interface import DEFAULT_DATABASE, Catalog
from spark_paimon.catalog.models import (
    CreateResult,
    Database,
    DropResult,
    Identifier,
    Partition,
    PartitionPage,
    Spec,
    TableInfo,
)
from spark_paimon.catalog.registry import load_catalog

__all__ = [
    "DEFAULT_DATABASE",
    "Catalog",
    "CreateResult",
    "Database",
    "DropResult",
    "Identifier",
    "Partition",
    "PartitionPage",
    "Spec",
    "TableInfo",
    "load_catalog",
]
