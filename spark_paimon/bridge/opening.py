"""The table of a request, as the session that sent it uses it."""

from __future__ import annotations

from spark_paimon.bridge import messages
from spark_paimon.catalog import Catalog, Identifier
from spark_paimon.table import FormatTable, open_table


def opened(catalog: Catalog, request: messages.OfTable, name: str | None = None) -> FormatTable:
    """Open the table of a request, or the one with another name in its database."""
    identifier = Identifier(request.database, request.table if name is None else name)
    return open_table(catalog, identifier, request.session.catalog, request.session.settings, request.use)
