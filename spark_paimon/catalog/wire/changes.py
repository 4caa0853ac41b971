"""Changes of a table, as JSON in the request that alters it.

Examples
--------
>>> from spark_paimon.schema import IntType
>>> changes_to_json([AddColumn(("a",), IntType(), after="b")])[0]["move"]
{'fieldName': 'a', 'referenceFieldName': 'b', 'type': 'AFTER'}
>>> changes_from_json([{"action": "dropColumn", "fieldNames": ["r", "element", "a"]}])
[DropColumn(name=('r', 'element', 'a'))]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spark_paimon import errors
from spark_paimon.schema import (
    AddColumn,
    Change,
    DataType,
    DropColumn,
    RemoveOption,
    RenameColumn,
    SetOption,
    UpdateColumnComment,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
    parse_type,
)

_Move = tuple[bool, str | None]

_REFUSED = {
    "updateColumnDefaultValue": "columns have no default values; write the value in every INSERT",
    "dropPrimaryKey": "format tables have no primary key",
}


def changes_to_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The list ``changes`` of a request.

    A field inside of a column that is moved has no form in the protocol: it is sent with its whole path, in
    ``fieldNames``, which our server understands and others refuse because there is no such column.
    """
    return [_to_json(change) for change in changes]


def changes_from_json(forms: Any) -> list[Change]:
    """The changes that a request asks for, in their order.

    A change of type that does not keep the nullability becomes two changes.

    Raises
    ------
    InvalidInputError
        ``SCHEMA_CHANGE_MALFORMED``: a part is missing or of the wrong kind; names action and field.
    UnsupportedError
        ``SCHEMA_CHANGE_UNSUPPORTED``: an action, or a place for a column, that is not known here.
    """
    if not isinstance(forms, (list, tuple)):
        raise _malformed("(none)", "changes", "it is no list")
    return [change for form in forms for change in _from_json(form)]


def _to_json(change: Change) -> dict[str, Any]:
    if isinstance(change, SetOption):
        return {"action": "setOption", "key": change.key, "value": change.value}
    if isinstance(change, RemoveOption):
        return {"action": "removeOption", "key": change.key}
    if isinstance(change, UpdateComment):
        return {"action": "updateComment", "comment": change.comment}
    path = list(change.name)
    if isinstance(change, UpdateColumnPosition):
        form: dict[str, Any] = {"action": "updateColumnPosition"}
        if len(path) > 1:
            form["fieldNames"] = path
        return {**form, "move": _move_to_json(".".join(path), change)}
    if isinstance(change, AddColumn):
        placed = change.first or change.after is not None
        return {
            "action": "addColumn",
            "fieldNames": path,
            "dataType": change.type.to_json(),
            "comment": change.comment,
            "move": _move_to_json(path[-1], change) if placed else None,
        }
    if isinstance(change, RenameColumn):
        return {"action": "renameColumn", "fieldNames": path, "newName": change.new_name}
    if isinstance(change, DropColumn):
        return {"action": "dropColumn", "fieldNames": path}
    if isinstance(change, UpdateColumnType):
        return {
            "action": "updateColumnType",
            "fieldNames": path,
            "newDataType": change.type.to_json(),
            "keepNullability": True,
        }
    if isinstance(change, UpdateColumnNullability):
        return {"action": "updateColumnNullability", "fieldNames": path, "newNullability": change.nullable}
    return {"action": "updateColumnComment", "fieldNames": path, "newComment": change.comment}


def _move_to_json(name: str, change: AddColumn | UpdateColumnPosition) -> dict[str, Any]:
    kind = "FIRST" if change.first else "LAST" if change.after is None else "AFTER"
    return {"fieldName": name, "referenceFieldName": None if change.first else change.after, "type": kind}


def _from_json(form: Any) -> list[Change]:
    action = form.get("action") if isinstance(form, Mapping) else None
    if not isinstance(action, str):
        raise _malformed("(none)", "action", "it is missing")
    read = _READERS.get(action)
    if read is None:
        raise _unsupported(action, _REFUSED.get(action, "there is no such change here"))
    return read(_Parts(action, form))


