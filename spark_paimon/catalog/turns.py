"""Turns: a lock for threads that serves them in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Lets one thread in at a time, the one that has waited longest first.

    SQLite lets waiting writers look again from time to time, so that whoever comes at the right moment is
    first and some wait for very long.

    Examples
    --------
    >>> turns = Turns()
    >>> with turns.take(seconds=1) as mine:
    ...     mine
    True
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._taken = False

    @contextmanager
    def take(self, seconds: float) -> Iterator[bool]:
        """Wait for a turn and keep it; false, without one, when it did not come in time."""
        mine = self._wait(seconds)
        try:
            yield mine
        finally:
            if mine:
                self._pass_on()

    def _wait(self, seconds: float) -> bool:
        with self._mutex:
            if not self._taken:
                self._taken = True
                return True
            ticket = threading.Lock()
            ticket.acquire()
            self._waiting.append(ticket)
        try:
            if ticket.acquire(timeout=seconds):
                return True
        except BaseException:
            if not self._leave(ticket):
                self._pass_on()
            raise
        return not self._leave(ticket)

    def _leave(self, ticket: threading.Lock) -> bool:
        """Stop waiting; false when the turn came at this very moment."""
        with self._mutex:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return True
            return False

    def _pass_on(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
