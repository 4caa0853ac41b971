"""The order of a commit, and what is left when a step fails.

Nothing is visible before the publication. Until then a failure costs nothing of an append, and an overwrite
at most the old files that it was about to delete. Afterwards an append is taken back as a whole while that
is certainly right; an overwrite never is, because the old files are gone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from spark_paimon import errors
from spark_paimon.catalog.models import Spec
from spark_paimon.parallel import attach, map_ordered
from spark_paimon.partition.values import Value
from spark_paimon.schema import TextType
from spark_paimon.table.commit.checks import check_append, check_static, cleanup_threads, publish_threads
from spark_paimon.table.commit.files import CommitReport, StagedFile, WriteMode, spec_key, written_specs
from spark_paimon.table.commit.journal import Intent, noted
from spark_paimon.table.commit.reports import numbers, report_replaced
from spark_paimon.table.commit.staging import Publication, discard
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.selection import (
    all_partitions,
    canonical_values,
    check_no_overlaps,
    files_location,
    select,
    united,
)

_LOG = logging.getLogger(__name__)
_LOCKS: dict[str, threading.Lock] = {}
_LOCKS_LOCK = threading.Lock()


@dataclass(frozen=True)
class _Target:
    """A directory whose files an overwrite replaces; the table itself has an empty spec."""

    spec: Spec
    location: str


@dataclass(frozen=True)
class _Plan:
    """What a commit is about to do.

    ``written`` are the partitions with new files and a static complete one; ``targets`` what an overwrite
    replaces, the written ones among them; ``created`` the directory that is made even without rows.
    """

    files: Sequence[StagedFile]
    mode: WriteMode
    written: Sequence[Spec]
    targets: Sequence[_Target]
    created: Spec | None
    now_millis: int


def commit(
    table: FormatTable,
    files: Sequence[StagedFile],
    mode: WriteMode = WriteMode.APPEND,
    static: Mapping[str, Value] | None = None,
    now_millis: int | None = None,
) -> CommitReport:
    """Make staged files part of a table.

    Parameters
    ----------
    table
        The table.
    files
        Everything that the tasks wrote; nothing else is published.
    mode
        What happens to the rows that are there.
    static
        Values that the statement gives for partition columns: for an overwrite a leading run of them, which
        selects what is replaced; with a value for each column, the partition exists afterwards even without
        rows.
    now_millis
        Time of the commit in epoch milliseconds.

    Returns
    -------
    CommitReport
        Partitions written and replaced.

    Raises
    ------
    InvalidInputError, UnsupportedError, IllegalStateError
        A check failed; the table is as before and the staged files are removed.
    CommitError
        A later step failed; the text says in which state the table is and what to do.
    """
    now = time.time_ns() // 1_000_000 if now_millis is None else now_millis
    if mode is WriteMode.APPEND:
        plan = _checked_plan(table, files, mode, static or {}, now)
        with _noted(table, plan, Intent(files)):
            return _append(table, plan)
    # Two overwrites at once would each clear before the other publishes, and leave the rows of both.
    with _overwriting(table.location):
        return _overwrite(table, _checked_plan(table, files, mode, static or {}, now))


def _checked_plan(
    table: FormatTable, files: Sequence[StagedFile], mode: WriteMode, static: Mapping[str, Value], now: int
) -> _Plan:
    try:
        return _plan(table, files, mode, static, now)
    except Exception as error:
        # A final path may belong to somebody else as long as nothing was published: only staged files go.
        attach([error, *discard(table, files)])
        raise


@contextmanager
def _noted(table: FormatTable, plan: _Plan, intent: Intent) -> Iterator[None]:
    with ExitStack() as note:
        try:
            note.enter_context(noted(table, intent))
        except Exception as error:
            attach([error, *discard(table, plan.files)])
            raise
        yield


def _append(table: FormatTable, plan: _Plan) -> CommitReport:
    publication = _publish(table, plan)
    if not table.managed or not plan.written:
        return CommitReport(_names(table, plan.written))
    _register_append(table, plan, publication)
    return CommitReport(_names(table, plan.written), (), _report_append(table, plan))


def _overwrite(table: FormatTable, plan: _Plan) -> CommitReport:
    replaced, old = _old_files(table, plan)
    specs = [target.spec for target in plan.targets if target.spec]
    with _noted(table, plan, Intent(plan.files, True, old, specs, table.format, plan.now_millis)):
        _clear(table, plan, old)
        _publish(table, plan)
        if table.managed and plan.targets:
            _register_overwrite(table, plan)
    return CommitReport(_names(table, plan.written), tuple(replaced), _unexpected(table, plan))


def _overwriting(location: str) -> threading.Lock:
    """Lock of a table directory among the threads of this process; other processes are the user's care."""
    with _LOCKS_LOCK:
        return _LOCKS.setdefault(location, threading.Lock())


