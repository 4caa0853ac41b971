"""Tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.definitions import PATH
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.models import Identifier, TableInfo
from spark_paimon.catalog.wire import definitions as wire
from spark_paimon.catalog.wire.changes import changes_from_json
from spark_paimon.options import TableOptions
from spark_paimon.schema import Schema
from spark_paimon.server.call import Call, check_absolute
from spark_paimon.server.patterns import matching
from spark_paimon.server.refusals import malformed

_TYPE = "type"
_DEEPEST = 100


def _names(catalog: EmbeddedCatalog, database: str, call: Call) -> list[str]:
    names = matching(catalog.list_tables(database), call.query.get("tableNamePattern"))
    wanted = call.query.get("tableType")
    if not wanted:
        return names
    infos = catalog.load_table_infos(database, names)
    return [info.identifier.name for info in infos if _type(info) == wanted.lower()]


def _type(info: TableInfo) -> str:
    return str(TableOptions(info.schema.options).get(_TYPE)).lower()


def list_tables(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Names of a page."""
    page, token = call.page.cut(_names(catalog, call.database, call))
    return {"tables": page, "nextPageToken": token}


def list_details(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Everything about the tables of a page."""
    page, token = call.page.cut(_names(catalog, call.database, call))
    # One that was dropped in between is left out.
    details = [wire.table_to_json(info) for info in catalog.load_table_infos(call.database, page)]
    return {"tableDetails": details, "nextPageToken": token}


def list_everywhere(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Identifiers of a page over all databases, sorted by database and name."""
    found: list[tuple[str, str]] = []
    for database in matching(catalog.list_databases(), call.query.get("databaseNamePattern")):
        try:
            found.extend((database, name) for name in _names(catalog, database, call))
        except errors.NoSuchDatabaseError:
            continue  # dropped in between
    # No name holds a slash, and the order is that of the pairs.
    keys: Sequence[str] = sorted(f"{database}/{name}" for database, name in found)
    page, token = call.page.cut(keys)
    tables = [wire.identifier_to_json(Identifier(*key.split("/"))) for key in page]
    return {"tables": tables, "nextPageToken": token}


def create_table(catalog: EmbeddedCatalog, call: Call) -> None:
    """Create one; one that exists is a conflict."""
    identifier = _below(call, call.body["identifier"])
    catalog.create_table(identifier, _schema(call))


def plan_table(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Say what creating or replacing a table would store, and where; nothing is stored."""
    identifier = _below(call, call.body["identifier"])
    return wire.table_to_json(catalog.plan_table(identifier, _schema(call)))


def _schema(call: Call) -> Schema:
    form = call.body["schema"]
    _check_depth(form)
    for key, text in (form.get("options") or {}).items():
        if key.lower() == PATH:
            check_absolute(text)
    return Schema.from_json(form)


def _check_depth(form: Any) -> None:
    """Refuse types that could be stored and then not be read, here or by a client."""
    level = [form]
    for _ in range(_DEEPEST):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise malformed("the types in its schema are nested too deeply")


def _below(call: Call, form: Any) -> Identifier:
    identifier = wire.identifier_from_json(form)
    if identifier.database != call.database:
        reason = f"the identifier names database {identifier.database}, the path {call.database}"
        raise errors.InvalidInputError("REQUEST_MALFORMED", reason=reason)
    return identifier


def get_table(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Everything about one."""
    return wire.table_to_json(catalog.load_table_info(call.table))


def get_table_by_id(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Everything about the one that has an id."""
    return wire.table_to_json(catalog.load_table_by_uuid(call.parameters["id"]))


def alter_table(catalog: EmbeddedCatalog, call: Call) -> None:
    """Apply changes, all or none."""
    catalog.alter_table(call.table, changes_from_json(call.body["changes"]))


def drop_table(catalog: EmbeddedCatalog, call: Call) -> None:
    """Drop one with its files if it is internal."""
    catalog.drop_table(call.table)


def rename_table(catalog: EmbeddedCatalog, call: Call) -> None:
    """Give one another name."""
    source = wire.identifier_from_json(call.body["source"])
    catalog.rename_table(source, wire.identifier_from_json(call.body["destination"]))


def replace_table(catalog: EmbeddedCatalog, call: Call) -> None:
    """Give one a new definition; its partitions are forgotten, its files are the client's business."""
    catalog.replace_table(call.table, _schema(call))
