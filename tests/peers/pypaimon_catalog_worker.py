"""Runs where pypaimon is installed, without this package: see :mod:`tests.peers.pypaimon_catalog`.

A request calls one method of a catalog. What JSON has no form for is an object with one key that begins with
a colon, for instance ``{":table": ["db", "t"]}``.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import traceback
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory
from pypaimon.api.api_response import PagedList
from pypaimon.catalog.database import Database
from pypaimon.catalog.rest.property_change import PropertyChange
from pypaimon.common.identifier import Identifier
from pypaimon.function.function import FunctionImpl
from pypaimon.schema.data_types import DataField, DataTypeParser
from pypaimon.schema.schema import Schema
from pypaimon.schema.schema_change import Move, SchemaChange
from pypaimon.table.format.format_table import FormatTable
from pypaimon.table.instant import Instant

_catalogs: dict[str, Any] = {}


def _argument(form: Any) -> Any:
    if isinstance(form, list):
        return [_argument(item) for item in form]
    if not isinstance(form, dict):
        return form
    if len(form) == 1:
        ((kind, content),) = form.items()
        if kind in _FORMS:
            return _FORMS[kind](content)
    return {key: _argument(item) for key, item in form.items()}


def _schema(form: dict[str, Any]) -> Schema:
    fields = [DataField.from_dict(field) for field in form["fields"]]
    return Schema(fields, form["partitionKeys"], None, form["options"], form.get("comment"))


def _change(form: list[Any]) -> SchemaChange:
    """Name of the maker, then its arguments."""
    name, *arguments = form
    return getattr(SchemaChange, name)(*[_argument(argument) for argument in arguments])


_FORMS = {
    ":table": lambda form: Identifier.create(*form),
    ":schema": _schema,
    ":change": _change,
    ":type": DataTypeParser.parse_data_type,
    ":move": lambda form: getattr(Move, form[0])(*form[1:]),
    ":set": lambda form: PropertyChange.set_property(*form),
    ":remove": PropertyChange.remove_property,
    ":instant": Instant.from_dict,
    ":function": lambda form: FunctionImpl(Identifier.create(*form), [], [], True, {}, None, {}),
}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, PagedList):
        return {"elements": _plain(value.elements), "next": value.next_page_token}
    if isinstance(value, Database):
        return {"name": value.name, "options": _plain(value.options)}
    if isinstance(value, FormatTable):
        return {
            "location": value.location(),
            "format": value.format().value,
            "fields": [field.to_dict() for field in value.fields],
            "partitionKeys": value.partition_keys,
            "options": _plain(value.options()),
            "comment": value.comment,
        }
    if isinstance(value, Schema):
        return {"fields": [field.to_dict() for field in value.fields]}
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return str(value)


def _open(request: dict[str, Any]) -> None:
    _catalogs[request["catalog"]] = CatalogFactory.create(request["options"])


def _call(request: dict[str, Any]) -> Any:
    target = _catalogs[request["catalog"]]
    if request["api"]:
        target = target.rest_api
    arguments = [_argument(argument) for argument in request["arguments"]]
    named = {key: _argument(argument) for key, argument in request["named"].items()}
    return _plain(getattr(target, request["method"])(*arguments, **named))


def _write(request: dict[str, Any]) -> None:
    table = _catalogs[request["catalog"]].get_table(_argument(request["table"]))
    with pa.ipc.open_file(request["arrow"]) as source:
        rows = source.read_all()
    builder = table.new_batch_write_builder()
    if request["overwrite"] is not None:
        builder = builder.overwrite(request["overwrite"])
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(rows)
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def _read(request: dict[str, Any]) -> None:
    table = _catalogs[request["catalog"]].get_table(_argument(request["table"]))
    builder = table.new_read_builder()
    if request["partition"]:
        builder = builder.with_partition_filter(request["partition"])
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    with pa.ipc.new_file(request["arrow"], rows.schema) as sink:
        sink.write_table(rows)


_ACTIONS = {"open": _open, "call": _call, "write": _write, "read": _read}


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": _ACTIONS[request["action"]](request)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)