class _Parts:
    """The fields of one change, each checked when it is taken."""

    def __init__(self, action: str, form: Mapping[str, Any]) -> None:
        self.action = action
        self.form = form

    def text(self, field: str) -> str:
        value = self.form.get(field)
        if not isinstance(value, str):
            raise _malformed(self.action, field, _absence(value, "a text"))
        return value

    def optional(self, field: str) -> str | None:
        return None if self.form.get(field) is None else self.text(field)

    def flag(self, field: str, default: bool | None = None) -> bool:
        value = self.form.get(field, default)
        if not isinstance(value, bool):
            raise _malformed(self.action, field, _absence(value, "true or false"))
        return value

    def path(self) -> tuple[str, ...]:
        value = self.form.get("fieldNames")
        if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
            raise _malformed(self.action, "fieldNames", _absence(value, "a list of names"))
        return tuple(value)

    def type(self, field: str) -> DataType:
        value = self.form.get(field)
        if value is None:
            raise _malformed(self.action, field, "it is missing")
        try:
            return parse_type(value)
        except errors.InvalidInputError as error:
            raise _malformed(self.action, field, error.text.rstrip(".")) from error
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise _malformed(self.action, field, "it is no type") from error

    def move(self) -> tuple[str, _Move]:
        """Name of the column that is moved, and where to."""
        value = self.form.get("move")
        if not isinstance(value, Mapping):
            raise _malformed(self.action, "move", _absence(value, "an object"))
        inside = _Parts(self.action, value)
        name, kind = inside.text("fieldName"), inside.text("type").upper()
        if kind == "FIRST":
            return name, (True, None)
        if kind == "AFTER":
            return name, (False, inside.text("referenceFieldName"))
        if kind == "LAST":
            return name, (False, None)
        raise _unsupported(self.action, f"a column is put FIRST, LAST or AFTER another one, not {kind[:20]}")


def _add_column(parts: _Parts) -> list[Change]:
    first, after = (False, None) if parts.form.get("move") is None else parts.move()[1]
    kind, comment = parts.type("dataType"), parts.optional("comment")
    return [AddColumn(parts.path(), kind, comment, first, after)]


def _update_column_type(parts: _Parts) -> list[Change]:
    path, kind = parts.path(), parts.type("newDataType")
    changes: list[Change] = [UpdateColumnType(path, kind)]
    if not parts.flag("keepNullability", False):
        changes.append(UpdateColumnNullability(path, kind.nullable))
    return changes


def _update_column_position(parts: _Parts) -> list[Change]:
    name, (first, after) = parts.move()
    path = (name,) if parts.form.get("fieldNames") is None else parts.path()
    return [UpdateColumnPosition(path, first, after)]


_READERS: Mapping[str, Callable[[_Parts], list[Change]]] = {
    "setOption": lambda parts: [SetOption(parts.text("key"), parts.text("value"))],
    "removeOption": lambda parts: [RemoveOption(parts.text("key"))],
    "updateComment": lambda parts: [UpdateComment(parts.optional("comment"))],
    "addColumn": _add_column,
    "renameColumn": lambda parts: [RenameColumn(parts.path(), parts.text("newName"))],
    "dropColumn": lambda parts: [DropColumn(parts.path())],
    "updateColumnType": _update_column_type,
    "updateColumnNullability": lambda parts: [
        UpdateColumnNullability(parts.path(), parts.flag("newNullability"))
    ],
    "updateColumnComment": lambda parts: [UpdateColumnComment(parts.path(), parts.optional("newComment"))],
    "updateColumnPosition": _update_column_position,
}


def _absence(value: Any, wanted: str) -> str:
    return "it is missing" if value is None else f"it is not {wanted}"


def _malformed(action: str, field: str, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("SCHEMA_CHANGE_MALFORMED", action=action, field=field, reason=reason)


def _unsupported(action: str, reason: str) -> errors.UnsupportedError:
    return errors.UnsupportedError("SCHEMA_CHANGE_UNSUPPORTED", action=action[:50], reason=reason)
