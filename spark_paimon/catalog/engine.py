"""Connections and transactions of the database behind a catalog.

Several processes may use one SQLite file at once: it is in write-ahead mode, whoever writes takes the write
lock when the transaction begins (so that it never has to be upgraded, which SQLite refuses under contention)
and everybody waits for a lock up to :data:`BUSY_MILLIS`.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from spark_paimon import errors

BUSY_MILLIS = 60_000
"""How long a connection waits for a lock of SQLite."""

_WRITE = "spark_paimon_write"
_T = TypeVar("_T")


class SqlDatabase:
    """One pool of connections to one database.

    Safe for any number of threads. After a fork the child opens connections of its own.

    Parameters
    ----------
    url
        SQLAlchemy URL. A password in it never appears in a repr or an error.

    Raises
    ------
    InvalidInputError
        ``CATALOG_URI_INVALID``.
    UnsupportedError
        ``CATALOG_DRIVER_MISSING``.
    """

    def __init__(self, url: str | URL) -> None:
        self._url = _parse(url)
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._closed = False
        _INSTANCES.add(self)

    def __repr__(self) -> str:
        return f"SqlDatabase({self.shown_url!r})"

    @property
    def shown_url(self) -> str:
        """The URL without password and query, for people."""
        return self._url.set(query={}, password=None).render_as_string()

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a SQLite file."""
        return self._url.get_backend_name() == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the database.

        Raises
        ------
        CatalogError
            ``CATALOG_DATABASE_FAILED``.
        """
        with self._failures(), self._open().connect() as connection:
            isolated = (
                connection
                if self.is_sqlite
                else connection.execution_options(isolation_level="REPEATABLE READ")
            )
            with isolated.begin():
                yield isolated

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that may change the database: committed at the end, rolled back on an exception.

        Raises
        ------
        CatalogError
            ``CATALOG_DATABASE_FAILED``. :class:`sqlalchemy.exc.IntegrityError` passes through.
        """
        with (
            self._failures(),
            self._open().connect().execution_options(**{_WRITE: True}) as connection,
            connection.begin(),
        ):
            yield connection

    def retrying(self, action: Callable[[], _T], seconds: float = BUSY_MILLIS / 1000) -> _T:
        """Run ``action`` again while it fails because others set up the same database at the same time."""
        deadline = time.monotonic() + seconds
        pause = 0.01
        while True:
            try:
                with self._failures(integrity_too=True):
                    return action()
            except errors.CatalogError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def close(self) -> None:
        """Close all connections. Closing twice is fine."""
        with self._lock:
            engine, self._engine, self._closed = self._engine, None, True
        if engine is not None:
            engine.dispose()

    def _open(self) -> Engine:
        with self._lock:
            if self._closed:
                raise errors.IllegalStateError("CATALOG_CLOSED", catalog=self.shown_url)
            if self._engine is None:
                self._engine = _new_engine(self._url)
            return self._engine

    def _forget_after_fork(self) -> None:
        # Closing a SQLite connection of the parent could end the parent's locks: keep it, untouched.
        _INHERITED.append(self._engine)
        self._engine = None
        self._lock = threading.Lock()

    @contextmanager
    def _failures(self, integrity_too: bool = False) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            if not integrity_too:
                raise
            raise self._failure(error) from error
        except SQLAlchemyError as error:
            raise self._failure(error) from error

    def _failure(self, error: SQLAlchemyError) -> errors.CatalogError:
        reason = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        if self._url.password:
            reason = reason.replace(str(self._url.password), "***")
        return errors.CatalogError("CATALOG_DATABASE_FAILED", database=self.shown_url, reason=reason.strip())


_INSTANCES: weakref.WeakSet[SqlDatabase] = weakref.WeakSet()
_INHERITED: list[Engine | None] = []


def _after_fork_in_child() -> None:
    for database in list(_INSTANCES):
        database._forget_after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)


def _parse(url: str | URL) -> URL:
    try:
        parsed = sqlalchemy.make_url(url)
        backend = parsed.get_backend_name()
        if backend == "postgresql" and "+" not in parsed.drivername:
            parsed = parsed.set(drivername="postgresql+psycopg")
        parsed.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError):
        # Without the cause: its text holds the URL with everything in it.
        raise errors.InvalidInputError("CATALOG_URI_INVALID") from None
    if backend not in ("sqlite", "postgresql"):
        raise errors.UnsupportedError("CATALOG_DATABASE_UNSUPPORTED", backend=backend)
    return parsed


def _new_engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() == "sqlite":
            engine = sqlalchemy.create_engine(
                url,
                hide_parameters=True,
                pool_size=8,
                max_overflow=-1,
                connect_args={"check_same_thread": False, "timeout": BUSY_MILLIS / 1000},
            )
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        else:
            engine = sqlalchemy.create_engine(
                url, hide_parameters=True, pool_size=8, max_overflow=24, pool_pre_ping=True
            )
    except ImportError as error:
        raise errors.UnsupportedError("CATALOG_DRIVER_MISSING", backend=url.get_backend_name()) from error
    return engine


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    # Without this the driver begins transactions by itself, too late and without the write lock.
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        cursor.execute(f"PRAGMA busy_timeout={BUSY_MILLIS}")
        _write_ahead(cursor)
        # A registration that was answered survives a power failure.
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
    finally:
        cursor.close()


def _write_ahead(cursor: Any) -> None:
    """Switch the file to write-ahead mode if it is not; for that step SQLite ignores the busy timeout."""
    deadline = time.monotonic() + BUSY_MILLIS / 1000
    while True:
        try:
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                return
            if cursor.execute("PRAGMA journal_mode=WAL").fetchone()[0] == "wal":
                return
        except Exception as error:
            if "locked" not in str(error) and "busy" not in str(error):
                raise
        if time.monotonic() > deadline:
            return
        time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get(_WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
