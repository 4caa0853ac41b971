"""Whether the server can do its work, for those who restart it or send requests elsewhere."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from spark_paimon.server.refusals import RequestRefused

_LOG = logging.getLogger(__name__)
_FRESH_SECONDS = 1
_PATIENCE_SECONDS = 5


class Health:
    """Looks into the database, at most once a second however often it is asked.

    Parameters
    ----------
    look
        Looks, and raises if something is wrong.
    """

    def __init__(self, look: Callable[[], object]) -> None:
        self._look = look
        # A thread of its own: that all others are busy is no illness.
        self._thread = ThreadPoolExecutor(1, "health")
        self._looking: asyncio.Future[object] | None = None
        self._seen = -1.0

    async def check(self) -> None:
        """Return if the database answers.

        Raises
        ------
        RequestRefused
            503: it does not, or not in time.
        """
        if time.monotonic() - self._seen < _FRESH_SECONDS:
            return
        if self._looking is None or self._looking.done():
            loop = asyncio.get_running_loop()
            self._looking = loop.run_in_executor(self._thread, self._look)
        try:
            await asyncio.wait_for(asyncio.shield(self._looking), _PATIENCE_SECONDS)
        except Exception as error:
            _LOG.warning("The database of the catalog does not answer", exc_info=error)
            raise RequestRefused(503, "SERVER_UNHEALTHY", headers={"retry-after": "5"}) from error
        self._seen = time.monotonic()

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False)
