"""Which handler answers which method and path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.wire.names import decode_segment
from spark_paimon.server import databases, later, partitions, tables
from spark_paimon.server.call import Call
from spark_paimon.server.document import document
from spark_paimon.server.refusals import RequestRefused

Handler = Callable[[EmbeddedCatalog, Call], Any]

ROOT = f"/v1/{databases.PREFIX}"
_DATABASE = f"{ROOT}/databases/{{database}}"
_TABLE = f"{_DATABASE}/tables/{{table}}"


@dataclass(frozen=True)
class Endpoint:
    """One operation.

    Parameters
    ----------
    method, path
        A part of the path in braces stands for any text, which the handler gets decoded.
    handler
        Gives the answer: a JSON value, or None for an empty one.
    answer, body
        Forms of the answer and of the request in ``openapi.json``; None when there is none.
    query
        Parameters behind the question mark.
    public
        Whether it needs no token.
    """

    method: str
    path: str
    handler: Handler
    answer: str | None = None
    body: str | None = None
    query: tuple[str, ...] = ()
    public: bool = False

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The path between its slashes."""
        return tuple(self.path.split("/")[1:])

    def match(self, segments: Sequence[str]) -> dict[str, str] | None:
        """Parts of a path by name, or None when it is another path."""
        if len(segments) != len(self.parts):
            return None
        found: dict[str, str] = {}
        for part, segment in zip(self.parts, segments, strict=True):
            if part.startswith("{") and segment:
                found[part[1:-1]] = segment
            elif part != segment:
                return None
        return found


def _get(path: str, handler: Handler, answer: str, *query: str) -> Endpoint:
    return Endpoint("GET", path, handler, answer, None, query)


def _post(path: str, handler: Handler, body: str, answer: str | None = None) -> Endpoint:
    return Endpoint("POST", path, handler, answer, body)


def _describe(catalog: EmbeddedCatalog, call: Call) -> Any:
    """The document of the protocol."""
    del catalog, call
    return document(ENDPOINTS)


_PAGE = ("maxResults", "pageToken")
_DATABASES = "databaseNamePattern"
_TABLES = ("tableNamePattern", "tableType", *_PAGE)

ENDPOINTS = (
    Endpoint("GET", "/healthz", databases.healthy, "Health", public=True),
    _get("/openapi.json", _describe, "Anything"),
    _get("/v1/config", databases.configuration, "Config", "warehouse"),
    _get(f"{ROOT}/databases", databases.list_databases, "DatabaseNames", _DATABASES, *_PAGE),
    _post(f"{ROOT}/databases", databases.create_database, "NewDatabase"),
    _get(_DATABASE, databases.get_database, "Database"),
    _post(_DATABASE, databases.alter_database, "DatabaseChanges", "ChangedDatabase"),
    Endpoint("DELETE", _DATABASE, databases.drop_database, query=("cascade",)),
    _get(f"{_DATABASE}/tables", tables.list_tables, "TableNames", *_TABLES),
    _post(f"{_DATABASE}/tables", tables.create_table, "NewTable"),
    _get(f"{_DATABASE}/table-details", tables.list_details, "TableDetails", *_TABLES),
    _post(f"{_DATABASE}/table-plans", tables.plan_table, "NewTable", "Table"),
    _get(f"{ROOT}/tables", tables.list_everywhere, "Identifiers", _DATABASES, *_TABLES),
    _post(f"{ROOT}/tables/rename", tables.rename_table, "Renaming"),
    _get(f"{ROOT}/tables/id/{{id}}", tables.get_table_by_id, "Table"),
    _get(_TABLE, tables.get_table, "Table"),
    _post(_TABLE, tables.alter_table, "TableChanges"),
    Endpoint("DELETE", _TABLE, tables.drop_table),
    _post(f"{_TABLE}/replace", tables.replace_table, "Replacement"),
    _get(f"{_TABLE}/partitions", partitions.list_partitions, "Partitions", "partitionNamePattern", *_PAGE),
    _post(f"{_TABLE}/partitions", partitions.create_partitions, "NewPartitions", "RegisteredPartitions"),
    _post(f"{_TABLE}/partitions/drop", partitions.drop_partitions, "OldPartitions", "ForgottenPartitions"),
    _post(f"{_TABLE}/partitions/list-by-names", partitions.list_by_names, "SpecsToFind", "Partitions"),
    _post(f"{_TABLE}/partitions/list-by-filter", partitions.list_by_filter, "Question", "Partitions"),
    _post(f"{_TABLE}/partitions/mark", partitions.mark_done, "Specs"),
    *(
        Endpoint(
            entry.method,
            entry.path,
            entry.handler,
            entry.answer,
            "Anything" if entry.method == "POST" else None,
            entry.query,
        )
        for entry in later.unbuilt(ROOT, _DATABASE, _TABLE)
    ),
)
"""All operations."""


_LONGEST_METHOD = 20
_BY_LENGTH: dict[int, list[Endpoint]] = {}
for _endpoint in ENDPOINTS:
    _BY_LENGTH.setdefault(len(_endpoint.parts), []).append(_endpoint)


def segments_of(raw_path: bytes) -> list[str]:
    """Decoded parts of a path as it was sent.

    Examples
    --------
    >>> segments_of(b"/v1/paimon/databases/a%2Fb+c")
    ['v1', 'paimon', 'databases', 'a/b c']
    """
    return [decode_segment(part) for part in raw_path.decode("ascii", "replace").split("/")[1:]]


def find(method: str, raw_path: bytes) -> tuple[Endpoint, dict[str, str]]:
    """The operation of a request, with the parts of its path.

    Raises
    ------
    RequestRefused
        There is none: ``ENDPOINT_UNKNOWN``, or ``METHOD_NOT_ALLOWED`` when the path has others.
    """
    segments = segments_of(raw_path)
    methods: set[str] = set()
    for endpoint in _BY_LENGTH.get(len(segments), ()):
        found = endpoint.match(segments)
        if found is None:
            continue
        if endpoint.method == method:
            return endpoint, found
        methods.add(endpoint.method)
    if methods:
        allowed = ", ".join(sorted(methods))
        raise RequestRefused(
            405,
            "METHOD_NOT_ALLOWED",
            headers={"allow": allowed},
            method=method[:_LONGEST_METHOD],
            allowed=allowed,
        )
    raise RequestRefused(404, "ENDPOINT_UNKNOWN", resource_type="UNKNOWN")
