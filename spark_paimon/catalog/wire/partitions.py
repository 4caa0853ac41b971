"""Partitions, and requests about them, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark_paimon.catalog.models import Partition, Spec
from spark_paimon.catalog.wire.definitions import MISTAKES, malformed, moment
from spark_paimon.statistics import PartitionStatistics

BATCH = 1000
"""Partitions in one request that may be split, and the largest page."""

Report = tuple[Mapping[str, str], PartitionStatistics]
"""A spec and its numbers."""


@dataclass(frozen=True)
class CreateRequest:
    """A request to register partitions.

    Parameters
    ----------
    specs
        Complete specs with raw text.
    ignore_if_exists
        Whether a registered one is fine.
    statistics
        Numbers of some of the specs.
    replace_statistics
        Whether they take the place of the stored ones or are added to them.
    options
        One map a spec, by position; None when no partition has any.
    """

    specs: Sequence[Mapping[str, str]]
    ignore_if_exists: bool = True
    statistics: Sequence[Report] = ()
    replace_statistics: bool = False
    options: Sequence[Mapping[str, str]] | None = None

    def to_json(self) -> dict[str, Any]:
        """Body of the request: without statistics and options it is what the oldest servers know.

        Examples
        --------
        >>> CreateRequest([{"dt": "x"}]).to_json()
        {'partitionSpecs': [{'dt': 'x'}], 'ignoreIfExists': True}
        """
        form: dict[str, Any] = {
            "partitionSpecs": [dict(spec) for spec in self.specs],
            "ignoreIfExists": self.ignore_if_exists,
        }
        if self.statistics:
            form["partitionStatistics"] = [
                {"spec": dict(spec), **numbers.to_json()} for spec, numbers in self.statistics
            ]
            form["replaceStatistics"] = self.replace_statistics
        if self.options is not None and any(self.options):
            form["partitionOptions"] = [dict(wanted) for wanted in self.options]
        return form

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> CreateRequest:
        """Read the body of a request."""
        ignore = form.get("ignoreIfExists")
        return cls(
            specs=form["partitionSpecs"],
            ignore_if_exists=True if ignore is None else ignore,
            statistics=[
                (report["spec"], PartitionStatistics.from_json(report))
                for report in form.get("partitionStatistics") or ()
            ],
            replace_statistics=bool(form.get("replaceStatistics")),
            options=form.get("partitionOptions"),
        )


def partition_to_json(partition: Partition) -> dict[str, Any]:
    """A registered partition in an answer."""
    return {
        "spec": dict(partition.spec),
        **partition.statistics.to_json(),
        "done": partition.done,
        "createdAt": partition.created_at,
        "createdBy": None,
        "updatedAt": partition.updated_at,
        "updatedBy": None,
        "options": dict(partition.options) or None,
    }


def partition_from_json(form: Mapping[str, Any]) -> Partition:
    """Read a registered partition from an answer; the spec as it is, in any order of the keys.

    Raises
    ------
    CatalogError
        ``REST_ANSWER_MALFORMED``.
    """
    try:
        options = form.get("options") or {}
        return Partition(
            spec=dict(form["spec"]),
            statistics=PartitionStatistics.from_json(form),
            options={key: str(text) for key, text in options.items() if text is not None},
            done=bool(form.get("done")),
            created_at=moment(form, "createdAt"),
            updated_at=moment(form, "updatedAt"),
        )
    except MISTAKES as error:
        raise malformed("a partition", error) from error


def specs_from_json(form: Any) -> tuple[Spec, ...]:
    """Read a list of specs from an answer; a missing list is empty."""
    try:
        return tuple({str(key): str(text) for key, text in spec.items()} for spec in form or ())
    except MISTAKES as error:
        raise malformed("a list of partition specs", error) from error
