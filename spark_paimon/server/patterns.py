"""Name patterns of listings."""

from __future__ import annotations

from collections.abc import Sequence

from spark_paimon.partition.like import like


def matching(names: Sequence[str], pattern: str | None) -> list[str]:
    r"""Names that a pattern of SQL's LIKE lets through, with the backslash as escape; all without one.

    Examples
    --------
    >>> matching(["flights", "flies", "a_b"], "fli%"), matching(["a_b", "axb"], r"a\_b")
    (['flights', 'flies'], ['a_b'])
    """
    return [name for name in names if like(name, pattern)] if pattern else list(names)
