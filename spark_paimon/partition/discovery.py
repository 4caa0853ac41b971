"""Finding the partitions of a table by listing its directories.

The walk goes level by level and lists a directory only when the filter may hold below it. Values are compared
as values: a filter on a DATE finds ``dt=2025-01-01`` and ``dt=20089``. A listing that fails is an error,
never a shorter answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.parallel import map_ordered
from spark_paimon.partition.escaping import NO_COMPONENTS, is_hidden_name
from spark_paimon.partition.layout import PartitionLayout, Spec
from spark_paimon.partition.predicate import Predicate
from spark_paimon.partition.values import Value, canonical_text
from spark_paimon.schema.types import VarCharType

if TYPE_CHECKING:
    from spark_paimon.storage import Entry, Storage

# A text of these characters has one spelling as a directory in practice: no writer escapes them. Those that
# as paths mean something else are looked for by listing.
_ONE_SPELLING = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class SkippedDirectory:
    """A directory that is no partition, or cannot be one, and why.

    Parameters
    ----------
    path
        Relative to the table directory; ``.`` is the table directory.
    """

    path: str
    reason: str


@dataclass(frozen=True)
class DiscoveredPartition:
    """A partition directory.

    Parameters
    ----------
    spec
        Raw values.
    path
        Hadoop Path string of the directory as it really is called.
    exact
        Whether that is the directory which the spec stands for. A foreign writer may spell the same value
        differently (``c%20d``); such a directory can be read, but a registration would not lead to it.
    """

    spec: Spec
    path: str
    exact: bool = True


@dataclass(frozen=True)
class Discovery:
    """What a walk found, in the order of the names.

    Parameters
    ----------
    entries
        The partitions with their directories.
    skipped
        What was passed over below the directories that were listed; hidden names are not mentioned.
    """

    entries: list[DiscoveredPartition] = field(default_factory=list)
    skipped: list[SkippedDirectory] = field(default_factory=list)

    @property
    def partitions(self) -> list[Spec]:
        """Raw specs of all entries."""
        return [entry.spec for entry in self.entries]

    @property
    def addressable(self) -> list[Spec]:
        """Raw specs of the entries to which a registration of the spec leads."""
        return [entry.spec for entry in self.entries if entry.exact]

    @property
    def foreign(self) -> list[SkippedDirectory]:
        """The other entries, with the reason why they cannot be registered."""
        return [
            SkippedDirectory(
                "/".join(entry.path.split("/")[-len(entry.spec) :]),
                "its name is not the one that its value has here; rename it",
            )
            for entry in self.entries
            if not entry.exact
        ]


@dataclass(frozen=True)
class _Node:
    """Directory at some level of the walk, with what its name says so far."""

    path: str
    relative: str
    spec: Spec
    bound: Mapping[str, Value]


def discover(
    storage: Storage,
    location: str,
    layout: PartitionLayout,
    predicate: Predicate | None = None,
    prefix: Mapping[str, str] | None = None,
    metadata_directories: Collection[str] = (),
    parallelism: int = 64,
) -> Discovery:
    """Partitions that directories below a location make, empty ones included.

    Parameters
    ----------
    predicate
        Directories below which it certainly does not hold are not entered.
    prefix
        Texts of values that keys must have; every spelling of the same value is found.
    metadata_directories
        Names directly below the location that hold the table's metadata.
    parallelism
        Listings at once.

    Returns
    -------
    Discovery
        Nothing when the location does not exist.

    Raises
    ------
    StorageError
        A directory could not be listed, or vanished while others were.
    InvalidInputError
        A value-only directory stands for something that cannot be a component, such as ``..``.
    """
    if predicate is not None and predicate.always_false:
        return Discovery()
    texts = layout.canonical(prefix or {})
    if predicate is not None:
        # What the filter demands narrows the walk as a prefix does; it is evaluated as a whole besides.
        texts = {**layout.prefix(predicate.leading_equalities(layout.keys)), **texts}
    walk = _Walk(storage, layout, predicate, texts, frozenset(metadata_directories))
    level_nodes = [_Node(location.rstrip("/") or location, "", {}, {})]
    found = Discovery()
    for level in range(len(layout.columns)):
        # The root is listed by the caller's own thread, which may have to pick up credentials first.
        listings = map_ordered(partial(walk.children, level), level_nodes, parallelism if level else 1)
        level_nodes = [node for nodes, _ in listings for node in nodes]
        found.skipped.extend(skipped for _, skips in listings for skipped in skips)
    if layout.columns:
        found.entries.extend(
            DiscoveredPartition(node.spec, node.path, node.relative == layout.path(node.spec))
            for node in level_nodes
        )
    return found


class _Walk:
    """One discovery: what does not change from directory to directory."""

    def __init__(
        self,
        storage: Storage,
        layout: PartitionLayout,
        predicate: Predicate | None,
        texts: Spec,
        metadata_directories: frozenset[str],
    ) -> None:
        self.storage = storage
        self.layout = layout
        self.predicate = predicate
        self.metadata_directories = metadata_directories
        self.texts = texts

    def children(self, level: int, node: _Node) -> tuple[list[_Node], list[SkippedDirectory]]:
        """Directories one level down that may hold what is looked for, and what was passed over."""
        direct = self._only_child(level, node)
        if direct is not None:
            return [child for child in direct if self._wanted(level, child)], []
        nodes: list[_Node] = []
        skipped: list[SkippedDirectory] = []
        files = 0
        for entry in self._list(level, node):
            if level == 0 and entry.name in self.metadata_directories:
                continue
            if not entry.is_directory:
                files += not is_hidden_name(entry.name)
                continue
            text = self.layout.is_partition_component(level, entry.name)
            if text is None:
                if not is_hidden_name(entry.name):
                    skipped.append(
                        SkippedDirectory(_below(node, entry.name), self._mismatch(level, entry.name))
                    )
                continue
            if entry.is_link and self.storage.leads_back(entry.path):
                reason = "it is a link to a directory that holds it"
                skipped.append(SkippedDirectory(_below(node, entry.name), reason))
                continue
            child = self._child(level, node, entry.name, entry.path, text)
            if self._wanted(level, child):
                nodes.append(child)
        if files:
            key = self.layout.keys[level]
            reason = f"{files} file(s) lie above the directories of {key}; they are not part of the table"
            skipped.append(SkippedDirectory(node.relative or ".", reason))
        return nodes, skipped

    def _only_child(self, level: int, node: _Node) -> Iterable[_Node] | None:
        """The one directory that can hold the wanted value; None when only a listing can tell."""
        column = self.layout.columns[level]
        text = self.texts.get(column.name)
        if text is None or text in NO_COMPONENTS or not isinstance(column.type, VarCharType):
            return None
        if not _ONE_SPELLING.fullmatch(text):
            return None
        component = PartitionLayout((column,), self.layout.value_only).path({column.name: text})
        if self.layout.is_partition_component(level, component) is None:
            return []
        if level == 0 and component in self.metadata_directories:
            return []
        path = f"{node.path}/{component}"
        if not self.storage.is_directory(path) or self.storage.leads_back(path):
            return []
        return [self._child(level, node, component, path, text)]

    def _child(self, level: int, node: _Node, name: str, path: str, text: str) -> _Node:
        key = self.layout.keys[level]
        bound = dict(node.bound)
        # What is no value stays unbound, so that no filter hides it: whoever needs the value gets the error.
        with suppress(errors.InvalidInputError):
            bound.update(self.layout.values({key: text}))
        return _Node(path, _below(node, name), {**node.spec, key: text}, bound)

    def _wanted(self, level: int, child: _Node) -> bool:
        column = self.layout.columns[level]
        key = column.name
        if key in self.texts:
            if key not in child.bound:
                return False
            if canonical_text(child.bound[key], column.type, self.layout.default_name) != self.texts[key]:
                return False
        return self.predicate is None or self.predicate.may_match(child.bound)

    def _list(self, level: int, node: _Node) -> list[Entry]:
        try:
            return self.storage.list_directory(node.path)
        except FileNotFoundError as missing:
            if level == 0:
                return []
            raise errors.StorageError(
                "STORAGE_FAILED",
                operation="list",
                path=node.path,
                reason="it vanished while partitions were looked for",
            ) from missing

    def _mismatch(self, level: int, name: str) -> str:
        key = self.layout.keys[level]
        if not self.layout.value_only and name.rpartition("=")[2] == "":
            return f"its value of {key} is empty"
        return f"its name is not of the form {key}=value"


def _below(node: _Node, name: str) -> str:
    return f"{node.relative}/{name}" if node.relative else name
