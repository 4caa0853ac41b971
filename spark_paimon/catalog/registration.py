"""The rules of a request about partitions, without any database: what is asked, what is stored afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from spark_paimon import errors
from spark_paimon.catalog.definitions import FILE_FORMAT, MANAGED, PATH, check_storable, layout_of
from spark_paimon.catalog.models import Identifier, Partition, Spec, TableInfo
from spark_paimon.format import parse_format
from spark_paimon.options import TableOptions
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.location import Occupied, canonical_location, overlap, place_of
from spark_paimon.schema import Field
from spark_paimon.statistics import PartitionStatistics, combine
from spark_paimon.storage import join, qualify


@dataclass(frozen=True)
class NamedSpec:
    """A complete spec in key order, with its name.

    Parameters
    ----------
    name
        Escaped ``k=v/k2=v2``: identity of the partition.
    """

    spec: Spec
    name: str


@dataclass(frozen=True)
class Registration:
    """One partition of a request.

    Parameters
    ----------
    options
        ``file.format`` in lower case, other keys untouched; no ``path``.
    location
        Canonical location outside of the table; None when the request names none.
    resets_location
        Whether the request says that the partition lies in its default directory.
    """

    named: NamedSpec
    statistics: PartitionStatistics | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    location: str | None = None
    resets_location: bool = False


@dataclass(frozen=True)
class TableContext:
    """What the rules need to know of the table.

    Parameters
    ----------
    default_format
        File format of partitions that name none.
    columns
        Columns that files hold.
    options
        Options of the table; other settings of a format than its name always come from there.
    """

    identifier: Identifier
    location: str
    layout: PartitionLayout
    default_format: str
    columns: tuple[Field, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def named(self, spec: Mapping[str, str]) -> NamedSpec:
        """Check one spec and name it.

        Raises
        ------
        InvalidInputError
            ``PARTITION_SPEC_MISMATCH``, or a value that cannot be a directory.
        """
        keys = self.layout.keys
        if set(spec) != set(keys) or not all(isinstance(value, str) and value for value in spec.values()):
            raise errors.InvalidInputError(
                "PARTITION_SPEC_MISMATCH",
                partition=dict(spec),
                table=self.identifier,
                keys=", ".join(keys),
            )
        ordered = {key: spec[key] for key in keys}
        if self.layout.value_only:  # elsewhere the name is the path
            self.layout.path(ordered)
        name = self.layout.name(ordered)
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise errors.InvalidInputError(
                "PARTITION_NAME_NOT_TEXT", partition=ascii(name), table=self.identifier
            ) from error
        return NamedSpec(ordered, name)

    def distinct(self, specs: Iterable[Mapping[str, str]]) -> dict[str, NamedSpec]:
        """Name to spec, in the order of the request and each once."""
        found: dict[str, NamedSpec] = {}
        for spec in specs:
            named = self.named(spec)
            found.setdefault(named.name, named)
        return found


def table_context(info: TableInfo, operation: str) -> TableContext:
    """What the rules need to know of a table whose partitions the catalog holds.

    Parameters
    ----------
    operation
        What is being done, for the error.

    Raises
    ------
    UnsupportedError
        ``PARTITIONS_NOT_MANAGED``.
    """
    options = TableOptions(info.schema.options)
    if not info.schema.partition_keys or not options.get(MANAGED):
        raise errors.UnsupportedError("PARTITIONS_NOT_MANAGED", operation=operation, table=info.identifier)
    return TableContext(
        identifier=info.identifier,
        location=info.location,
        layout=layout_of(info.schema),
        default_format=str(options.get(FILE_FORMAT)),
        columns=info.schema.data_fields,
        options=info.schema.options,
    )


def read_request(
    context: TableContext,
    specs: Sequence[Mapping[str, str]],
    ignore_if_exists: bool = True,
    statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None = None,
    replace_statistics: bool = False,
    options: Sequence[Mapping[str, str]] | None = None,
) -> list[Registration]:
    """Check a request on its own, before the registry is looked at.

    Returns
    -------
    list
        The partitions in the order of the request, each once.

    Raises
    ------
    PartitionsExistError
        ``PARTITIONS_EXIST``: a strict request names a partition twice.
    InvalidInputError
        Anything that does not fit: see the conditions that start with ``PARTITION``.
    """
    named = [context.named(spec) for spec in specs]
    has_options = options is not None and any(options)
    repeated = _first_repeated([entry.name for entry in named])
    if repeated is not None:
        if statistics or has_options:
            raise errors.InvalidInputError(
                "PARTITION_REGISTERED_TWICE", partition=repeated, table=context.identifier
            )
        if not ignore_if_exists:
            raise errors.PartitionsExistError(
                "PARTITIONS_EXIST", partitions=repeated, table=context.identifier
            )
    reported = _reported(context, named, statistics)
    asked = _checked_options(context, named, options) if options is not None else [{} for _ in named]
    result: dict[str, Registration] = {}
    for entry, wanted in zip(named, asked, strict=True):
        report = reported.get(entry.name)
        location, resets = None, False
        if PATH in wanted:
            path = wanted.pop(PATH)
            resets = _is_default(context, entry, path)
            if not resets:
                location = custom_location(context.identifier, context.location, entry.name, path)
            elif report is None or not replace_statistics:
                raise errors.InvalidInputError(
                    "PARTITION_RESET_WITHOUT_STATISTICS", partition=entry.name, table=context.identifier
                )
        result.setdefault(entry.name, Registration(entry, report, wanted, location, resets))
    return list(result.values())


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _reported(
    context: TableContext,
    named: Sequence[NamedSpec],
    statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None,
) -> dict[str, PartitionStatistics]:
    reported: dict[str, PartitionStatistics] = {}
    registered = {entry.name for entry in named}
    for spec, numbers in statistics or ():
        name = context.named(spec).name
        if name in reported:
            raise errors.InvalidInputError(
                "PARTITION_REPORTED_TWICE", partition=name, table=context.identifier
            )
        if name not in registered:
            raise errors.InvalidInputError(
                "PARTITION_REPORT_UNREGISTERED", partition=name, table=context.identifier
            )
        reported[name] = numbers
    return reported


def _checked_options(
    context: TableContext, named: Sequence[NamedSpec], options: Sequence[Mapping[str, str]]
) -> list[dict[str, str]]:
    def refuse(reason: str) -> errors.InvalidInputError:
        return errors.InvalidInputError("PARTITION_OPTIONS_INVALID", table=context.identifier, reason=reason)

    if len(options) != len(named):
        raise refuse(f"there are {len(options)} maps for {len(named)} partitions")
    result: list[dict[str, str]] = []
    for entry, wanted in zip(named, options, strict=True):
        # The values come from outside: null maps, keys and values have been sent. A null path is the older
        # spelling of the default directory.
        if wanted and wanted.get(PATH, "") is None:
            wanted = {**wanted, PATH: join(context.location, context.layout.path(entry.spec))}
        if wanted is None or not all(isinstance(text, str) for pair in wanted.items() for text in pair):
            raise refuse(f"the options of {entry.name} hold a null")
        checked: dict[str, str] = {}
        for key, text in wanted.items():
            # Another case would be stored and never looked at.
            known = key.lower() if key.lower() in (FILE_FORMAT, PATH) else key
            if known in checked:
                raise refuse(f"the options of {entry.name} hold '{known}' twice")
            checked[known] = _format(context, entry, text) if known == FILE_FORMAT else text
        result.append(checked)
    return result


def _format(context: TableContext, entry: NamedSpec, text: str) -> str:
    try:
        name = parse_format(text)
        if name != context.default_format:
            check_storable(context.identifier, context.columns, context.options, name)
    except errors.PaimonError as error:
        raise errors.InvalidInputError(
            "PARTITION_FORMAT_INVALID",
            partition=entry.name,
            table=context.identifier,
            format=text,
            reason=error.text.removesuffix("."),
        ) from error
    return name


def _is_default(context: TableContext, entry: NamedSpec, path: str) -> bool:
    if not path.strip():
        return False
    # A client may send the directory as the storage spells it, or as a URI with its escapes escaped again.
    default = join(context.location, context.layout.path(entry.spec))
    try:
        spellings = [qualify(path), qualify(unquote(path))]
    except errors.InvalidInputError:
        return False
    return place_of(default) in map(place_of, spellings)


def custom_location(table: object, table_location: str, partition: str, path: str) -> str:
    """Check a location outside of a table, and return its one spelling.

    Parameters
    ----------
    table, table_location
        The table, and its directory as a Hadoop Path string.
    partition
        Name of the partition, for errors.
    path
        As the user gave it.

    Raises
    ------
    InvalidInputError
        ``PARTITION_LOCATION_INVALID``.
    """

    def refuse(reason: str) -> errors.InvalidInputError:
        return errors.InvalidInputError(
            "PARTITION_LOCATION_INVALID", partition=partition, table=table, reason=reason
        )

    try:
        location = canonical_location(path)
    except errors.InvalidInputError as error:
        raise refuse(error.text) from error
    if place_of(table_location)[0] == "viewfs":
        raise refuse("on which file system a table on viewfs lies depends on who looks.")
    if overlap(location, table_location):
        raise refuse(f"{location} overlaps with the directory of the table, {table_location}.")
    return location


def check_overlaps(
    context: TableContext, request: Iterable[Registration], present: Iterable[Partition]
) -> None:
    """Refuse locations that are, contain or lie in the one of another partition.

    Default directories need no look: they lie inside of the table, and custom locations outside.

    Parameters
    ----------
    present
        Partitions that have a location of their own now.

    Raises
    ------
    InvalidInputError
        ``PARTITION_LOCATION_INVALID``.
    """
    locations = {context.layout.name(row.spec): row.options.get(PATH) for row in present}
    asked = [entry for entry in request if entry.location is not None or entry.resets_location]
    for entry in asked:
        locations.pop(entry.named.name, None)
    taken = Occupied((place, name) for name, place in locations.items() if place)
    for entry in asked:
        if entry.location is None:
            continue
        owner = taken.add(entry.location, entry.named.name)
        if owner is not None:
            raise errors.InvalidInputError(
                "PARTITION_LOCATION_INVALID",
                partition=entry.named.name,
                table=context.identifier,
                reason=f"{entry.location} overlaps with the location of partition {owner}.",
            )


def new_partition(registration: Registration, now: int) -> Partition:
    """Return the row of a partition that was not there."""
    return Partition(
        spec=registration.named.spec,
        statistics=registration.statistics or PartitionStatistics.unknown(),
        options=_stored_options({}, registration),
        created_at=now,
        updated_at=now,
    )


def updated_partition(
    context: TableContext, stored: Partition, registration: Registration, replaces: bool, now: int
) -> Partition:
    """Return the row of a partition after a request; the same object when nothing changed.

    Raises
    ------
    InvalidInputError
        ``PARTITION_FORMAT_ADDITIVE``, ``PARTITION_LOCATION_ADDITIVE``: numbers of other files would be added.
    PartitionsExistError
        ``PARTITION_LOCATION_DIFFERS``: re-pointing it would silently replace its rows.
    """
    wanted = registration.options
    location = stored.options.get(PATH)
    if registration.location is not None and registration.location != location:
        raise errors.PartitionsExistError(
            "PARTITION_LOCATION_DIFFERS", partition=registration.named.name, table=context.identifier
        )
    adds = registration.statistics is not None and not replaces
    if adds and location is not None:
        raise errors.InvalidInputError(
            "PARTITION_LOCATION_ADDITIVE", partition=registration.named.name, table=context.identifier
        )
    effective = stored.options.get(FILE_FORMAT, context.default_format).lower()
    if adds and wanted.get(FILE_FORMAT, effective) != effective:
        raise errors.InvalidInputError(
            "PARTITION_FORMAT_ADDITIVE",
            partition=registration.named.name,
            table=context.identifier,
            stored=effective,
            reported=wanted[FILE_FORMAT],
        )
    options = _stored_options(stored.options, registration)
    statistics = stored.statistics
    if registration.statistics is not None:
        statistics = combine(statistics, registration.statistics, replaces)
    if options == stored.options and statistics == stored.statistics:
        return stored
    return replace(stored, statistics=statistics, options=options, updated_at=now)


def _stored_options(before: Mapping[str, str], registration: Registration) -> dict[str, str]:
    options = {**before, **registration.options}
    if registration.resets_location:
        options.pop(PATH, None)
    elif registration.location is not None:
        options[PATH] = registration.location
    return options


def prefix_names(context: TableContext, prefix: Mapping[str, str]) -> tuple[str, bool]:
    """Canonical name of a leading run of the keys, and whether it names them all.

    Raises
    ------
    InvalidInputError
        The prefix is not a leading run of the partition columns.
    """
    keys = context.layout.keys
    leading = keys[: len(prefix)]
    if set(leading) != set(prefix):
        raise errors.InvalidInputError(
            "PARTITION_PREFIX_GAP",
            columns=", ".join(prefix),
            table=context.identifier,
            keys=", ".join(keys),
        )
    shortened = replace(context.layout, columns=context.layout.columns[: len(prefix)])
    name = shortened.canonical_name({key: prefix[key] for key in leading})
    return name, len(prefix) == len(keys)
