"""Changes of a table that has files already: what files can store, and what those that are there can follow.

Data files are never rewritten and know nothing of the versions of a definition. PARQUET, ORC, JSON and MOSAIC
find a column by its name, CSV and TEXT by its position; whatever would make an old value appear under another
column, or vanish, is refused while there is such a file.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from spark_paimon import errors
from spark_paimon.catalog.definitions import (
    COMPRESSION,
    DEFAULT_NAME,
    DROPPED_COLUMNS,
    FILE_FORMAT,
    check_not_internal,
    check_storable,
    has_data_files,
    layout_of,
    option_keys,
)
from spark_paimon.catalog.models import Identifier, Partition, TableInfo
from spark_paimon.format import parse_format
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    ArrayType,
    Change,
    DataType,
    Field,
    MapType,
    RemoveOption,
    RowType,
    SetOption,
    TableSchema,
    apply_changes,
)
from spark_paimon.schema.changes import FieldPath
from spark_paimon.storage import Storage, join

_LOG = logging.getLogger(__name__)

_PATH = "path"
# Files have headers, and their names must be those of the columns.
_HEADERS = ("csv.include-header", "csv.enforce-header")
_BY_NAME = frozenset(("parquet", "orc", "json", "mosaic"))
_CSV = "csv"
# What decides how the bytes of a file are read and written.
_FORMAT_OPTIONS = ("csv.", "json.", "text.", FILE_FORMAT, COMPRESSION)
# They decide which directory a partition is and what its name means.
_LAYOUT_OPTIONS = ("format-table.partition-path-only-value", DEFAULT_NAME)


@dataclass(frozen=True)
class Contents:
    """What lies in a table; looked at only where the answer matters, and once.

    Parameters
    ----------
    info
        The table before the change.
    storage
        Opens the storage of a location.
    metadata_directories
        Names below the table directory that are not data.
    count
        Counts the registered partitions.
    special
        Finds those among them that have a format or a location of their own.
    inheriting
        Counts those that have no format of their own.
    """

    info: TableInfo
    storage: Callable[[str], Storage]
    metadata_directories: Sequence[str] = ()
    count: Callable[[], int] = lambda: 0
    special: Callable[[], Sequence[Partition]] = tuple
    inheriting: Callable[[], int] = lambda: 0

    @cached_property
    def default_format(self) -> str:
        """Format of partitions that name none."""
        return str(TableOptions(self.info.schema.options).get(FILE_FORMAT))

    @cached_property
    def own_formats(self) -> frozenset[str]:
        """Formats that partitions name and that are not the table's."""
        return frozenset(map(self._format, self._special)) - {self.default_format}

    @cached_property
    def file_formats(self) -> frozenset[str]:
        """Formats of which the table has data files, by what its partitions say and never by file names."""
        schema = self.info.schema
        layout = layout_of(schema)
        places: dict[str, str] = {}
        for partition in self._special:
            default_place = join(self.info.location, layout.path(partition.spec))
            places[partition.options.get(_PATH) or default_place] = self._format(partition)
        found: set[str] = set()
        for location, format_name in places.items():
            if format_name not in found and self._has_files(location):
                found.add(format_name)
        if self.default_format not in found and self._has_files(self.info.location, tuple(places)):
            found.add(self.default_format)
        return frozenset(found)

    @property
    def has_files(self) -> bool:
        """Whether there is any data file."""
        return bool(self.file_formats)

    @cached_property
    def _special(self) -> Sequence[Partition]:
        return self.special()

    def _format(self, partition: Partition) -> str:
        return parse_format(partition.options.get(FILE_FORMAT, self.default_format))

    def _has_files(self, location: str, except_below: Sequence[str] = ()) -> bool:
        default_name = str(TableOptions(self.info.schema.options).get(DEFAULT_NAME))
        names = self.metadata_directories if location == self.info.location else ()
        return has_data_files(self.storage(location), location, default_name, names, except_below)


