"""``spark-paimon partitions``: maintenance of the partitions of a table, without Spark.

Each command runs the procedure of the same name, so it does what ``CALL`` does, and prints its result table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.cli.catalog_flags import add_catalog_flags, catalog_options
from spark_paimon.cli.rendering import as_json, as_text
from spark_paimon.options import with_secrets

if TYPE_CHECKING:
    from spark_paimon.catalog import Catalog
    from spark_paimon.parallel import Progress

_PROCEDURES = {"repair": "repair", "analyze": "analyze", "add": "add_partition", "drop": "drop_partitions"}
_ARGUMENTS = ("partition", "mode", "where", "noscan", "dry_run", "location")


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``partitions`` and what stands below it."""
    group = commands.add_parser(
        "partitions", help="list and maintain the partitions of a table, without Spark"
    )
    below = group.add_subparsers(metavar="ACTION", required=True)

    _command(below, "list", "the partitions and their statistics")

    repair = _command(below, "repair", "make the catalog agree with the directories")
    repair.add_argument("--mode", choices=("ADD", "DROP", "SYNC"), type=str.upper, help="default: ADD")
    _add_partition(repair)
    _add_dry_run(repair)

    analyze = _command(below, "analyze", "measure partitions and store their statistics")
    _add_partition(analyze)
    analyze.add_argument(
        "--noscan",
        action="store_const",
        const=True,
        help="list directories only, leave row counts as they are",
    )

    add = _command(below, "add", "register a partition and make its directory")
    _add_partition(add, required=True)
    add.add_argument("--location", metavar="URI", help="where its files lie, outside of the table")

    drop = _command(below, "drop", "unregister partitions and delete their directories")
    drop.add_argument("--where", required=True, help="condition on the partition columns, as in SQL")
    _add_dry_run(drop)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("table", metavar="TABLE", help="db.table")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_catalog_flags(parser)
    parser.set_defaults(run=_run, action=name)
    return parser


def _add_partition(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    parser.add_argument("--partition", metavar="SPEC", required=required, help="such as dt=2025-01-01/hh=10")


def _add_dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_const", const=True, help="only say what would be done")


def _run(options: argparse.Namespace) -> int:
    from spark_paimon.catalog import load_catalog

    named = with_secrets(catalog_options(options) or {"metastore": "embedded"})
    _require_catalog(named)
    with load_catalog(named) as catalog:
        columns, rows = _list(catalog, options) if options.action == "list" else _call(catalog, options)
    print(as_json(columns, rows) if options.json else as_text(columns, rows))
    return 0


def _require_catalog(options: Mapping[str, str]) -> None:
    """Refuse a warehouse without a catalog: one would be made there, and the path is a mistyped one."""
    from spark_paimon.catalog.embedded import DATABASE_FILE
    from spark_paimon.storage import local_path, qualify, scheme_of

    warehouse = options.get("warehouse")
    if options.get("metastore") != "embedded" or options.get("uri") or not warehouse:
        return
    location = qualify(warehouse)
    if scheme_of(location) == "file" and not Path(local_path(location), DATABASE_FILE).is_file():
        raise errors.InvalidInputError("WAREHOUSE_WITHOUT_CATALOG", warehouse=warehouse)


_Result = tuple[list[tuple[str, str]], list[tuple[Any, ...]]]


def _list(catalog: Catalog, options: argparse.Namespace) -> _Result:
    from spark_paimon.table.metadata import metadata_table

    found = metadata_table(catalog.get_table(options.table), "partitions")
    return list(found.columns), list(found.rows)


def _call(catalog: Catalog, options: argparse.Namespace) -> _Result:
    from spark_paimon.procedures import ProcedureContext, procedure

    called = procedure(_PROCEDURES[options.action])
    given = {name: getattr(options, name, None) for name in _ARGUMENTS}
    arguments = {"table": options.table, **{key: value for key, value in given.items() if value is not None}}
    context = ProcedureContext(catalog=catalog, progress=_progress())
    rows = called.run(context, arguments)
    return list(called.result), rows


def _progress() -> Progress:
    from spark_paimon.parallel import no_progress

    if not sys.stderr.isatty():
        return no_progress

    def show(what: str, done: int, total: int | None) -> None:
        text = f"{what}: {done:,}" + (f" of {total:,}" if total is not None else "")
        ended = total is not None and done >= total
        print(f"\r\033[K{'' if ended else text}", end="", file=sys.stderr, flush=True)

    return show
