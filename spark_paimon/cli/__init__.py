"""The command line ``spark-paimon``.

Exit code 0 means success and nothing else: 1 is an error, explained on standard error, 2 a wrong command
line. Standard output holds results only, as text for people or with ``--json`` as one JSON document.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from spark_paimon import __version__, errors
from spark_paimon.cli import diagnosis, partitions, serve
from spark_paimon.cli.catalog_flags import add_catalog_flags


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments
        Words of the command line without the program; those of this process by default.

    Returns
    -------
    int
        The exit code.

    Examples
    --------
    >>> main(["jar"])  # doctest: +ELLIPSIS
    /...spark-paimon_4.2-...jar
    0
    """
    options = _parser().parse_args(arguments)
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (errors.PaimonError, OSError) as error:
        # Texts of others, such as those of a database driver, have several lines.
        print("spark-paimon:", *(line.strip() for line in str(error).splitlines()), file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spark-paimon", description="Apache Paimon tables in Spark SQL: demo, diagnosis, maintenance."
    )
    parser.add_argument("--version", action="version", version=f"spark-paimon {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    demo = commands.add_parser("demo", help="the main job on 336,776 real flights, each result checked")
    demo.add_argument(
        "--warehouse", metavar="DIR", help="keep the tables there (default: a directory that is removed)"
    )
    demo.set_defaults(run=_demo)

    doctor = commands.add_parser("doctor", help="check Java, Spark, jar, workers, catalog and extras")
    doctor.add_argument("--no-session", action="store_true", help="do not start a Spark session")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    add_catalog_flags(doctor)
    doctor.set_defaults(run=diagnosis.run)

    jar = commands.add_parser(
        "jar", help='print the path of the jar, for spark-submit --jars "$(spark-paimon jar)"'
    )
    jar.set_defaults(run=_jar)

    partitions.add_commands(commands)
    serve.add_command(commands)
    return parser


def _demo(options: argparse.Namespace) -> int:
    from spark_paimon.demo import run_demo

    run_demo(options.warehouse)
    return 0


def _jar(options: argparse.Namespace) -> int:
    del options
    from spark_paimon.session import jar_path

    print(jar_path())
    return 0