def altered(identifier: Identifier, contents: Contents, changes: Sequence[Change]) -> TableSchema:
    """Make the next version of a definition, or refuse it for what the table holds.

    Raises
    ------
    UnsupportedError
        ``RENAME_COLUMN_WITH_DATA``, ``COLUMN_POSITION_WITH_DATA``, ``COLUMN_NAME_REUSED``,
        ``OPTION_IMMUTABLE``, columns that a format of the table cannot store, and what
        :func:`~spark_paimon.schema.apply_changes` refuses.
    InvalidInputError, NoSuchColumnError
        A change that makes no sense by itself.
    """
    before = contents.info.schema
    _check_options(identifier, contents, changes)
    after = apply_changes(before, changes, identifier)
    moves = _Moves.between(before, after)
    if moves.any or _format_options(before) != _format_options(after):
        check_storable(identifier, after.data_fields, after.options)
        for format_name in sorted(contents.own_formats):
            check_storable(identifier, after.data_fields, after.options, format_name)
    _check_files(identifier, contents, after, moves)
    _warn_of_new_default(identifier, contents, after)
    return replace(after, options=_remembering(contents, after.options, moves))


def _check_options(identifier: Identifier, contents: Contents, changes: Sequence[Change]) -> None:
    schema = contents.info.schema
    before = TableOptions(schema.options)
    stored = {key.lower(): key for key in schema.options}
    options = dict(schema.options)
    for change in changes:
        if not isinstance(change, (SetOption, RemoveOption)):
            continue
        check_not_internal(identifier, (change.key,))
        options.pop(stored.get(change.key.lower(), change.key), None)
        if isinstance(change, SetOption):
            options[change.key] = change.value
    if not schema.partition_keys:
        return
    for key in _LAYOUT_OPTIONS:
        if TableOptions(options).get(key) != before.get(key) and (contents.count() or contents.has_files):
            reason = "the partitions that the table has would be lost or renamed"
            raise errors.UnsupportedError("OPTION_IMMUTABLE", key=key, table=identifier, reason=reason)


def _format_options(schema: TableSchema) -> dict[str, str]:
    return {
        key: text
        for key, text in schema.options.items()
        if any(name.startswith(_FORMAT_OPTIONS) for name in option_keys(key))
    }


