"""What a procedure is, and what it gets to work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from spark_paimon import errors
from spark_paimon.catalog.models import Identifier, name_parts
from spark_paimon.format.text_moments import zone_of
from spark_paimon.parallel import Progress, no_progress
from spark_paimon.table import FormatTable, open_table

if TYPE_CHECKING:
    from spark_paimon.catalog.interface import Catalog
    from spark_paimon.procedures.delta import DeltaEngine
    from spark_paimon.statistics.measure import ParallelRowCounter


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()
"""Default of a parameter that must be given."""


@dataclass(frozen=True)
class Parameter:
    """One argument of a procedure.

    Parameters
    ----------
    name
        As in ``CALL sys.p(name => …)``.
    type
        ``string``, ``boolean``, ``int`` or ``map<string,string>``.
    default
        Value when it is not given, or :data:`REQUIRED`.
    description
        One line for people.
    """

    name: str
    type: str
    default: Any = REQUIRED
    description: str = ""

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED


@dataclass(frozen=True)
class ProcedureContext:
    """What a procedure works with.

    Parameters
    ----------
    catalog
        The catalog in which it was called.
    count_rows
        Counts rows of files; None means threads of this process.
    default_database
        Database of a table that is named without one.
    catalog_name
        What SQL calls the catalog; a table may be named with it.
    options
        Settings of the session, of which those that begin with ``spark.paimon.`` count.
    time_zone
        Zone of the session; that of this process when None.
    delta
        Converts to Delta tables; None where there is no session that could.
    progress
        Is told how far the work is.
    """

    catalog: Catalog
    count_rows: ParallelRowCounter | None = None
    default_database: str = "default"
    catalog_name: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    time_zone: str | None = None
    delta: DeltaEngine | None = None
    progress: Progress = no_progress

    def table(self, name: str) -> FormatTable:
        """Open the table that an argument names: ``t``, ``db.t`` or ``catalog.db.t``.

        Raises
        ------
        NoSuchTableError, InvalidInputError
            There is no such table, or the text is no name of one of this catalog.
        """
        parts = name_parts(name)
        if len(parts) == 3 and parts[0] == self.catalog_name:
            parts = parts[1:]
        if len(parts) == 1:
            parts = [self.default_database, *parts]
        if len(parts) != 2:
            raise errors.InvalidInputError("IDENTIFIER_MALFORMED", identifier=name)
        return open_table(self.catalog, Identifier(*parts), self.catalog_name, self.options)

    def now(self) -> datetime:
        """The present, in the zone of the session."""
        return datetime.now(zone_of(self.time_zone)) if self.time_zone else datetime.now().astimezone()


@dataclass(frozen=True)
class Procedure:
    """Something that ``CALL`` can run.

    Parameters
    ----------
    name
        Name within ``sys``.
    description
        One line for people.
    parameters
        Arguments, in the order in which they may be given without names.
    result
        Name and Spark type of each column of the result.
    action
        Does it; use :meth:`run`, which checks the arguments first.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    result: tuple[tuple[str, str], ...]
    action: Callable[[ProcedureContext, Mapping[str, Any]], list[tuple[Any, ...]]]

    def run(self, context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run the procedure and return the rows of its result.

        Raises
        ------
        InvalidInputError
            ``PROCEDURE_ARGUMENT``: an argument is missing, unknown or of another type.
        """
        known = {parameter.name for parameter in self.parameters}
        for name in arguments:
            if name not in known:
                raise self._refuse(f"there is no argument '{name}'; it takes {', '.join(sorted(known))}")
        values: dict[str, Any] = {}
        for parameter in self.parameters:
            value = arguments.get(parameter.name)
            if value is None:
                if parameter.required:
                    raise self._refuse(f"the argument '{parameter.name}' is missing")
                value = parameter.default
            elif not _fits(value, parameter.type):
                raise self._refuse(
                    f"the argument '{parameter.name}' must be a {parameter.type}, not {value!r}"
                )
            values[parameter.name] = value
        return self.action(context, values)

    def _refuse(self, reason: str) -> errors.InvalidInputError:
        return errors.InvalidInputError("PROCEDURE_ARGUMENT", procedure=self.name, reason=reason)


def _fits(value: object, kind: str) -> bool:
    # Python takes a bool for an int.
    return isinstance(value, _PYTHON_TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


_PYTHON_TYPES: Mapping[str, type] = {
    "string": str,
    "boolean": bool,
    "int": int,
    "map<string,string>": Mapping,
}