def _names(table: FormatTable, specs: Sequence[Spec]) -> tuple[str, ...]:
    return tuple(table.layout.name(spec) for spec in specs) if table.partitioned else ()


def abort(table: FormatTable, files: Sequence[StagedFile]) -> None:
    """Remove the staged files of a write that will not be committed, and the empty directories it made.

    Published files are never touched, so an abort after a failed commit does no harm.

    Raises
    ------
    StorageError
        Some file could not be removed; every one of them was tried, and all failures are attached.
    """
    failures = discard(table, files)
    if failures:
        raise attach(failures)


def _plan(
    table: FormatTable, files: Sequence[StagedFile], mode: WriteMode, static: Mapping[str, Value], now: int
) -> _Plan:
    check_static(table, mode, static)
    table.check_not_delta()
    written = written_specs(table, files)
    created = None
    if static and len(static) == len(table.partition_keys):
        spec = table.layout.spec(static)
        created = {key: spec[key] for key in table.partition_keys}
        table.partition_location(created)
        if created not in written:
            written = sorted([*written, created], key=table.layout.name)
    if mode is WriteMode.APPEND:
        if table.managed:
            check_append(table, written)
        return _Plan(files, mode, written, (), created, now)
    if mode is WriteMode.OVERWRITE and static:
        _check_below(table, files, static)
    targets = _targets(table, mode, static, written)
    return _Plan(files, mode, written, targets, created, now)


def _check_below(table: FormatTable, files: Sequence[StagedFile], static: Mapping[str, Value]) -> None:
    """Refuse files outside of what is replaced: they would be added to rows that the statement did not
    name.
    """
    wanted = canonical_values(table, static)
    for file in files:
        texts = table.layout.canonical(file.spec)
        if any(texts[column] != text for column, text in wanted.items()):
            raise errors.InvalidInputError(
                "STAGED_FILE_MISPLACED",
                path=file.final,
                table=table.full_name,
                keys=", ".join(table.partition_keys),
                reason=f"the overwrite is of partitions with {table.layout.spec(static)} only",
            )


def _targets(
    table: FormatTable, mode: WriteMode, static: Mapping[str, Value], written: Sequence[Spec]
) -> list[_Target]:
    """Return what an overwrite replaces, each directory once and sorted by name."""
    if not table.partitioned:
        return [_Target({}, table.location)]
    if mode is WriteMode.OVERWRITE:
        rows = select(table, [static])[0] if static else all_partitions(table)
    elif _has_spellings(table):
        rows = united(select(table, [table.layout.values(spec) for spec in written]))
    else:
        rows = []
    check_no_overlaps(table, rows)
    # A directory that is about to be written is cleared also when nobody registered it (P46): what lies there
    # would surface with the registration.
    targets = [_Target(spec, table.partition_location(spec)) for spec in written]
    targets += [
        _Target({key: row.spec[key] for key in table.partition_keys}, files_location(table, row))
        for row in rows
    ]
    unique = {target.location: target for target in targets}
    return sorted(unique.values(), key=lambda target: (table.layout.name(target.spec), target.location))


def _has_spellings(table: FormatTable) -> bool:
    """Whether two directories can have the same value, so that replacing a value means looking for both."""
    return any(not isinstance(column.type, TextType) for column in table.schema.partition_fields)


def _old_files(table: FormatTable, plan: _Plan) -> tuple[list[str], list[str]]:
    """Names of the targets that hold committed files, and the paths of these.

    All are known before the first is deleted, so that a listing that breaks leaves the table as it was.
    """
    try:
        listings = map_ordered(partial(_data_files, table), plan.targets, cleanup_threads(table))
    except Exception as error:
        attach([error, *discard(table, plan.files)])
        raise
    names: dict[str, None] = {}
    for target, paths in zip(plan.targets, listings, strict=True):
        if paths and target.spec:
            names.setdefault(table.layout.name(target.spec))
    return list(names), [path for paths in listings for path in paths]


def _data_files(table: FormatTable, target: _Target) -> list[str]:
    metadata = () if target.spec else table.metadata_directories
    try:
        return [entry.path for entry in table.storage.data_files(target.location, metadata)]
    except FileNotFoundError:
        return []


def _clear(table: FormatTable, plan: _Plan, old: Sequence[str]) -> None:
    try:
        map_ordered(table.storage.delete_file, old, cleanup_threads(table))
    except Exception as error:
        failure = errors.CommitError("COMMIT_CLEAR_FAILED", table=table.full_name, reason=_text(error))
        raise attach([failure, *discard(table, plan.files)]) from error


