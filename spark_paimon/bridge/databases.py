"""Operations on databases."""

from __future__ import annotations

from spark_paimon.bridge import messages
from spark_paimon.catalog import Catalog

_LOCATION = "location"
_COMMENT = "comment"
_OWNER = "owner"


def list_all(catalog: Catalog, request: messages.ListDatabases) -> messages.DatabaseNames:
    """SHOW DATABASES."""
    return messages.DatabaseNames(catalog.list_databases())


def load(catalog: Catalog, request: messages.NamedDatabase) -> messages.DatabaseProperties:
    """DESCRIBE DATABASE, and every statement that needs to know whether it exists."""
    database = catalog.get_database(request.database)
    properties = dict(database.options)
    properties[_LOCATION] = database.location
    if database.comment is not None:
        properties[_COMMENT] = database.comment
    if database.owner is not None:
        properties[_OWNER] = database.owner
    return messages.DatabaseProperties(properties)


def create(catalog: Catalog, request: messages.CreateDatabase) -> messages.Done:
    """CREATE DATABASE."""
    options = dict(request.properties)
    catalog.create_database(
        request.database,
        comment=options.pop(_COMMENT, None),
        location=options.pop(_LOCATION, None),
        owner=options.pop(_OWNER, None),
        options=options,
    )
    return messages.Done()


def alter(catalog: Catalog, request: messages.AlterDatabase) -> messages.Done:
    """ALTER DATABASE … SET DBPROPERTIES, SET LOCATION, SET OWNER; COMMENT ON DATABASE."""
    catalog.alter_database(request.database, request.set, request.remove)
    return messages.Done()


def drop(catalog: Catalog, request: messages.DropDatabase) -> messages.Done:
    """DROP DATABASE [CASCADE]."""
    catalog.drop_database(request.database, cascade=request.cascade)
    return messages.Done()
