"""Procedures: what ``CALL <catalog>.sys.<name>(…)`` runs, also usable as plain functions."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from spark_paimon import errors
from spark_paimon.procedures import analyze, delta, expire, orphans, partitions, repair
from spark_paimon.procedures.model import REQUIRED, Parameter, Procedure, ProcedureContext

__all__ = ["PROCEDURES", "REQUIRED", "Parameter", "Procedure", "ProcedureContext", "procedure"]

PROCEDURES: Mapping[str, Procedure] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            analyze.PROCEDURE,
            repair.PROCEDURE,
            partitions.ADD_PARTITION,
            partitions.ALTER_PARTITION,
            partitions.DROP_PARTITIONS,
            partitions.MARK_PARTITION_DONE,
            expire.PROCEDURE,
            delta.PROCEDURE,
            orphans.PROCEDURE,
        )
    }
)
"""All procedures by name."""


def procedure(name: str) -> Procedure:
    """Return the procedure of a name, in any case.

    Raises
    ------
    NoSuchProcedureError
        ``PROCEDURE_UNKNOWN``.

    Examples
    --------
    >>> procedure("ANALYZE").name
    'analyze'
    """
    found = PROCEDURES.get(name.lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), PROCEDURES, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise errors.NoSuchProcedureError(
            "PROCEDURE_UNKNOWN", name=name, hint=hint, known=", ".join(sorted(PROCEDURES))
        )
    return found
