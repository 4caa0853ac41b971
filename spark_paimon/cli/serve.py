"""``spark-paimon serve``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from spark_paimon import errors
from spark_paimon.cli.catalog_flags import add_option_flag

DATABASE_URL = "SPARK_PAIMON_DATABASE_URL"
"""Environment variable with the URL of the database: unlike a command line, others cannot read it."""

_HELP = """\
Serves the tables of a warehouse over the REST protocol of Apache Paimon, to this package and to Paimon's own
clients. The first line of the output is JSON: {"uri": "http://127.0.0.1:40123"}. Every request needs the
token; without --token-file one is made in the warehouse, and the place is told on standard error. The log
goes there too, one JSON object a line. It stops at SIGTERM or Ctrl-C, after the running requests.
"""


def add_command(commands: Any) -> None:
    """Add the command."""
    serve = commands.add_parser(
        "serve", help="the REST catalog server over an embedded catalog", description=_HELP
    )
    serve.add_argument("--warehouse", metavar="DIR", required=True, help="directory or URI of the warehouse")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument("--port", type=_port, default=0, help="port to listen on (default: any free one)")

    database = serve.add_argument_group("database (default: a SQLite file in the warehouse)")
    database.add_argument(
        "--database-url",
        metavar="URL",
        help=f"as the catalog option 'uri'. Others on the machine can read a command line: a URL with a "
        f"password belongs into {DATABASE_URL} or a file",
    )
    database.add_argument("--database-url-file", metavar="FILE", help="file that holds the URL")

    access = serve.add_argument_group("access")
    access.add_argument("--token-file", metavar="FILE", help="file that holds the token, mode 0600")
    access.add_argument("--tls-certificate", metavar="FILE", help="certificate chain, PEM")
    access.add_argument("--tls-key", metavar="FILE", help="key of the certificate, PEM without a password")
    access.add_argument(
        "--behind-proxy",
        action="store_true",
        help="allow plain HTTP beyond this machine, because a proxy in front does TLS",
    )

    limits = serve.add_argument_group("limits")
    limits.add_argument(
        "--largest-body", metavar="MB", type=_positive, default=64, help="of a request (default: 64)"
    )
    limits.add_argument(
        "--most-requests",
        metavar="N",
        type=_positive,
        default=256,
        help="at once; more are answered with 503 (default: 256)",
    )
    limits.add_argument(
        "--stop-seconds",
        metavar="S",
        type=_positive,
        default=30,
        help="how long running requests may go on after SIGTERM (default: 30)",
    )
    add_option_flag(serve)
    serve.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    try:
        from spark_paimon.server import listening, log, process, tokens
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("spark_paimon"):
            raise
        raise errors.UnsupportedError("EXTRA_MISSING", what="The server", extra="server") from error
    from spark_paimon.catalog.embedded import EmbeddedCatalog
    from spark_paimon.options import validate_catalog_options
    from spark_paimon.server.limits import Limits

    address = listening.Address(
        options.host, options.port, options.tls_certificate, options.tls_key, options.behind_proxy
    )
    listening.check(address, token_given=bool(options.token_file))
    given = {"metastore": "embedded", "warehouse": options.warehouse, **dict(options.option)}
    url = _database_url(options)
    if url:
        given["uri"] = url
    limits = Limits(
        body_bytes=options.largest_body << 20,
        requests=options.most_requests,
        stop_seconds=options.stop_seconds,
    )
    with EmbeddedCatalog(validate_catalog_options(given)) as catalog:
        token = tokens.token_of(catalog.warehouse, options.token_file)
        log.set_up_logging([token, *_passwords(given.get("uri", ""))])
        process.serve(catalog, address, token, limits)
    return 0


def _database_url(options: argparse.Namespace) -> str:
    if options.database_url_file:
        return Path(options.database_url_file).read_text(encoding="utf-8").strip()
    if options.database_url:
        if _passwords(options.database_url):
            print(
                "spark-paimon: others on this machine can read the password in --database-url; "
                f"{DATABASE_URL} or --database-url-file keeps it private",
                file=sys.stderr,
            )
        return str(options.database_url)
    return os.environ.get(DATABASE_URL, "").strip()


def _passwords(url: str) -> list[str]:
    """The password of a URL as it stands there and as it is meant."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        password = make_url(url).password if url else None
    except (ArgumentError, ValueError):
        return []
    if not password:
        return []
    written = url.partition("://")[2].rpartition("@")[0].partition(":")[2]
    return list({str(password), written} - {""})


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port: they go from 0 to 65535")
    return number


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number
