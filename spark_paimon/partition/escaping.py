"""Spelling of keys and values as components of a path, and the names that readers skip."""

from __future__ import annotations

import re

#: Directory that makes the one in which it lies a Delta table.
DELTA_LOG = "_delta_log"
#: Texts that mean something else when they are a whole component: directions, and the mark of a Delta table.
NO_COMPONENTS = (".", "..", DELTA_LOG)

_ESCAPED = re.compile(r"""[\x00-\x1f\x7f"#%'*/:=?\\{}\[\]^]""")
_HEX = re.compile(r"%([0-9A-Fa-f]{2})")


def escape(text: str) -> str:
    r"""Spell a key or value so that it can be one component of a path.

    Control characters and ``" # % ' * / : = ? \ { } [ ] ^`` become ``%`` and two hexadecimal digits;
    everything else, blanks and all letters of the world included, stays.

    Examples
    --------
    >>> escape("a b:c"), escape("a/b=c%"), escape("中文 value")
    ('a b%3Ac', 'a%2Fb%3Dc%25', '中文 value')
    """
    if _ESCAPED.search(text) is None:
        return text
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def unescape(text: str) -> str:
    """Undo :func:`escape`; a ``%`` without two hexadecimal digits behind it stays.

    Examples
    --------
    >>> unescape("a%2fb"), unescape("100%")
    ('a/b', '100%')
    """
    if "%" not in text:
        return text
    return _HEX.sub(lambda found: chr(int(found[1], 16)), text)


def is_hidden_name(name: str) -> bool:
    """Whether readers skip a file or directory of that name.

    Examples
    --------
    >>> is_hidden_name("_temporary"), is_hidden_name("dt=1")
    (True, False)
    """
    return name.startswith(("_", "."))
