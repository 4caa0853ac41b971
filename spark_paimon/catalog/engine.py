"""Connections and transactions of the database behind a catalog.

Several processes may use one SQLite file at once: it is in write-ahead mode, whoever writes takes the write
lock when the transaction begins (so that it never has to be upgraded, which SQLite refuses under contention)
and everybody waits for a lock up to :data:`BUSY_MILLIS`. The writers of one process queue before they do.

In PostgreSQL a writer locks rows: those of databases first, in the order of their numbers, then those of
tables. So no two of them wait for each other.
"""

from __future__ import annotations

import os
import random
import sqlite3
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
from spark_paimon.catalog.turns import Turns

BUSY_MILLIS = 60_000
"""How long a connection waits for a lock of SQLite."""

_WRITE = "spark_paimon_write"
_ATTEMPTS = 5
# Serialization failure, deadlock.
_ROLLED_BACK_FOR_OTHERS = ("40001", "40P01")
# Connection broken, outcome unknown, server going down: the classes after which COMMIT may have happened.
_BROKEN_OFF = ("08", "40003", "57P")
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
        self._turns = self._find_turns()
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
            ``CATALOG_DATABASE_FAILED``: nothing was stored. ``CATALOG_OUTCOME_UNKNOWN``: the database broke
            while it stored the changes. :class:`sqlalchemy.exc.IntegrityError` passes through.
        """
        options = {_WRITE: True} if self.is_sqlite else {"isolation_level": "READ COMMITTED"}
        with (
            self._turn(),
            self._failures(),
            self._open().connect().execution_options(**options) as connection,
            connection.begin() as transaction,
        ):
            yield connection
            try:
                transaction.commit()
            except DBAPIError as error:
                if _may_be_stored(error):
                    raise self._failure(error, "CATALOG_OUTCOME_UNKNOWN") from error
                raise

    def run(self, action: Callable[[Connection], _T]) -> _T:
        """Return what ``action`` returns in a transaction like :meth:`write`.

        It runs again, a few times, when PostgreSQL rolled it back in favour of another transaction; so apart
        from the database it must change nothing.
        """
        for attempt in range(_ATTEMPTS):
            try:
                with self.write() as connection:
                    return action(connection)
            except errors.CatalogError as error:
                if attempt == _ATTEMPTS - 1 or _state(error.__cause__) not in _ROLLED_BACK_FOR_OTHERS:
                    raise
            time.sleep(random.uniform(0, 0.05 * 2**attempt))
        raise AssertionError

    def retrying(
        self, action: Callable[[], _T], seconds: float = BUSY_MILLIS / 1000, idempotent: bool = False
    ) -> _T:
        """Run ``action`` again while it fails because others set up the same database at the same time.

        Parameters
        ----------
        idempotent
            Whether it may also run again when the outcome of its transaction is unknown.
        """
        deadline = time.monotonic() + seconds
        pause = 0.01
        while True:
            try:
                with self._failures(integrity_too=True):
                    return action()
            except errors.CatalogError as error:
                unknown = error.condition == "CATALOG_OUTCOME_UNKNOWN"
                if time.monotonic() > deadline or (unknown and not idempotent):
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
        self._turns = self._find_turns()

    def _find_turns(self) -> Turns | None:
        """The queue of the writers to a SQLite file; all that write to it in this process share it."""
        if not self.is_sqlite:
            return None
        file = self._url.database
        if not file or file == ":memory:":
            return Turns()
        with _TURNS_LOCK:
            return _TURNS.setdefault(os.path.realpath(file), Turns())

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._turns is None:
            yield
            return
        with self._turns.take(BUSY_MILLIS / 1000) as mine:
            if not mine:
                reason = "other threads of this process have written for too long"
                raise errors.CatalogError("CATALOG_DATABASE_FAILED", database=self.shown_url, reason=reason)
            yield

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

    def _failure(
        self, error: SQLAlchemyError, condition: str = "CATALOG_DATABASE_FAILED"
    ) -> errors.CatalogError:
        reason = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        if self._url.password:
            reason = reason.replace(str(self._url.password), "***")
        return errors.CatalogError(
            condition, database=self.shown_url, reason=reason.strip().rstrip(".") or type(error).__name__
        )


def _state(error: BaseException | None) -> str | None:
    """SQLSTATE of an error of PostgreSQL; None where it said nothing any more, and for SQLite."""
    return getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None


def _may_be_stored(error: DBAPIError) -> bool:
    """Whether a COMMIT that failed in this way may have happened all the same."""
    if isinstance(error.orig, sqlite3.Error):
        # A lock or a full disk comes before the moment of the commit; a failing write may come after it.
        return "disk I/O error" in str(error.orig)
    state = _state(error)
    return state is None or state.startswith(_BROKEN_OFF)


_INSTANCES: weakref.WeakSet[SqlDatabase] = weakref.WeakSet()
_INHERITED: list[Engine | None] = []
_TURNS: weakref.WeakValueDictionary[str, Turns] = weakref.WeakValueDictionary()
_TURNS_LOCK = threading.Lock()


def _after_fork_in_child() -> None:
    # The threads that had a turn, or a lock, are not here.
    global _TURNS_LOCK
    _TURNS_LOCK = threading.Lock()
    _TURNS.clear()
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
                url,
                hide_parameters=True,
                pool_size=8,
                max_overflow=24,
                pool_pre_ping=True,
                connect_args={
                    key: value for key, value in _POSTGRESQL_CONNECTION.items() if key not in url.query
                },
            )
            event.listen(engine, "connect", _set_up_postgresql)
    except ImportError as error:
        raise errors.UnsupportedError("CATALOG_DRIVER_MISSING", backend=url.get_backend_name()) from error
    return engine


# So that a server that is not there any more is noticed: seconds, the last one milliseconds. The URL may say
# otherwise.
_POSTGRESQL_CONNECTION = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": str(BUSY_MILLIS),
}

_POSTGRESQL_SETTINGS = {
    # Every query of the catalog is a range of an index. PostgreSQL would still read and sort a whole table
    # which it believes to be small, as it does until it has looked at one that was just filled.
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_sort": "off",
    # It compiles plans that look expensive, which they do with the settings above.
    "jit": "off",
    # In milliseconds: nothing waits for ever, and a client that vanished holds no lock for ever.
    "lock_timeout": str(BUSY_MILLIS),
    "statement_timeout": str(2 * BUSY_MILLIS),
    "idle_in_transaction_session_timeout": str(2 * BUSY_MILLIS),
}


def _set_up_postgresql(connection: Any, _record: Any) -> None:
    calls = ", ".join(f"set_config('{key}', '{value}', false)" for key, value in _POSTGRESQL_SETTINGS.items())
    connection.execute(f"SELECT {calls}")
    # Otherwise the settings would be taken back by the first rollback.
    connection.commit()


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
