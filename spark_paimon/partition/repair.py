"""What MSCK REPAIR TABLE would change: the difference between directories and registrations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from spark_paimon import errors
from spark_paimon.partition.discovery import SkippedDirectory
from spark_paimon.partition.escaping import is_hidden_name
from spark_paimon.partition.layout import PartitionLayout, Spec

#: Option of a registered partition that says where it lies when that is not its default directory.
LOCATION_OPTION = "path"


class RepairMode(Enum):
    """What a repair may change.

    Examples
    --------
    >>> RepairMode.of("sync").adds, RepairMode.of("add").drops
    (True, False)
    """

    ADD = "ADD"
    DROP = "DROP"
    SYNC = "SYNC"

    @classmethod
    def of(cls, text: str) -> RepairMode:
        """The mode of that name, in any case.

        Raises
        ------
        InvalidInputError
            There is none.
        """
        try:
            return cls(text.strip().upper())
        except ValueError:
            raise errors.InvalidInputError("REPAIR_MODE_INVALID", mode=text) from None

    @property
    def adds(self) -> bool:
        """Whether directories get registered."""
        return self is not RepairMode.DROP

    @property
    def drops(self) -> bool:
        """Whether registrations without directory are removed."""
        return self is not RepairMode.ADD


class Registered(Protocol):
    """What a repair needs of a registered partition."""

    @property
    def spec(self) -> Mapping[str, str]:
        """Raw values."""

    @property
    def options(self) -> Mapping[str, str]:
        """Options of the registration."""


@dataclass(frozen=True)
class RepairPlan:
    """What to do, each list in the order of the partitions' names.

    Parameters
    ----------
    to_add
        Directories that the registry does not hold.
    to_drop
        Registrations without directory.
    skipped
        What was left alone, and why.
    """

    to_add: list[Spec] = field(default_factory=list)
    to_drop: list[Spec] = field(default_factory=list)
    skipped: list[SkippedDirectory] = field(default_factory=list)


def diff(
    layout: PartitionLayout,
    on_disk: Iterable[Mapping[str, str]],
    registered: Iterable[Registered],
    mode: RepairMode | str = RepairMode.ADD,
) -> RepairPlan:
    """Compare complete lists of both sides.

    Directories and registrations are the same when their raw values are: a directory ``month=01`` is not the
    registration ``1``, whose data would be looked for in ``month=1``. It is not added next to that
    registration either, because both would be the same value; the plan reports it.

    Parameters
    ----------
    on_disk
        Raw specs of the partition directories.
    registered
        All registrations. One with an own location is neither missing nor added again.

    Raises
    ------
    InvalidInputError
        A directory stands for no possible path (``..`` in value-only layout); nothing is planned then.

    Examples
    --------
    >>> from spark_paimon.schema import Field, IntType
    >>> layout = PartitionLayout((Field(0, "month", IntType()),))
    >>> diff(layout, [{"month": "01"}, {"month": "2"}], [], "ADD").to_add
    [{'month': '01'}, {'month': '2'}]
    """
    mode = mode if isinstance(mode, RepairMode) else RepairMode.of(mode)
    directories: dict[str, Spec] = {}
    for spec in on_disk:
        if layout.value_only:  # elsewhere every name is a possible path
            layout.path(spec)
        directories[layout.name(spec)] = dict(spec)
    registrations = {layout.name(item.spec): item for item in registered}
    plan = RepairPlan()
    dropped: set[str] = set()
    if mode.drops:
        dropped = _plan_drops(layout, directories.keys(), registrations, plan)
    if mode.adds:
        kept = {name: item for name, item in registrations.items() if name not in dropped}
        _plan_adds(layout, directories, kept, plan)
    plan.skipped.sort(key=lambda skipped: (skipped.path, skipped.reason))
    return plan


def _plan_drops(
    layout: PartitionLayout,
    on_disk: Set[str],
    registrations: Mapping[str, Registered],
    plan: RepairPlan,
) -> set[str]:
    for name in sorted(registrations.keys() - on_disk):
        item = registrations[name]
        if item.options.get(LOCATION_OPTION):
            continue
        if layout.value_only and _is_hidden(layout, item.spec):
            plan.skipped.append(
                SkippedDirectory(
                    name, "its directory is hidden from listings, whether it exists is not known"
                )
            )
            continue
        plan.to_drop.append(dict(item.spec))
    return {layout.name(spec) for spec in plan.to_drop}


def _plan_adds(
    layout: PartitionLayout,
    directories: Mapping[str, Spec],
    registrations: Mapping[str, Registered],
    plan: RepairPlan,
) -> None:
    owners: dict[str, str] = {}
    for name, item in registrations.items():
        try:
            owners[layout.canonical_name(item.spec)] = name
        except errors.InvalidInputError:
            continue  # a registration that cannot be read has no value that another could repeat
    candidates: list[tuple[bool, str, str, Spec]] = []
    for name, spec in directories.items():
        if name in registrations:
            continue
        try:
            values = layout.values(spec)
            canonical = layout.canonical_name(spec)
        except errors.InvalidInputError as error:
            plan.skipped.append(SkippedDirectory(layout.path(spec), error.text))
            continue
        # Of several spellings of one value the one that writers of this table use comes first.
        candidates.append((_own_spelling(layout, spec, values) is False, name, canonical, spec))
    added: dict[str, Spec] = {}
    for _, name, canonical, spec in sorted(candidates, key=lambda candidate: candidate[:2]):
        owner = owners.setdefault(canonical, name)
        if owner == name:
            added[name] = spec
        else:
            plan.skipped.append(
                SkippedDirectory(layout.path(spec), f"the same value is registered as {owner}")
            )
    plan.to_add.extend(added[name] for name in sorted(added))


def _own_spelling(layout: PartitionLayout, spec: Spec, values: Mapping[str, object]) -> bool:
    try:
        return layout.spec(values) == spec  # type: ignore[arg-type]
    except errors.InvalidInputError:
        return False


def _is_hidden(layout: PartitionLayout, spec: Mapping[str, str]) -> bool:
    return any(
        is_hidden_name(text) and text != layout.default_name for text in (spec[key] for key in layout.keys)
    )
