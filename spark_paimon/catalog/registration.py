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
    resets_location
        Whether the request says that the partition lies in its default directory.
    """

    named: NamedSpec
    statistics: PartitionStatistics | None = None
    options: Mapping[str, str] = field(default_factory=dict)
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
    UnsupportedError
        ``PARTITION_LOCATION_UNSUPPORTED``.
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
        resets = PATH in wanted
        if resets:
            _check_path(context, entry, wanted.pop(PATH))
            if report is None or not replace_statistics:
                raise errors.InvalidInputError(
                    "PARTITION_RESET_WITHOUT_STATISTICS", partition=entry.name, table=context.identifier
                )
        result.setdefault(entry.name, Registration(entry, report, wanted, resets))
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
        # The values come from outside: null maps, keys and values have been sent.
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


def _check_path(context: TableContext, entry: NamedSpec, path: str) -> None:
    default = join(context.location, context.layout.path(entry.spec))
    # A client may send the directory as the storage spells it, or as a URI with its escapes escaped again.
    if not path.strip() or default not in (qualify(path), qualify(unquote(path))):
        raise errors.UnsupportedError(
            "PARTITION_LOCATION_UNSUPPORTED", partition=entry.name, table=context.identifier
        )


def new_partition(registration: Registration, now: int) -> Partition:
    """Return the row of a partition that was not there."""
    return Partition(
        spec=registration.named.spec,
        statistics=registration.statistics or PartitionStatistics.unknown(),
        options=dict(registration.options),
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
    """
    options = dict(stored.options)
    wanted = registration.options
    adds = registration.statistics is not None and not replaces
    if adds and PATH in options:
        raise errors.InvalidInputError(
            "PARTITION_LOCATION_ADDITIVE", partition=registration.named.name, table=context.identifier
        )
    effective = options.get(FILE_FORMAT, context.default_format).lower()
    if adds and wanted.get(FILE_FORMAT, effective) != effective:
        raise errors.InvalidInputError(
            "PARTITION_FORMAT_ADDITIVE",
            partition=registration.named.name,
            table=context.identifier,
            stored=effective,
            reported=wanted[FILE_FORMAT],
        )
    if registration.resets_location:
        options.pop(PATH, None)
    options.update(wanted)
    statistics = stored.statistics
    if registration.statistics is not None:
        statistics = combine(statistics, registration.statistics, replaces)
    if options == stored.options and statistics == stored.statistics:
        return stored
    return replace(stored, statistics=statistics, options=options, updated_at=now)


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
