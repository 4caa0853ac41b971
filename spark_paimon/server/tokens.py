"""The file with the token that every request must bring."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from pathlib import Path

from spark_paimon import errors
from spark_paimon.storage import local_path, scheme_of

TOKEN_FILE = ".spark_paimon/server.token"
"""Where a token is made that nobody gave, below the warehouse."""

_LARGEST = 64 << 10


def token_of(warehouse: str, token_file: str | None) -> str:
    """The token in a file, or one in the warehouse, which is made if there is none.

    Parameters
    ----------
    warehouse
        As a URI.
    token_file
        The file that the user named.

    Raises
    ------
    InvalidInputError
        ``SERVER_TOKEN_NEEDED``, ``SERVER_TOKEN_INVALID``, ``SERVER_TOKEN_OPEN``.
    OSError
        The file cannot be read or made.
    """
    if token_file:
        return _read(Path(token_file))
    if scheme_of(warehouse) != "file":
        raise errors.InvalidInputError("SERVER_TOKEN_NEEDED", warehouse=warehouse)
    path = Path(local_path(warehouse)) / TOKEN_FILE
    if not path.exists():
        _make(path)
    print(f"spark-paimon: the token is in {path}", file=sys.stderr)
    return _read(path)


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with open(fresh, "x", encoding="ascii", opener=_private) as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    try:
        # Complete or not there: a server that starts at the same time finds this file or makes it.
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        content = file.read(_LARGEST + 1)
    if stat.S_ISREG(mode) and mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise errors.InvalidInputError("SERVER_TOKEN_OPEN", file=path)
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        print(
            f"spark-paimon: others on this machine can read the token in {path}; chmod 600 keeps it private",
            file=sys.stderr,
        )
    token = content.strip()
    # Visible ASCII is what fits into a header.
    if not token or len(content) > _LARGEST or not all(33 <= character <= 126 for character in token):
        raise errors.InvalidInputError("SERVER_TOKEN_INVALID", file=path)
    return token.decode("ascii")
