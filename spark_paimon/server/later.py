"""What is not built yet: views, functions, snapshots, branches and tags.

Clients look for some of these on every statement, so lists are empty and single ones are missing; everything
else is refused as not built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.server.call import Call
from spark_paimon.server.refusals import RequestRefused

_PAGE = ("maxResults", "pageToken")
_Handler = Callable[[EmbeddedCatalog, Call], Any]


@dataclass(frozen=True)
class Unbuilt:
    """An operation, as in :class:`~spark_paimon.server.endpoints.Endpoint`."""

    method: str
    path: str
    handler: _Handler
    answer: str | None = None
    query: tuple[str, ...] = ()


def unbuilt(root: str, database: str, table: str) -> Iterator[Unbuilt]:
    """All of them, below the given paths."""
    for kind, title in (("view", "View"), ("function", "Function")):
        many = f"{kind}s"
        query = (f"{kind}NamePattern", *_PAGE)
        for above, more in ((root, ("databaseNamePattern",)), (database, ())):
            yield Unbuilt("GET", f"{above}/{many}", _nothing(many), f"{title}Names", (*more, *query))
        yield Unbuilt(
            "GET", f"{database}/{kind}-details", _nothing(f"{kind}Details"), f"{title}Details", query
        )
        yield Unbuilt("POST", f"{database}/{many}", _not_built)
        for method in ("GET", "POST", "DELETE"):
            yield Unbuilt(method, f"{database}/{many}/{{{kind}}}", _missing(kind))
    yield Unbuilt("POST", f"{root}/views/rename", _not_built)
    yield Unbuilt("POST", f"{database}/register", _not_built)
    for many in ("snapshots", "branches", "tags", "consumers"):
        more = ("tagNamePrefix",) if many == "tags" else ()
        yield Unbuilt("GET", f"{table}/{many}", _nothing(many), many.title(), (*_PAGE, *more))
    yield Unbuilt("GET", f"{table}/snapshot", _missing("snapshot"))
    yield Unbuilt("GET", f"{table}/snapshots/{{snapshot}}", _missing("snapshot"))
    yield Unbuilt("GET", f"{table}/tags/{{tag}}", _missing("tag"))
    yield Unbuilt("DELETE", f"{table}/tags/{{tag}}", _missing("tag"))
    yield Unbuilt("DELETE", f"{table}/branches/{{branch}}", _missing("branch"))
    for action in ("commit", "rollback", "rollback-schema", "branches", "tags", "auth", "consumers/reset"):
        yield Unbuilt("POST", f"{table}/{action}", _not_built)
    for action in ("forward", "rename"):
        yield Unbuilt("POST", f"{table}/branches/{{branch}}/{action}", _missing("branch"))
    yield Unbuilt("GET", f"{table}/token", _not_built)


def _checked(catalog: EmbeddedCatalog, call: Call) -> None:
    """Refuse what lies below a database or table that is not there."""
    if "table" in call.parameters:
        catalog.load_table_info(call.table)
    elif "database" in call.parameters:
        catalog.get_database(call.database)


def _nothing(key: str) -> _Handler:
    def handler(catalog: EmbeddedCatalog, call: Call) -> Any:
        """An empty list."""
        _checked(catalog, call)
        call.page.cut([])
        return {key: [], "nextPageToken": None}

    return handler


def _missing(kind: str) -> _Handler:
    def handler(catalog: EmbeddedCatalog, call: Call) -> Any:
        """There is none."""
        _checked(catalog, call)
        name = call.parameters.get(kind, "latest")
        raise RequestRefused(
            404, "RESOURCE_NOT_FOUND", resource_type=kind.upper(), resource_name=name, kind=kind, name=name
        )

    return handler


def _not_built(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Not built yet."""
    _checked(catalog, call)
    raise RequestRefused(501, "ENDPOINT_NOT_BUILT")
