"""The flags that name a catalog.

None of them takes a secret: everybody on the machine can read a command line. An environment variable is no
way either, since every process that is started inherits it, Spark's workers too.
"""

from __future__ import annotations

import argparse
import sys

from spark_paimon.options import SECRETS_FILE, is_secret

METASTORES = ("embedded", "rest", "filesystem")


def add_catalog_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags to a command."""
    group = parser.add_argument_group("catalog")
    group.add_argument("--metastore", choices=METASTORES, help="kind of catalog (default: embedded)")
    group.add_argument("--warehouse", metavar="DIR", help="directory or URI of the warehouse")
    group.add_argument(
        "--uri",
        type=_uri,
        help="of the REST catalog, or of the database of an embedded one, without a password",
    )
    group.add_argument(
        "--token-file",
        metavar="FILE",
        help="file that holds the token of a REST catalog; - is standard input",
    )
    group.add_argument(
        f"--{SECRETS_FILE}",
        metavar="FILE",
        help='file that holds secret options as a JSON object, such as {"uri": "postgresql://me:password@db/c"}',
    )
    add_option_flag(group)


def add_option_flag(parser: argparse._ActionsContainer) -> None:
    """Add ``--option``, which may be repeated."""
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        type=_pair,
        default=[],
        help="any other option of the catalog; may be repeated",
    )


def catalog_options(options: argparse.Namespace) -> dict[str, str]:
    """Options for :func:`~spark_paimon.catalog.load_catalog`; empty where no catalog was named."""
    found = {"warehouse": options.warehouse, "uri": options.uri, SECRETS_FILE: options.secrets_file}
    if options.token_file == "-":
        found["token"] = sys.stdin.read().strip()
    else:
        found["token-file"] = options.token_file
    named = {**{key: value for key, value in found.items() if value}, **dict(options.option)}
    if not named and not options.metastore:
        return {}
    return {"metastore": options.metastore or "embedded", **named}


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    _refuse_secret(key, value)
    return key, value


def _uri(text: str) -> str:
    _refuse_secret("uri", text)
    return text


def _refuse_secret(key: str, value: str) -> None:
    if is_secret(key, value):
        raise argparse.ArgumentTypeError(
            f"{key!r} would be a secret that everybody on this machine can read; put it into a file as "
            f'{{"{key}": "..."}} and name that with --{SECRETS_FILE}'
        )
