"""Runs where pypaimon with its tests is installed: serves a warehouse until its standard input ends.

Arguments: directory of the warehouse, name of the warehouse. The first line of its output is the address.
"""

from __future__ import annotations

import sys

from pypaimon.api.api_response import ConfigResponse
from pypaimon.tests.rest.rest_server import RESTCatalogServer

if __name__ == "__main__":
    directory, name = sys.argv[1:]
    server = RESTCatalogServer(directory, None, ConfigResponse({"prefix": "paimon"}), name)
    server.start()
    print(server.get_url(), flush=True)
    sys.stdin.read()
    server.shutdown()
