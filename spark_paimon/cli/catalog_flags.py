"""The flags that name a catalog."""

from __future__ import annotations

import argparse
from pathlib import Path

METASTORES = ("embedded", "rest", "filesystem")


def add_catalog_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags to a command."""
    group = parser.add_argument_group("catalog")
    group.add_argument("--metastore", choices=METASTORES, help="kind of catalog (default: embedded)")
    group.add_argument("--warehouse", metavar="DIR", help="directory or URI of the warehouse")
    group.add_argument("--uri", help="of the REST catalog, or of the database of an embedded one")
    # Not the token itself: everybody on the machine can read a command line.
    group.add_argument("--token-file", metavar="FILE", help="file that holds the token of a REST catalog")
    group.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        type=_pair,
        default=[],
        help="any other option of the catalog; may be repeated",
    )


def catalog_options(options: argparse.Namespace) -> dict[str, str]:
    """Options for :func:`~spark_paimon.catalog.load_catalog`; empty where no catalog was named.

    Raises
    ------
    OSError
        The token file cannot be read.
    """
    found = {"warehouse": options.warehouse, "uri": options.uri}
    if options.token_file:
        found["token"] = Path(options.token_file).read_text(encoding="utf-8").strip()
    named = {**{key: value for key, value in found.items() if value}, **dict(options.option)}
    if not named and not options.metastore:
        return {}
    return {"metastore": options.metastore or "embedded", **named}


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value
