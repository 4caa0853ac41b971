"""The protocol as an OpenAPI document, and requests checked against it.

``openapi.json`` holds the forms; the paths come from the table of endpoints, so that both say the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import orjson

from spark_paimon import __version__
from spark_paimon.server.refusals import malformed

if TYPE_CHECKING:
    from spark_paimon.server.endpoints import Endpoint

_LONGEST_PLACE = 200
_JSON = "application/json"
_PUBLIC = ("503",)
_ANYTHING = "Anything"
_ALWAYS = ("400", "401", "404", "408", "413", "431", "500", "501", "503")


@lru_cache(1)
def _forms() -> dict[str, Any]:
    text = resources.files("spark_paimon.server").joinpath("openapi.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The whole document.

    Examples
    --------
    >>> from spark_paimon.server.endpoints import ENDPOINTS
    >>> sorted(document(ENDPOINTS)["paths"]["/v1/paimon/databases"])
    ['get', 'post']
    """
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    forms = _forms()
    return {**forms, "info": {**forms["info"], "version": __version__}, "paths": paths}


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    named = [part[1:-1] for part in endpoint.parts if part.startswith("{")]
    answer = {"description": "Done."} if endpoint.answer is None else _content(endpoint.answer)
    refusals = (*_ALWAYS, *(("409",) if endpoint.method == "POST" else ()))
    operation: dict[str, Any] = {
        "summary": (endpoint.handler.__doc__ or "").partition("\n")[0],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in named),
            *({"$ref": f"#/components/parameters/{name}"} for name in endpoint.query),
        ],
        "responses": {
            "200": answer,
            **{
                status: {"$ref": f"#/components/responses/{status}"}
                for status in (_PUBLIC if endpoint.public else refusals)
            },
        },
    }
    if endpoint.public:
        operation["security"] = []
    if endpoint.body is not None:
        operation["requestBody"] = {**_content(endpoint.body), "required": endpoint.body != _ANYTHING}
    return operation


def _content(form: str) -> dict[str, Any]:
    return {
        "description": form,
        "content": {_JSON: {"schema": {"$ref": f"#/components/schemas/{form}"}}},
    }


@lru_cache(None)
def _validator(form: str) -> jsonschema_rs.Draft202012Validator:
    # The mask keeps values, which may be of any size, out of the messages.
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{form}", "components": _forms()["components"]}, mask="it"
    )


def read_body(form: str, body: bytes) -> Any:
    """The JSON value of a body, which has the form that the document gives.

    Raises
    ------
    RequestRefused
        400, with the place inside the body.

    Examples
    --------
    >>> read_body("Specs", b'{"specs": [{"dt": "a"}, {"dt": 3}]}')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    spark_paimon.server.refusals.RequestRefused: ...: in its body at specs/1/dt, it is not of type "string"...
    """
    try:
        value = orjson.loads(body or (b"{}" if form == _ANYTHING else b""))
    except ValueError as error:
        # The parser stops at what is no number of JSON, no UTF-8, and nested too deeply, too.
        raise malformed(f"its body is no JSON ({error})") from None
    try:
        _validator(form).validate(value)
    except jsonschema_rs.ValidationError as error:
        place = "/".join(str(part)[:_LONGEST_PLACE] for part in error.instance_path)[:_LONGEST_PLACE]
        where = f"in its body at {place}" if place else "in its body"
        raise malformed(f"{where}, {error.message[:_LONGEST_PLACE]}") from None
    except ValueError:
        raise malformed("its body is nested too deeply") from None
    return value