@dataclass(frozen=True)
class _Moves:
    """What happened to the stored columns between two versions, by their ids.

    A column that was dropped and added again has another id, as in REPLACE COLUMNS.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    renamed: tuple[FieldPath, ...]
    dropped: tuple[FieldPath, ...]
    added: tuple[FieldPath, ...]
    retyped: bool

    @classmethod
    def between(cls, before: TableSchema, after: TableSchema) -> _Moves:
        old = {field.id: (path, field) for path, field in _paths(before.data_fields)}
        new = {field.id: (path, field) for path, field in _paths(after.data_fields)}
        return cls(
            tuple(field.id for field in before.data_fields),
            tuple(field.id for field in after.data_fields),
            tuple(path for key, (path, _) in old.items() if key in new and new[key][0][-1] != path[-1]),
            _outermost(path for key, (path, _) in old.items() if key not in new),
            _outermost(path for key, (path, _) in new.items() if key not in old),
            any(key in new and new[key][1].type != field.type for key, (_, field) in old.items()),
        )

    @property
    def any(self) -> bool:
        return bool(self.renamed or self.dropped or self.added or self.retyped or self.before != self.after)


def _paths(fields: Iterable[Field], outer: FieldPath = ()) -> Iterator[tuple[FieldPath, Field]]:
    for field in fields:
        path = (*outer, field.name)
        yield path, field
        yield from _inner_paths(field.type, path)


def _inner_paths(kind: DataType, path: FieldPath) -> Iterator[tuple[FieldPath, Field]]:
    if isinstance(kind, RowType):
        yield from _paths(kind.fields, path)
    elif isinstance(kind, ArrayType):
        yield from _inner_paths(kind.element, (*path, "element"))
    elif isinstance(kind, MapType):
        yield from _inner_paths(kind.key, (*path, "key"))
        yield from _inner_paths(kind.value, (*path, "value"))


def _outermost(paths: Iterable[FieldPath]) -> tuple[FieldPath, ...]:
    known = tuple(paths)
    return tuple(path for path in known if not any(path[:length] in known for length in range(1, len(path))))


def _check_files(identifier: Identifier, contents: Contents, after: TableSchema, moves: _Moves) -> None:
    moved = moves.before != moves.after
    if not (moves.renamed or moves.added or moved) or not contents.has_files:
        return
    by_name = sorted(contents.file_formats & _BY_NAME)
    gone = {_lowered(path) for path in (*_remembered(contents.info.schema), *moves.dropped)}
    if by_name:
        _check_names(identifier, moves, gone, by_name[0].upper())
    if _CSV in contents.file_formats:
        options = TableOptions(after.options)
        if moves.renamed and all(options.get(key) for key in _HEADERS):
            _refuse_rename(
                identifier, "the headers of its CSV files have the old name (option csv.enforce-header)"
            )
        if moved:
            _check_positions(identifier, moves, gone)


def _check_names(identifier: Identifier, moves: _Moves, gone: set[FieldPath], format_name: str) -> None:
    if moves.renamed:
        _refuse_rename(
            identifier, f"{format_name} finds columns by name, so that the old values would read as NULL"
        )
    for path in moves.added:
        if _lowered(path) in gone:
            raise errors.UnsupportedError(
                "COLUMN_NAME_REUSED",
                column=".".join(path),
                table=identifier,
                reason=f"{format_name} finds columns by name, so that the values of a dropped column of this "
                "name would come back",
            )


def _refuse_rename(identifier: Identifier, reason: str) -> None:
    raise errors.UnsupportedError("RENAME_COLUMN_WITH_DATA", table=identifier, reason=reason)


def _check_positions(identifier: Identifier, moves: _Moves, gone: set[FieldPath]) -> None:
    kept = min(len(moves.before), len(moves.after))
    if moves.before[:kept] != moves.after[:kept]:
        raise errors.UnsupportedError("COLUMN_POSITION_WITH_DATA", table=identifier)
    if len(moves.after) > len(moves.before) and gone:
        raise errors.UnsupportedError(
            "COLUMN_NAME_REUSED",
            column=", ".join(path[-1] for path in moves.added),
            table=identifier,
            reason="CSV goes by position, so that it would show the values of the dropped column "
            + ", ".join(sorted(".".join(path) for path in gone)),
        )


def _lowered(path: Iterable[str]) -> FieldPath:
    return tuple(name.lower() for name in path)


def _remembered(schema: TableSchema) -> list[FieldPath]:
    return [tuple(path) for path in json.loads(schema.options.get(DROPPED_COLUMNS, "[]"))]


def _remembering(contents: Contents, options: Mapping[str, str], moves: _Moves) -> dict[str, str]:
    """Options with the names of dropped columns, as long as there are files that may hold their values."""
    kept = dict(options)
    if not moves.any:
        return kept
    known = _remembered(contents.info.schema)
    if not (known or moves.dropped):
        return kept
    paths = sorted({_lowered(path) for path in (*known, *moves.dropped)}) if contents.has_files else []
    kept.pop(DROPPED_COLUMNS, None)
    if paths:
        kept[DROPPED_COLUMNS] = json.dumps([list(path) for path in paths], ensure_ascii=False)
    return kept


def _warn_of_new_default(identifier: Identifier, contents: Contents, after: TableSchema) -> None:
    """Say what another table format means for the files that are there: it names them anew, nothing more."""
    default = str(TableOptions(after.options).get(FILE_FORMAT))
    old = contents.default_format
    if default == old:
        return
    inheriting = contents.inheriting()
    if inheriting:
        way_out = (
            f"{inheriting} of its {contents.count()} partitions name no format of their own: their files are "
            f"read as {default.upper()} from now on. Where they are {old.upper()} files, say so: CALL "
            f"sys.alter_partition(table => '{identifier}', partition => '...', options => map('file.format', "
            f"'{old}'))"
        )
    elif not contents.count() and contents.has_files:
        way_out = (
            f"the files that it has are read as {default.upper()} from now on. Where they are {old.upper()} "
            "files, change it back"
        )
    else:
        return
    _LOG.warning("file.format of table %s changes from %s to %s; %s.", identifier, old, default, way_out)
