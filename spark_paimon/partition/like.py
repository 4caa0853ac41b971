r"""SQL's LIKE: ``%`` stands for any text, ``_`` for one character, a backslash takes their meaning away.

Matching takes time in proportion to text times pattern, however many ``%`` there are, so that patterns of
strangers can be used.

Examples
--------
>>> like("2024-01-31", "2024-%"), like("a%b", r"a\%b"), like("axb", r"a\%b")
(True, True, False)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

_ANY, _ONE = object(), object()
_WELL_FORMED = re.compile(r"(?:[^\\]|\\[\\%_])*", re.DOTALL)


def like(text: str, pattern: str) -> bool:
    """Whether a text matches a pattern as a whole."""
    return _matcher(pattern)(text)


def is_well_formed(pattern: str) -> bool:
    r"""Whether backslashes stand only before ``%``, ``_`` and themselves; engines differ about other ones.

    Examples
    --------
    >>> is_well_formed(r"a\_b%"), is_well_formed(r"a\b")
    (True, False)
    """
    return _WELL_FORMED.fullmatch(pattern) is not None


def literal_prefix(pattern: str) -> str:
    r"""What every matching text begins with.

    Examples
    --------
    >>> literal_prefix(r"20\%24-%_"), literal_prefix("_x")
    ('20%24-', '')
    """
    result = []
    for token in _tokens(pattern):
        if not isinstance(token, str):
            break
        result.append(token)
    return "".join(result)


def _tokens(pattern: str) -> Iterator[str | object]:
    escaped = False
    for char in pattern:
        if escaped or char not in "\\%_":
            yield char
            escaped = False
        elif char == "\\":
            escaped = True
        else:
            yield _ANY if char == "%" else _ONE
    if escaped:
        yield "\\"


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], bool]:
    # Each part between two `%` has a fixed length, and taking the leftmost place for each is always right.
    parts: list[list[str]] = [[]]
    for token in _tokens(pattern):
        if token is _ANY:
            parts.append([])
        else:
            parts[-1].append("." if token is _ONE else re.escape(str(token)))
    expressions = [re.compile("".join(part), re.DOTALL) for part in parts]
    first, *middle = expressions
    if not middle:
        return lambda text: first.fullmatch(text) is not None
    last, tail = middle.pop(), len(parts[-1])

    def matches(text: str) -> bool:
        found = first.match(text)
        for expression in middle:
            found = found and expression.search(text, found.end())
        start = len(text) - tail
        return found is not None and found.end() <= start and last.match(text, start) is not None

    return matches
