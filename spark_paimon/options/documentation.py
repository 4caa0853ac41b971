"""The documentation page of the options, made from their rows."""

from __future__ import annotations

from collections.abc import Iterable

from spark_paimon.options.tables import (
    CATALOG_OPTION_PREFIXES,
    CATALOG_OPTIONS,
    TABLE_OPTION_TOPICS,
    Option,
)

_HEAD = """# Options

This page is made from the rows in `spark_paimon/options`; change those, then run
`python -m spark_paimon.options > docs/options.md`.

Keys are compared ignoring case. A known option with a malformed value is an error that names it, and so is a
key that looks like a mistyped known one; any other key is a property of your own and is kept.

Where several spellings of one option are set, the key counts before the other spellings, and those count in
the order of the list. All of them are checked.

## For one use of a table

Options of tables can also be set without changing the table, weakest first:

| where | for |
|---|---|
| `` SET `spark.paimon.<option>` = … `` | all tables of the session |
| `` SET `spark.paimon.<catalog>.<database>.<table>.<option>` = … `` | tables so named; each may be `*` |
| `SELECT … FROM t WITH (<option> = …)`, `INSERT INTO t WITH (…)`, `.option(…)` | this read or write |

Of several settings the one that names the table counts before one that names only its database, and that
one before one that names only its catalog. Keys that are no option of a table are passed over. What a table
is stays: `type`, `path`, `file.format`, whether its catalog manages the partitions, and the layout of one
whose partitions it manages. Options about snapshots (`scan.snapshot-id`, `branch`, …) are refused. A writer's
`partitionOverwriteMode` counts before the session's setting, as with Spark's own files.
"""


def options_markdown() -> str:
    """The text of ``docs/options.md``.

    Examples
    --------
    >>> options_markdown().splitlines()[0]
    '# Options'
    """
    parts = [_HEAD, "## Tables\n"]
    for topic, rows in TABLE_OPTION_TOPICS.items():
        parts.append(f"### {topic}\n\n{_table(rows)}")
    parts.append("## Catalogs\n\nSet as `spark.sql.catalog.<name>.<key>`.\n\n" + _table(CATALOG_OPTIONS))
    prefixes = "\n".join(f"| `{prefix}…` | {help} |" for prefix, help in CATALOG_OPTION_PREFIXES.items())
    parts.append(f"| prefix | meaning |\n|---|---|\n{prefixes}\n")
    return "\n".join(parts)


def _table(rows: Iterable[Option]) -> str:
    lines = ["| option | type | default | meaning | other spellings |", "|---|---|---|---|---|"]
    lines += [
        f"| `{row.key}` | {row.type} | {_default(row)} | {row.help} | "
        + (", ".join(f"`{alias}`" for alias in row.aliases) or "-")
        + " |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _default(row: Option) -> str:
    if row.default is None:
        return "-"
    if row.default == "":
        return "empty"
    if row.key == "target-file-row-num":
        return "unlimited"
    return "`" + row.default.replace("\n", "\\n").replace("|", "\\|") + "`"
