"""Which catalog options are secret, and the file that holds them so that no setting has to.

``secret_options.json`` is the rule, as pairs of regular expressions for the whole name and for a part of the
value; the jar has a copy, because settings of a session are seen there first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from urllib.parse import unquote

from spark_paimon import errors

SECRETS_FILE = "secrets-file"
"""The catalog option that names the file."""

_USER_INFO = re.compile(r"://[^/]*?:([^@]*)@")
# Shorter ones are words of everyday texts, which would become unreadable.
_SHORTEST_HIDDEN = 6


def is_secret(key: str, value: str) -> bool:
    """Whether a catalog option must not be where others can read it.

    Examples
    --------
    >>> is_secret("token", "x"), is_secret("token-file", "/run/token"), is_secret("header.Authorization", "x")
    (True, False, True)
    >>> is_secret("uri", "postgresql://me:pw@db/catalog"), is_secret("uri", "https://catalog.example.org")
    (True, False)
    """
    return any(name.fullmatch(key) and part.search(value) for name, part in _rule())


def with_secrets(options: Mapping[str, str], text: str | None = None) -> dict[str, str]:
    """The options together with those in the file that ``secrets-file`` names; the file wins.

    Parameters
    ----------
    options
        Catalog options as given.
    text
        Contents of that file, where somebody has read it already.

    Raises
    ------
    InvalidInputError
        ``SECRETS_FILE_INVALID``: the file cannot be read, or is no JSON object of texts. The message tells
        nothing of what it holds.

    Examples
    --------
    >>> with_secrets({"metastore": "rest", "secrets-file": "/run/secrets/paimon.json"}, '{"token": "t"}')
    {'metastore': 'rest', 'token': 't'}
    """
    path = next((value for key, value in options.items() if key.lower() == SECRETS_FILE), None)
    if path is None:
        return dict(options)
    found = _parsed(_contents(path) if text is None else text, path)
    replaced = {SECRETS_FILE, *(key.lower() for key in found)}
    return {**{key: value for key, value in options.items() if key.lower() not in replaced}, **found}


def secret_values(options: Mapping[str, str]) -> set[str]:
    """Texts that must not be shown, of a catalog with these options.

    Examples
    --------
    >>> sorted(secret_values({"uri": "postgresql://me:p%20word@db/c", "warehouse": "/w"}))
    ['p word', 'p%20word', 'postgresql://me:p%20word@db/c']
    """
    values: set[str] = set()
    for key, value in options.items():
        if is_secret(key, value):
            passwords = _USER_INFO.findall(value)
            values |= {value, *passwords, *map(unquote, passwords)}
    return values


def hidden(text: str, secrets: Collection[str]) -> str:
    """A text with ``***`` in place of each of these secrets, short ones excepted.

    Examples
    --------
    >>> hidden("Invalid header value: 'Bearer abcdef'", {"abcdef"})
    "Invalid header value: 'Bearer ***'"
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_HIDDEN:
            text = text.replace(secret, "***")
    return text


@lru_cache(maxsize=1)
def _rule() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    file = resources.files("spark_paimon.options").joinpath("secret_options.json")
    return tuple(
        (re.compile(row["name"], re.IGNORECASE), re.compile(row.get("value", ""), re.IGNORECASE))
        for row in json.loads(file.read_text(encoding="utf-8"))
    )


def _contents(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise _invalid(path, error.strerror or type(error).__name__) from error
    except UnicodeDecodeError:
        raise _invalid(path, "it is not UTF-8") from None


def _parsed(text: str, path: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        # What JSON says about its mistakes belongs to a text that is not to be shown.
        raise _invalid(path, "it is no JSON") from None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise _invalid(path, "it is no JSON object with texts as values")
    if any(key.lower() == SECRETS_FILE for key in found):
        raise _invalid(path, "it names another such file")
    return found


def _invalid(path: str, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("SECRETS_FILE_INVALID", path=path, reason=reason)
