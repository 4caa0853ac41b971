"""Writes of Spark: what is checked before tasks start, and what happens with the files they staged."""

from __future__ import annotations

from collections.abc import Sequence

from spark_paimon import errors
from spark_paimon.bridge import messages
from spark_paimon.bridge.definitions import schema_of
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.partitions import from_wire
from spark_paimon.bridge.tables import describe
from spark_paimon.catalog import Catalog, Identifier, TableInfo
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile, WriteMode, abort, check_write, commit
from spark_paimon.table.replace import replace_contents


def begin(catalog: Catalog, request: messages.BeginWrite) -> messages.Done:
    """Refuse a write that cannot succeed, before a task runs."""
    table = catalog.get_table(Identifier(request.database, request.table))
    check_write(table, WriteMode(request.mode), from_wire(table, request.static))
    return messages.Done()


def commit_files(catalog: Catalog, request: messages.FinishWrite) -> messages.Done:
    """Publish what the tasks staged."""
    table = catalog.get_table(Identifier(request.database, request.table))
    static = from_wire(table, request.static)
    commit(table, _staged(table, request.files), WriteMode(request.mode), static)
    return messages.Done()


def abort_files(catalog: Catalog, request: messages.FinishWrite) -> messages.Done:
    """Remove what the tasks of a failed write staged."""
    table = catalog.get_table(Identifier(request.database, request.table))
    abort(table, _staged(table, request.files))
    return messages.Done()


def refuse_overwrite(catalog: Catalog, request: messages.UnsupportedOverwrite) -> messages.Done:
    """An overwrite of rows, which files cannot do."""
    table = Identifier(request.database, request.table)
    raise errors.UnsupportedError(
        "OVERWRITE_CONDITION_UNSUPPORTED", table=str(table), condition=request.condition
    )


def _staged(table: FormatTable, files: Sequence[Json]) -> list[StagedFile]:
    return [
        StagedFile(
            spec=table.layout.spec(from_wire(table, file["values"])),
            staged=file["staged"],
            final=file["final"],
            rows=file["rows"],
            size=file["size"],
            created_directory=file["created_directory"],
        )
        for file in files
    ]


# ---- CREATE TABLE AS SELECT, REPLACE TABLE
# -------------------------------------------------------------------


def stage_table(catalog: Catalog, request: messages.DefineTable) -> messages.TableDescription:
    """Check a new definition and tell where its files will go; nothing is stored yet."""
    identifier = Identifier(request.database, request.table)
    exists = catalog.table_exists(identifier)
    if exists and request.mode == "create":
        raise errors.TableExistsError("TABLE_EXISTS", table=str(identifier))
    if not exists and request.mode == "replace":
        raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=str(identifier))
    table = _planned(catalog, request)
    check_write(table, WriteMode.OVERWRITE)
    return describe(table)


def _planned(catalog: Catalog, request: messages.DefineTable) -> FormatTable:
    identifier = Identifier(request.database, request.table)
    info: TableInfo = catalog.plan_table(identifier, schema_of(catalog, request))
    return FormatTable(info, catalog)


def commit_staged_table(catalog: Catalog, request: messages.FinishStagedTable) -> messages.TableDescription:
    """Store the definition and publish the rows."""
    identifier = Identifier(request.database, request.table)
    files = _staged(_planned(catalog, request), request.files)
    old = catalog.get_table(identifier) if catalog.table_exists(identifier) else None
    if old is not None and request.mode == "create":
        raise errors.TableExistsError("TABLE_EXISTS", table=str(identifier))
    return describe(replace_contents(catalog, old, identifier, schema_of(catalog, request), files))


def abort_staged_table(catalog: Catalog, request: messages.FinishStagedTable) -> messages.Done:
    """Remove the rows; the definition was never stored."""
    table = _planned(catalog, request)
    abort(table, _staged(table, request.files))
    return messages.Done()
