"""Configuration and databases."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_plus

from spark_paimon import __version__, errors
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.interface import DEFAULT_DATABASE
from spark_paimon.catalog.rest.client import SERVER_VERSION
from spark_paimon.catalog.wire import definitions as wire
from spark_paimon.server.call import Call, check_absolute
from spark_paimon.server.patterns import matching
from spark_paimon.storage import qualify

PREFIX = "paimon"
"""Segment of the path behind the version, told by the handshake."""


def healthy(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Whether the database answers."""
    del call
    catalog.get_database(DEFAULT_DATABASE)
    return {"status": "ok"}


def configuration(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Options for clients. Those that name a warehouse must mean this one."""
    asked = call.query.get("warehouse")
    # Some clients encode the name twice.
    if asked and catalog.warehouse not in (_place(asked), _place(unquote_plus(asked))):
        raise errors.NoSuchDatabaseError("WAREHOUSE_UNKNOWN", warehouse=asked[:200])
    defaults = {
        "prefix": PREFIX,
        "warehouse": catalog.warehouse,
        "case-sensitive": str(catalog.case_sensitive).lower(),
        SERVER_VERSION: __version__,
    }
    return {"defaults": defaults, "overrides": {}}


def _place(text: str) -> str:
    try:
        return qualify(text)
    except errors.PaimonError:
        return ""


def list_databases(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Names of a page."""
    names = matching(catalog.list_databases(), call.query.get("databaseNamePattern"))
    page, token = call.page.cut(names)
    return {"databases": page, "nextPageToken": token}


def create_database(catalog: EmbeddedCatalog, call: Call) -> None:
    """Create one; one that exists is a conflict."""
    new = wire.NewDatabase.from_json(call.body)
    check_absolute(new.location)
    catalog.create_database(
        new.name, options=new.options, comment=new.comment, location=new.location, owner=new.owner
    )


def get_database(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Everything about one."""
    return wire.database_to_json(catalog.get_database(call.database))


def alter_database(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Change options, and say which of the removals were there."""
    updates, removals = call.body.get("updates") or {}, call.body.get("removals") or []
    before = wire.database_to_json(catalog.get_database(call.database))["options"]
    catalog.alter_database(call.database, updates, removals)
    return {
        "removed": [key for key in removals if key in before],
        "updated": list(updates),
        "missing": [key for key in removals if key not in before],
    }


def drop_database(catalog: EmbeddedCatalog, call: Call) -> None:
    """Drop one with everything in it, as the protocol has it; ``cascade=false`` refuses a filled one."""
    catalog.drop_database(call.database, cascade=call.query.get("cascade") != "false")
