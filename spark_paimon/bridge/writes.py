"""Writes of Spark: what is checked before tasks start, and what happens with the files they staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_paimon import errors
from spark_paimon.bridge import messages
from spark_paimon.bridge.definitions import schema_of
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.opening import opened
from spark_paimon.bridge.partitions import from_wire
from spark_paimon.bridge.tables import describe, table_uuid
from spark_paimon.bridge.write_tasks import begun
from spark_paimon.catalog import Catalog, Identifier, TableInfo
from spark_paimon.options import choice, parse_boolean
from spark_paimon.partition.values import Value
from spark_paimon.table import FormatTable, as_used
from spark_paimon.table.commit import StagedFile, WriteMode, abort, check_write, commit
from spark_paimon.table.replace import replace_contents

_OVERWRITE_MODE = "partitionoverwritemode"
_DYNAMIC_OVERWRITE = "dynamic-partition-overwrite"


def begin(catalog: Catalog, request: messages.BeginWrite, jvm_session: Any) -> messages.BegunWrite:
    """Refuse a write that cannot succeed, before a task runs, and say what workers have to run."""
    table = _table(catalog, request)
    check_write(table, *_mode_and_static(table, request))
    return begun(table, jvm_session)


def commit_files(catalog: Catalog, request: messages.FinishWrite) -> messages.Done:
    """Publish what the tasks staged."""
    table = _table(catalog, request)
    commit(table, _staged(table, request.files), *_mode_and_static(table, request))
    return messages.Done()


def abort_files(catalog: Catalog, request: messages.FinishWrite) -> messages.Done:
    """Remove what the tasks of a failed write staged."""
    try:
        table = _table(catalog, request)
    except errors.NoSuchTableError:
        return messages.Done()  # the staged files went with the directory of the table
    # Without specs: a value that no partition can have must not keep the files that carry it.
    abort(table, [_staged_file(file, {}) for file in request.files])
    return messages.Done()


def _mode_and_static(table: FormatTable, request: messages.BeginWrite) -> tuple[WriteMode, dict[str, Value]]:
    """What a write replaces.

    A PARTITION clause with a value for each partition column means that partition, in dynamic mode and
    without rows too.
    """
    mode, clause = _mode(request), request.partition_clause
    if not clause or len(clause) < len(table.partition_keys):
        return mode, from_wire(table, request.static)
    static = table.layout.literals(clause, table.full_name)
    return mode if mode is WriteMode.APPEND else WriteMode.OVERWRITE, static


def _mode(request: messages.BeginWrite) -> WriteMode:
    """The mode of a write: for an overwrite of everything an option of the writer counts before the session's
    setting, by which Spark has decided already, as with Spark's own files.
    """
    mode = WriteMode(request.mode)
    if mode is WriteMode.APPEND or request.static or request.partition_clause:
        return mode
    for key, text in request.use.items():
        if key.lower() == _OVERWRITE_MODE:
            kind = choice("static", "dynamic").parse(text, key)
            return WriteMode.OVERWRITE_DYNAMIC if kind == "dynamic" else WriteMode.OVERWRITE
        if key.lower() == _DYNAMIC_OVERWRITE:
            return WriteMode.OVERWRITE_DYNAMIC if parse_boolean(text, key) else WriteMode.OVERWRITE
    return mode


def _table(catalog: Catalog, request: messages.BeginWrite) -> FormatTable:
    """The table that the write was planned for, and not another one of its name."""
    table = opened(catalog, request)
    if table_uuid(table) != request.uuid:
        raise errors.IllegalStateError("TABLE_REPLACED", table=table.full_name)
    return table


def refuse_overwrite(catalog: Catalog, request: messages.UnsupportedOverwrite) -> messages.Done:
    """An overwrite of rows, which files cannot do."""
    table = Identifier(request.database, request.table)
    raise errors.UnsupportedError(
        "OVERWRITE_CONDITION_UNSUPPORTED", table=str(table), condition=request.condition
    )


def _staged(table: FormatTable, files: Sequence[Json]) -> list[StagedFile]:
    return [_staged_file(file, table.layout.spec(from_wire(table, file["values"]))) for file in files]


def _staged_file(file: Json, spec: Mapping[str, str]) -> StagedFile:
    return StagedFile(
        spec=spec,
        staged=file["staged"],
        final=file["final"],
        rows=file["rows"],
        size=file["size"],
        created_directory=file["created_directory"],
    )


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
    return as_used(FormatTable(info, catalog), request.session.catalog, request.session.settings)


def begin_staged(catalog: Catalog, request: messages.DefineTable, jvm_session: Any) -> messages.BegunWrite:
    """Say what workers have to run for a table that is not stored yet."""
    return begun(_planned(catalog, request), jvm_session)


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
    abort(table, [_staged_file(file, {}) for file in request.files])
    if not table.info.external and not catalog.table_exists(table.identifier):
        # The tasks made it for their files; a directory that the user named is the user's.
        table.storage.remove_empty_directory(table.location)
    return messages.Done()
