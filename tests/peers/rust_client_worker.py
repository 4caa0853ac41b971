"""Runs where pypaimon-rust is installed, without this package: see :mod:`tests.peers.rust_client`.

The first request has the options of a catalog, every other one a statement.
"""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

from pypaimon_rust.datafusion import SQLContext

_context = SQLContext()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "options" in request:
            _context.register_catalog("peer", request["options"])
            return {}
        return {"rows": [row for batch in _context.sql(request["sql"]) for row in batch.to_pylist()]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)