def _unexpected(table: FormatTable, plan: _Plan) -> tuple[str, ...]:
    """Say when somebody else wrote what this overwrite replaced: the rows of both are there now."""
    own = {file.final for file in plan.files}
    try:
        listings = map_ordered(partial(_data_files, table), plan.targets, cleanup_threads(table))
    except Exception as error:
        _LOG.warning("Looking at what lies in %s after its overwrite failed: %s", table.full_name, error)
        return ()
    foreign = [path for paths in listings for path in paths if path not in own]
    if not foreign:
        return ()
    warning = (
        f"While this overwrite of {table.full_name} ran, another writer added {len(foreign)} files to what "
        f"it replaced, such as {foreign[0]}. The rows of both are there, and the catalog counts those of the "
        f"overwrite only. Overwrites of a partition must not run beside other writes of it: run this one "
        f"again to be rid of the other rows, or ANALYZE TABLE {table.full_name} COMPUTE STATISTICS to keep "
        "them."
    )
    _LOG.warning("%s", warning)
    return (warning,)


def _publish(table: FormatTable, plan: _Plan) -> Publication:
    """Create the static directory and publish all files. The clearing is over before the first of them."""
    publication = Publication(table, plan.files)
    try:
        if plan.created is not None:
            table.storage.make_directory(table.partition_location(plan.created))
        publication.run(publish_threads(table))
    except Exception as error:
        if plan.mode is WriteMode.APPEND:
            failure = errors.CommitError("COMMIT_PUBLISH_FAILED", table=table.full_name, reason=_text(error))
            leftovers = discard(table, plan.files, publication.own)
        else:
            failure = errors.CommitError(
                "COMMIT_OVERWRITE_INCOMPLETE",
                table=table.full_name,
                published=publication.count,
                files=len(plan.files),
                reason=_text(error),
            )
            leftovers = discard(table, plan.files)
        raise attach([failure, *leftovers]) from error
    return publication


def _register_append(table: FormatTable, plan: _Plan, publication: Publication) -> None:
    catalog = table.require_managed("INSERT INTO")
    try:
        catalog.create_partitions(table.identifier, plan.written, ignore_if_exists=True)
    except Exception as error:
        if isinstance(error, errors.PaimonError) and not isinstance(error, errors.CatalogError):
            failure = errors.CommitError(
                "COMMIT_REGISTRATION_FAILED", table=table.full_name, reason=_text(error)
            )
            raise attach([failure, *discard(table, plan.files, publication.own)]) from error
        # The catalog may have done it before the answer was lost (P54). Registering is idempotent, so if the
        # partitions are there now, all is as it should be.
        if not _registered_now(table, plan.written):
            names = ", ".join(table.layout.name(spec) for spec in plan.written)
            raise errors.CommitError(
                "COMMIT_REGISTRATION_UNKNOWN", table=table.full_name, partitions=names, reason=_text(error)
            ) from error


def _registered_now(table: FormatTable, specs: Sequence[Spec]) -> bool:
    catalog = table.require_managed("INSERT INTO")
    try:
        rows = catalog.list_partitions_by_names(table.identifier, specs)
    except Exception as error:
        _LOG.warning("Looking whether partitions of %s are registered failed: %s", table.full_name, error)
        return False
    return {spec_key(table, spec) for spec in specs} <= {spec_key(table, row.spec) for row in rows}


def _report_append(table: FormatTable, plan: _Plan) -> tuple[str, ...]:
    """Add the numbers of an append. The rows are in the table whether or not the catalog takes them."""
    counted = numbers(table, plan.files, plan.now_millis)
    statistics = [(spec, counted[key]) for spec in plan.written if (key := spec_key(table, spec)) in counted]
    if not statistics:
        return ()
    try:
        table.require_managed("INSERT INTO").create_partitions(
            table.identifier, [spec for spec, _ in statistics], ignore_if_exists=True, statistics=statistics
        )
    except Exception as error:
        warning = (
            f"The rows are in {table.full_name}, but the catalog could not be told how many there are: "
            f"{_text(error)} Run ANALYZE TABLE {table.full_name} COMPUTE STATISTICS."
        )
        _LOG.warning("%s", warning)
        return (warning,)
    return ()


def _register_overwrite(table: FormatTable, plan: _Plan) -> None:
    specs = [target.spec for target in plan.targets]
    try:
        report_replaced(table, specs, plan.files, table.format, plan.now_millis)
    except Exception as error:
        raise errors.CommitError(
            "COMMIT_OVERWRITE_UNREGISTERED", table=table.full_name, format=table.format, reason=_text(error)
        ) from error


def _text(error: BaseException) -> str:
    return error.text if isinstance(error, errors.PaimonError) else f"{type(error).__name__}: {error}"
