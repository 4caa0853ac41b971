"""How much the server takes on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds that keep one client from taking the server away from the others.

    Parameters
    ----------
    body_bytes
        Largest body of a request.
    requests
        Requests that are read or answered at once; more are sent away before anything is done for them.
    threads
        Requests that are at the catalog at once; the others wait.
    connections
        Open connections; a new one beyond that closes the one that has been idle for longest.
    header_seconds, body_seconds
        Time for the headers of a request from their first byte on, and then for its body.
    idle_seconds
        How long a connection without a request stays open.
    stop_seconds
        How long running requests may go on when the server is told to stop.
    """

    body_bytes: int = 64 << 20
    requests: int = 256
    threads: int = 32
    connections: int = 2000
    header_seconds: float = 20
    body_seconds: float = 120
    idle_seconds: float = 75
    stop_seconds: float = 30
