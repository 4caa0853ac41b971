"""Partition directories: the two layouts, and specs in their raw, typed and canonical forms.

A *spec* maps the partition columns, in key order, to raw texts: what the directory name says after
unescaping, and what the registry holds. The NULL partition has the text of ``partition.default-name``.

Examples
--------
>>> from spark_paimon.schema import DateType, Field, IntType
>>> layout = PartitionLayout((Field(0, "dt", DateType()), Field(1, "hh", IntType())))
>>> layout.path({"dt": "2025-01-01", "hh": "01"})
'dt=2025-01-01/hh=01'
>>> layout.values({"dt": "20089", "hh": "01"})
{'dt': 20089, 'hh': 1}
>>> layout.canonical_name({"dt": "20089", "hh": "01"})
'dt=2025-01-01/hh=1'
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from spark_paimon import errors
from spark_paimon.partition.escaping import NO_COMPONENTS, escape, is_hidden_name, unescape
from spark_paimon.partition.values import (
    DEFAULT_PARTITION_NAME,
    Parser,
    Value,
    canonical_text,
    canonicaliser,
    format_value,
    is_blank,
    literal_value,
    parser,
)
from spark_paimon.schema.types import Field, TextType, VarCharType

__all__ = ["PartitionLayout", "Spec", "escape", "is_hidden_name", "layout_for", "unescape"]

Spec = dict[str, str]


@dataclass(frozen=True)
class PartitionLayout:
    """How the partitions of one table are spelled as directories and names.

    Parameters
    ----------
    columns
        The partition columns in key order.
    value_only
        Components are ``value`` instead of ``key=value``.
    default_name
        Text of NULL.
    legacy_name
        Spelling of written dates and timestamps, see :func:`spark_paimon.partition.values.format_value`.
    """

    columns: tuple[Field, ...]
    value_only: bool = False
    default_name: str = DEFAULT_PARTITION_NAME
    legacy_name: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))

    def __getstate__(self) -> dict[str, Any]:
        # The cached functions below are not picklable, and are made anew on the other side.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Names of the partition columns in key order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _parsers(self) -> tuple[tuple[str, Parser | None], ...]:
        # None marks columns whose text is the value, which need no call.
        return tuple(
            (column.name, None if isinstance(column.type, TextType) else parser(column.type))
            for column in self.columns
        )

    @cached_property
    def _canonicalisers(self) -> tuple[tuple[str, Callable[[str], str] | None], ...]:
        return tuple(
            (column.name, None if isinstance(column.type, VarCharType) else canonicaliser(column.type))
            for column in self.columns
        )

    @cached_property
    def _prefixes(self) -> tuple[tuple[str, str], ...]:
        return tuple((key, escape(key) + "=") for key in self.keys)

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {column.name: column for column in self.columns}

    def path(self, spec: Mapping[str, str]) -> str:
        """Directory of a partition, relative to the table.

        Raises
        ------
        InvalidInputError
            A value is missing or empty, or cannot be a whole component in value-only layout.

        Examples
        --------
        >>> from spark_paimon.schema import Field, StringType
        >>> PartitionLayout((Field(0, "dt", StringType()),), value_only=True).path({"dt": "a:b"})
        'a%3Ab'
        """
        if not self.value_only:
            return self.name(spec)
        parts = []
        for key in self.keys:
            text = spec.get(key)
            if not text:
                raise self._incomplete(spec)
            if text in NO_COMPONENTS:
                raise errors.InvalidInputError("PARTITION_VALUE_NOT_PATH", value=text, column=key)
            parts.append(escape(text))
        return "/".join(parts)

    def name(self, spec: Mapping[str, str]) -> str:
        """Name of a partition, ``k1=v1/k2=v2`` with escaping, in either layout."""
        parts = []
        for key, prefix in self._prefixes:
            text = spec.get(key)
            if not text:
                raise self._incomplete(spec)
            parts.append(prefix + escape(text))
        return "/".join(parts)

    def parse_name(self, name: str, *, partial: bool = False) -> Spec:
        """The spec that a name ``k1=v1/k2=v2`` stands for.

        Parameters
        ----------
        partial
            Take some of the keys as well, in any order; column names are then resolved ignoring case.

        Raises
        ------
        InvalidInputError
            The name has another form.

        Examples
        --------
        >>> from spark_paimon.schema import Field, StringType
        >>> PartitionLayout((Field(0, "dt", StringType()),)).parse_name("dt=a%3Ab")
        {'dt': 'a:b'}
        """
        found: Spec = {}
        for part in name.split("/"):
            key, separator, text = part.rpartition("=")
            if not separator or not text:
                raise self._malformed(name, f"'{part}' is not of the form key=value")
            column = self._match(unescape(key), ignore_case=partial)
            if column is None:
                raise self._malformed(name, f"there is no partition column {unescape(key)}")
            if column in found:
                raise self._malformed(name, f"{column} is named twice")
            found[column] = unescape(text)
        if not partial and tuple(found) != self.keys:
            raise self._malformed(name, "it must name all partition columns in their order")
        return {key: found[key] for key in self.keys if key in found}

    def parse_path(self, path: str) -> Spec | None:
        """The spec of a partition directory, read from its last components only; None when they do not fit.

        The directory is known to be a partition; hidden names are a matter of finding partitions.

        Examples
        --------
        >>> from spark_paimon.schema import Field, StringType
        >>> layout = PartitionLayout((Field(0, "dt", StringType()),))
        >>> layout.parse_path("file:/wh/env=prod/t/dt=a%3Ab"), layout.parse_path("file:/wh/t")
        ({'dt': 'a:b'}, None)
        """
        count = len(self.columns)
        parts = path.rstrip("/").split("/")[-count:] if count else []
        if len(parts) != count:
            return None
        spec: Spec = {}
        for level, part in enumerate(parts):
            text = unescape(part) if self.value_only else self.is_partition_component(level, part)
            if not text or (self.value_only and text in NO_COMPONENTS):
                return None
            spec[self.keys[level]] = text
        return spec

    def is_partition_component(self, level: int, name: str) -> str | None:
        """Raw value of a directory name at a partition level, None when the name does not fit the layout.

        In ``key=value`` layout the key decides, so that a column ``_region`` works although other names with
        a leading ``_`` are hidden. In value-only layout hidden names are none, except the NULL partition.

        Examples
        --------
        >>> from spark_paimon.schema import Field, StringType
        >>> column = Field(0, "dt", StringType())
        >>> PartitionLayout((column,)).is_partition_component(0, "dt=x")
        'x'
        >>> value_only = PartitionLayout((column,), value_only=True)
        >>> [value_only.is_partition_component(0, name) for name in ("x", "_tmp", "__DEFAULT_PARTITION__")]
        ['x', None, '__DEFAULT_PARTITION__']
        """
        if self.value_only:
            if is_hidden_name(name) and unescape(name) != self.default_name:
                return None
            return unescape(name) or None
        key, separator, text = name.rpartition("=")
        if not separator or not text:
            return None
        expected = self.keys[level]
        return unescape(text) if key == expected or unescape(key) == expected else None

    def values(self, spec: Mapping[str, str]) -> dict[str, Value]:
        """Typed values of a spec, in key order; a partial spec gives what it has.

        Raises
        ------
        InvalidInputError
            A text is no value of its column's type.
        """
        default_name = self.default_name
        result: dict[str, Value] = {}
        for key, parse in self._parsers:
            text = spec.get(key)
            if text is None:
                continue
            if text == default_name:
                result[key] = None
            elif parse is None:
                result[key] = text
            else:
                try:
                    result[key] = parse(text)
                except ValueError as error:
                    raise self._unreadable(key, text) from error
        return result

    def spec(self, values: Mapping[str, Value]) -> Spec:
        """The spec under which values are stored, in key order; may be partial.

        Raises
        ------
        InvalidInputError
            A value is not of its column's type, or is a string that reads as NULL.

        Examples
        --------
        >>> from spark_paimon.schema import DateType, Field
        >>> PartitionLayout((Field(0, "dt", DateType()),), legacy_name=True).spec({"dt": 20089})
        {'dt': '20089'}
        """
        result: Spec = {}
        for column in self.columns:
            if column.name in values:
                value = values[column.name]
                try:
                    result[column.name] = format_value(
                        value, column.type, self.legacy_name, self.default_name
                    )
                except errors.InvalidInputError as error:
                    raise errors.InvalidInputError(
                        error.condition, **{**error.parameters, "column": column.name}
                    ) from None
        return result

    def canonical(self, spec: Mapping[str, str]) -> Spec:
        """One spec for all spellings of the same values: equal values give equal texts, and only they do.

        It identifies partitions and is no path: data lies where the raw spec says.
        """
        default_name = self.default_name
        result: Spec = {}
        for key, canonicalise in self._canonicalisers:
            text = spec.get(key)
            if text is None:
                continue
            if canonicalise is None or text == default_name:
                result[key] = text
            else:
                try:
                    result[key] = canonicalise(text)
                except ValueError as error:
                    raise self._unreadable(key, text) from error
        return result

    def canonical_name(self, spec: Mapping[str, str]) -> str:
        """Name of the canonical spec."""
        return self.name(self.canonical(spec))

    def prefix(self, values: Mapping[str, Value]) -> Spec:
        """Canonical texts of the leading run of keys that have a value: what a catalog can be asked for.

        A string that reads as NULL ends the run, because no partition has it.

        Examples
        --------
        >>> from spark_paimon.schema import Field, IntType, StringType
        >>> layout = PartitionLayout((Field(0, "dt", StringType()), Field(1, "hh", IntType())))
        >>> layout.prefix({"dt": "x"}), layout.prefix({"hh": 1})
        ({'dt': 'x'}, {})
        """
        result: Spec = {}
        for column in self.columns:
            if column.name not in values:
                break
            value = values[column.name]
            text = canonical_text(value, column.type, self.default_name)
            if not text or (value is not None and text == self.default_name):
                break
            result[column.name] = text
        return result

    def resolve(self, name: str, table: object, case_sensitive: bool = False) -> str:
        """The partition column that a name in a statement means.

        Raises
        ------
        NoSuchColumnError
            There is none.
        """
        column = self._match(name, ignore_case=not case_sensitive)
        if column is None:
            raise errors.NoSuchColumnError(
                "PARTITION_COLUMN_NOT_FOUND", column=name, table=table, keys=", ".join(self.keys)
            )
        return column

    def literals(
        self, literals: Mapping[str, object], table: object, case_sensitive: bool = False
    ) -> dict[str, Value]:
        """Typed values of the literals of a PARTITION clause, in key order; may be partial.

        The name of the NULL partition means NULL.

        Raises
        ------
        NoSuchColumnError
            A name is no partition column.
        InvalidInputError
            A literal is no value of its column's type, or a column is named twice.

        Examples
        --------
        >>> from spark_paimon.schema import Field, IntType
        >>> PartitionLayout((Field(0, "hh", IntType()),)).literals({"HH": "007"}, "db.t")
        {'hh': 7}
        """
        found: dict[str, Value] = {}
        for name, text in literals.items():
            key = self.resolve(name, table, case_sensitive)
            if key in found:
                raise errors.InvalidInputError("PARTITION_COLUMN_REPEATED", column=key, table=table)
            found[key] = literal_value(text, self._by_name[key].type, key, table, self.default_name)
        return {key: found[key] for key in self.keys if key in found}

    def leading_run(self, names: Collection[str]) -> tuple[str, ...]:
        """The named keys in key order, when they are a leading run of the keys.

        Raises
        ------
        InvalidInputError
            There is a gap; the message shows the run that is required.
        """
        wanted = set(names)
        present = [level for level, key in enumerate(self.keys) if key in wanted]
        if present != list(range(len(wanted))):
            required = self.keys[: present[-1] + 1] if present else ()
            raise errors.InvalidInputError(
                "PARTITION_NOT_LEADING",
                columns=", ".join(names),
                keys=", ".join(self.keys),
                required=", ".join(required),
            )
        return self.keys[: len(wanted)]

    def check_not_blank(self, values: Mapping[str, Value], operation: str, table: object) -> None:
        """Refuse blank strings in a statement that names a partition: they would address the NULL partition.

        Raises
        ------
        InvalidInputError
            Names operation, column, table and the name of the NULL partition.
        """
        for key, value in values.items():
            if isinstance(value, str) and is_blank(value):
                raise errors.InvalidInputError(
                    "PARTITION_VALUE_BLANK",
                    operation=operation,
                    column=key,
                    table=table,
                    default_name=self.default_name,
                )

    def check_discoverable(
        self,
        spec: Mapping[str, str],
        operation: str,
        table: object,
        metadata_directories: Iterable[str] = (),
    ) -> None:
        """Refuse a value whose value-only directory would be skipped when partitions are found by listing.

        For tables whose partitions come from directories: a row written there would never be read again.

        Raises
        ------
        InvalidInputError
            The directory would be hidden, or be one of the table's metadata directories.
        """
        if not self.value_only:
            return
        for level, key in enumerate(self.keys):
            text = spec[key]
            reason = None
            if is_hidden_name(text) and text != self.default_name:
                reason = f"names that begin with '{text[0]}' are hidden"
            elif level == 0 and text in metadata_directories:
                reason = "the table's metadata lies there"
            if reason is not None:
                raise errors.InvalidInputError(
                    "PARTITION_VALUE_HIDDEN",
                    operation=operation,
                    value=text,
                    column=key,
                    table=table,
                    reason=reason,
                )

    def _match(self, name: str, *, ignore_case: bool) -> str | None:
        if name in self._by_name:
            return name
        if ignore_case:
            return next((key for key in self.keys if key.lower() == name.lower()), None)
        return None

    def _unreadable(self, key: str, text: str) -> errors.InvalidInputError:
        kind = self._by_name[key].type.bare_sql()
        return errors.InvalidInputError("PARTITION_VALUE_UNREADABLE", value=text, type=kind, column=key)

    def _incomplete(self, spec: Mapping[str, str]) -> errors.InvalidInputError:
        return errors.InvalidInputError(
            "PARTITION_SPEC_INCOMPLETE", spec=dict(spec), keys=", ".join(self.keys)
        )

    def _malformed(self, name: str, reason: str) -> errors.InvalidInputError:
        form = "/".join(f"{key}=…" for key in self.keys)
        return errors.InvalidInputError("PARTITION_NAME_INVALID", name=name, form=form, reason=reason)


def layout_for(
    columns: Iterable[Field],
    option: Callable[[str], Any],
) -> PartitionLayout:
    """The layout that a table's options describe.

    Parameters
    ----------
    option
        Typed value of an option by its key, e.g. ``TableOptions(...).get``.

    Examples
    --------
    >>> from spark_paimon.options import TableOptions
    >>> layout_for((), TableOptions({"partition.legacy-name": "false"}).get).legacy_name
    False
    """
    return PartitionLayout(
        tuple(columns),
        option("format-table.partition-path-only-value"),
        option("partition.default-name"),
        option("partition.legacy-name"),
    )
