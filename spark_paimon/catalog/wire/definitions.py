"""Databases and tables as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.definitions import DROPPED_COLUMNS, PATH
from spark_paimon.catalog.models import Database, Identifier, TableInfo
from spark_paimon.catalog.wire.failures import shown
from spark_paimon.schema import Schema, TableSchema
from spark_paimon.schema.table_schema import highest_id
from spark_paimon.storage import qualify

COMMENT = "comment"
OWNER = "owner"
LOCATION = "location"
_OWN_FIELDS = (COMMENT, OWNER, LOCATION)


@dataclass(frozen=True)
class NewDatabase:
    """What a request to create a database says.

    Parameters
    ----------
    name, options
        Name and user properties.
    comment, owner, location
        On the wire they are options of these names; None when not said.
    """

    name: str
    options: Mapping[str, str]
    comment: str | None = None
    owner: str | None = None
    location: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Body of the request.

        Examples
        --------
        >>> NewDatabase("db", {}, comment="c").to_json()
        {'name': 'db', 'options': {'comment': 'c'}}
        """
        said = {key: getattr(self, key) for key in _OWN_FIELDS if getattr(self, key) is not None}
        return {"name": self.name, "options": {**self.options, **said}}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> NewDatabase:
        """Read the body of a request.

        Examples
        --------
        >>> NewDatabase.from_json({"name": "db", "options": {"owner": "me", "k": "v"}}).options
        {'k': 'v'}
        """
        options = dict(form.get("options") or {})
        said = {key: options.pop(key, None) for key in _OWN_FIELDS}
        return cls(form["name"], options, **said)


def database_to_json(database: Database) -> dict[str, Any]:
    """The answer to a question about a database."""
    options = dict(database.options)
    if database.comment is not None:
        options[COMMENT] = database.comment
    return {
        "id": database.uuid,
        "name": database.name,
        "location": database.location,
        "options": options,
        **_audit(database.owner, database.created_at, database.updated_at),
    }


def database_from_json(form: Mapping[str, Any]) -> Database:
    """Read what a server says about a database.

    Raises
    ------
    CatalogError
        ``REST_ANSWER_MALFORMED``.
    """
    try:
        options = {key: str(text) for key, text in (form.get("options") or {}).items() if text is not None}
        owner = options.pop(OWNER, None)
        options.pop(LOCATION, None)
        return Database(
            name=_text(form, "name"),
            location=qualify(_text(form, LOCATION)),
            comment=options.pop(COMMENT, None),
            options=options,
            owner=form.get(OWNER) or owner,
            uuid=_text(form, "id", ""),
            created_at=moment(form, "createdAt"),
            updated_at=moment(form, "updatedAt"),
        )
    except MISTAKES as error:
        raise malformed("a database", error) from error


def table_to_json(info: TableInfo) -> dict[str, Any]:
    """The answer to a question about a table.

    The location stands in ``path``. What a catalog keeps for itself among the options is left out.
    """
    schema = info.schema.as_schema().to_json()
    schema["options"].pop(DROPPED_COLUMNS, None)
    return {
        "id": info.uuid,
        "name": info.identifier.name,
        "database": info.identifier.database,
        "path": info.location,
        "isExternal": info.external,
        "schemaId": info.schema.id,
        "schema": schema,
        **_audit(info.owner, info.created_at, info.updated_at),
    }


def table_from_json(form: Mapping[str, Any], database: str | None = None) -> TableInfo:
    """Read what a server says about a table.

    Parameters
    ----------
    database
        For servers that leave it out.

    Raises
    ------
    CatalogError
        ``REST_ANSWER_MALFORMED``.
    """
    try:
        schema = Schema.from_json(form["schema"])
        options = dict(schema.options)
        location = options.pop(PATH, None)
        owner = form.get(OWNER) or options.pop(OWNER, None)
        return TableInfo(
            identifier=Identifier(_text(form, "database", database), _text(form, "name")),
            uuid=_text(form, "id", ""),
            location=qualify(_text(form, PATH, location)),
            external=bool(form.get("isExternal")),
            schema=TableSchema(
                id=int(form.get("schemaId") or 0),
                fields=schema.fields,
                highest_field_id=highest_id(schema.fields),
                partition_keys=schema.partition_keys,
                primary_keys=schema.primary_keys,
                options=options,
                comment=schema.comment,
                time_millis=moment(form, "createdAt") or 0,
            ),
            created_at=moment(form, "createdAt"),
            updated_at=moment(form, "updatedAt"),
            owner=owner,
        )
    except MISTAKES as error:
        raise malformed("a table", error) from error


def identifier_to_json(identifier: Identifier) -> dict[str, str]:
    """Name of a table in a body.

    Examples
    --------
    >>> identifier_to_json(Identifier("db", "t"))
    {'database': 'db', 'object': 't'}
    """
    return {"database": identifier.database, "object": identifier.name}


def identifier_from_json(form: Mapping[str, Any]) -> Identifier:
    """Read the name of a table from a body.

    Examples
    --------
    >>> identifier_from_json({"database": "db", "object": "t"})
    Identifier(database='db', name='t')
    """
    return Identifier(form["database"], form["object"])


def new_table_to_json(identifier: Identifier, schema: Schema, path: str | None) -> dict[str, Any]:
    """Body of a request to create a table; an external one names its location as option ``path``."""
    form = schema.to_json()
    if path is not None:
        form["options"][PATH] = path
    return {"identifier": identifier_to_json(identifier), "schema": form}


MISTAKES = (KeyError, TypeError, AttributeError, ValueError, RecursionError)
"""What reading an answer raises that has another form."""


def _text(form: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = form.get(key)
    if value is None:
        value = default
    if not isinstance(value, str) or not is_text(value):
        raise TypeError(f"'{key}' is no text")
    return value


def is_text(text: str) -> bool:
    """Whether a text from JSON can be stored and sent.

    Examples
    --------
    >>> is_text("é"), is_text(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def moment(form: Mapping[str, Any], key: str) -> int | None:
    """Epoch milliseconds in an answer, or None."""
    value = form.get(key)
    return None if value is None else int(value)


def malformed(what: str, error: Exception) -> errors.CatalogError:
    """Say that the answer of a server cannot be understood."""
    reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return errors.CatalogError("REST_ANSWER_MALFORMED", what=what, reason=shown(reason, 200))


def _audit(owner: str | None, created_at: int | None, updated_at: int | None) -> dict[str, Any]:
    return {
        OWNER: owner,
        "createdAt": created_at,
        "createdBy": owner,
        "updatedAt": updated_at,
        "updatedBy": None,
    }
