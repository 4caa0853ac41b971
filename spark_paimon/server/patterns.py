"""Name patterns of listings."""

from __future__ import annotations

import re
from collections.abc import Sequence


def matching(names: Sequence[str], pattern: str | None) -> list[str]:
    r"""Names that a pattern of SQL's LIKE lets through, with the backslash as escape; all without one.

    Examples
    --------
    >>> matching(["flights", "flies", "a_b"], "fli%"), matching(["a_b", "axb"], r"a\_b")
    (['flights', 'flies'], ['a_b'])
    """
    if not pattern:
        return list(names)
    parts = []
    for token in re.findall(r"\\.|.", pattern, re.DOTALL):
        if token in ("%", "_"):
            parts.append(".*" if token == "%" else ".")
        else:
            parts.append(re.escape(token[-1]))
    # Several `%` in a row mean the same as one, and would make the search slow.
    expression = re.compile(re.sub(r"(\.\*)+", ".*", "".join(parts)), re.DOTALL)
    return [name for name in names if expression.fullmatch(name)]
