"""Typed view of options, and the checks made when a table or a catalog is defined."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from spark_paimon import errors
from spark_paimon.options.tables import (
    CATALOG_OPTION_PREFIXES,
    CATALOG_OPTIONS,
    TABLE_OPTIONS,
    Option,
)

_TABLE: dict[str, Option] = {option.key: option for option in TABLE_OPTIONS}
_CATALOG: dict[str, Option] = {option.key: option for option in CATALOG_OPTIONS}
_DEFAULTS: dict[str, Any] = {option.key: option.default_value for option in TABLE_OPTIONS}
# Lower-cased spelling -> spelling under which it is stored: keys are the same whatever their case.
_SPELLINGS: dict[str, str] = {
    name.lower(): name for option in TABLE_OPTIONS for name in (*option.aliases, option.key)
}
# Below this length, words of everyday use (`mode`, `sep`) are too near to each other to guess a typo.
_SHORTEST_GUESSED = 8
_NEAR = 0.88


@dataclass(frozen=True)
class TableOptions:
    """Options of a table as typed values.

    Parameters
    ----------
    mapping
        Texts as stored. Keys are compared ignoring case; unknown ones are user properties and do no harm.

    Examples
    --------
    >>> options = TableOptions({"FILE.FORMAT": "ORC", "sep": ";"})
    >>> options.get("file.format"), options.get("csv.field-delimiter"), options.get("target-file-size")
    ('orc', ';', 268435456)
    """

    mapping: Mapping[str, str]
    _texts: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mapping", dict(self.mapping))
        object.__setattr__(self, "_texts", {key.lower(): text for key, text in self.mapping.items()})

    def get(self, key: str) -> Any:
        """The value of an option: set under its key, else under an alias, else the default.

        Raises
        ------
        InvalidInputError
            The text is not of the option's kind; the message names key, text and what is expected.
        """
        option = _TABLE[key]
        for name in (key, *option.aliases):
            text = self._texts.get(name.lower())
            if text is not None:
                return option.type.parse(text, key)
        return _DEFAULTS[key]

    def is_set(self, key: str) -> bool:
        """Whether an option is there, under its key or an alias.

        Examples
        --------
        >>> TableOptions({"compression": "zstd"}).is_set("file.compression")
        True
        """
        return any(name.lower() in self._texts for name in (key, *_TABLE[key].aliases))

    def updated(self, changes: Mapping[str, str]) -> TableOptions:
        """The options with some set anew; a change also replaces other spellings of the same key."""
        changed = {key.lower() for key in changes}
        kept = {key: text for key, text in self.mapping.items() if key.lower() not in changed}
        return TableOptions({**kept, **changes})

    def __iter__(self) -> Iterator[str]:
        return iter(self.mapping)


def validate_table_options(mapping: Mapping[str, str]) -> dict[str, str]:
    """Check the options of a table that is being created or altered.

    Returns
    -------
    dict
        The same options; known keys have the spelling of the documentation.

    Raises
    ------
    InvalidInputError
        A known option has a malformed value, a key is a near miss of a known one, or two spellings of one key
        have different values.
    UnsupportedError
        The file format is none that a format table can have.

    Examples
    --------
    >>> validate_table_options({"File.Format": "orc", "owner": "me"})
    {'file.format': 'orc', 'owner': 'me'}
    """
    result: dict[str, str] = {}
    origins: dict[str, str] = {}
    for key, text in mapping.items():
        known = _SPELLINGS.get(key.lower())
        if known is None:
            nearest = _near_miss(key.lower())
            if nearest is not None:
                raise errors.InvalidInputError("OPTION_UNKNOWN", key=key, nearest=nearest)
        stored = known or key
        if result.get(stored, text) != text:
            raise errors.InvalidInputError("OPTION_CONFLICT", first=origins[stored], second=key)
        result[stored] = text
        origins[stored] = key
    for option in TABLE_OPTIONS:
        for name in (option.key, *option.aliases):
            if name in result:
                option.type.parse(result[name], option.key)
    return result


def validate_catalog_options(mapping: Mapping[str, str]) -> dict[str, str]:
    """Check the options of a catalog: only known keys and prefixes, and every value of its kind.

    Returns
    -------
    dict
        The same options, aliases replaced by their keys.

    Raises
    ------
    InvalidInputError
        The key is unknown (the message names the nearest known one) or the value malformed.

    Examples
    --------
    >>> validate_catalog_options({"warehuose": "/data"})
    Traceback (most recent call last):
    ...
    spark_paimon.errors.InvalidInputError: [CATALOG_OPTION_UNKNOWN] There is no catalog option 'warehuose'. \
Did you mean 'warehouse'? SQLSTATE: 22023
    """
    # Spark hands catalog options over with lower-cased keys when they went through its own map.
    spellings = {
        name.lower(): option.key for option in CATALOG_OPTIONS for name in (option.key, *option.aliases)
    }
    result: dict[str, str] = {}
    for key, text in mapping.items():
        known = spellings.get(key.lower())
        if known is not None:
            _CATALOG[known].type.parse(text, known)
            result[known] = text
        elif key.lower().startswith(tuple(CATALOG_OPTION_PREFIXES)):
            result[key] = text
        else:
            near = difflib.get_close_matches(key.lower(), list(spellings), n=1)
            hint = f" Did you mean '{spellings[near[0]]}'?" if near else ""
            raise errors.InvalidInputError("CATALOG_OPTION_UNKNOWN", key=key, hint=hint)
    defaults = {
        key[len("table-default.") :]: text
        for key, text in result.items()
        if key.lower().startswith("table-default.")
    }
    validate_table_options(defaults)
    return result


def catalog_option(mapping: Mapping[str, str], key: str) -> Any:
    """The typed value of a catalog option, or its default.

    Examples
    --------
    >>> catalog_option({"warehouse": "/data"}, "metastore")
    'filesystem'
    """
    option = _CATALOG[key]
    for name in (key, *option.aliases):
        if name in mapping:
            return option.type.parse(mapping[name], key)
    return option.default_value


@lru_cache(maxsize=1024)
def _near_miss(lowered: str) -> str | None:
    if len(lowered) < _SHORTEST_GUESSED:
        return None
    candidates = [name for name in _SPELLINGS if len(name) >= _SHORTEST_GUESSED]
    near = difflib.get_close_matches(lowered, candidates, n=1, cutoff=_NEAR)
    return _SPELLINGS[near[0]] if near else None
