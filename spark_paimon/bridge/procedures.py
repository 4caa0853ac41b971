"""``CALL``, and the statements that are procedures under another name."""

from __future__ import annotations

from typing import Any

from spark_paimon import errors
from spark_paimon.bridge import messages
from spark_paimon.bridge.delta import SessionDelta
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.opening import opened
from spark_paimon.catalog import Catalog
from spark_paimon.procedures import PROCEDURES, Parameter, ProcedureContext, procedure
from spark_paimon.procedures.analyze import analyze
from spark_paimon.procedures.repair import repair

_NAMESPACE = "sys"


def load(catalog: Catalog, request: messages.LoadProcedure) -> messages.ProcedureDescription:
    """What Spark needs to bind the arguments of a CALL."""
    if request.namespace.lower() != _NAMESPACE:
        name = f"{request.namespace}.{request.name}"
        hint = f" Procedures are in the namespace {_NAMESPACE}."
        raise errors.NoSuchProcedureError(
            "PROCEDURE_UNKNOWN", name=name, hint=hint, known=", ".join(sorted(PROCEDURES))
        )
    found = procedure(request.name)
    return messages.ProcedureDescription(
        found.name, found.description, [_parameter(parameter) for parameter in found.parameters]
    )


def _parameter(parameter: Parameter) -> Json:
    described = {"name": parameter.name, "type": parameter.type}
    if not parameter.required:
        described["default_sql"] = _sql(parameter.default)
    return described


def _sql(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else "'" + str(value).replace("'", "\\'") + "'"


def list_all(catalog: Catalog, request: messages.ListProcedures) -> messages.ProcedureNames:
    """SHOW PROCEDURES."""
    return messages.ProcedureNames(sorted(PROCEDURES) if request.namespace.lower() == _NAMESPACE else [])


def call(catalog: Catalog, request: messages.CallProcedure, jvm_session: Any) -> messages.Rows:
    """CALL <catalog>.sys.<name>(…)."""
    found = procedure(request.name)
    context = _context(catalog, request, jvm_session)
    given = {name: value for name, value in request.arguments.items() if value is not None}
    rows = found.run(context, given)
    columns = [{"name": name, "type": kind} for name, kind in found.result]
    return messages.Rows(columns, [list(row) for row in rows])


def _context(
    catalog: Catalog, request: messages.CallProcedure | messages.Statement, jvm_session: Any
) -> ProcedureContext:
    from spark_paimon.bridge.executors import row_counter

    return ProcedureContext(
        catalog,
        count_rows=row_counter(jvm_session, catalog.storage_options),
        default_database=request.current_database,
        catalog_name=request.session.catalog,
        options=request.session.settings,
        time_zone=request.time_zone,
        delta=SessionDelta(jvm_session),
    )


def analyze_statement(
    catalog: Catalog, request: messages.AnalyzeStatement, jvm_session: Any
) -> messages.Done:
    """ANALYZE TABLE t [PARTITION (…)] COMPUTE STATISTICS [NOSCAN]."""
    table = opened(catalog, request)
    table.require_managed("ANALYZE TABLE")
    for column in request.columns:
        table.layout.resolve(column, table.full_name, request.case_sensitive)
    context = _context(catalog, request, jvm_session)
    analyze(
        table,
        table.layout.literals(request.partition, table.full_name, request.case_sensitive),
        noscan=request.noscan,
        row_counter=context.count_rows,
    )
    return messages.Done()


def repair_statement(catalog: Catalog, request: messages.RepairStatement) -> messages.Done:
    """MSCK REPAIR TABLE t [ADD|DROP|SYNC PARTITIONS]."""
    table = opened(catalog, request)
    repair(
        table,
        request.mode,
        collect_statistics=table.table_options.get("format-table.repair.collect-statistics"),
    )
    return messages.Done()
