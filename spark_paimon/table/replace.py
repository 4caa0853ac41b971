"""CREATE TABLE AS SELECT and REPLACE TABLE: a definition and its rows become visible together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from spark_paimon.parallel import attach, attempt_all
from spark_paimon.schema import Schema
from spark_paimon.storage import Storage, is_hidden
from spark_paimon.table.commit import StagedFile, WriteMode, commit
from spark_paimon.table.commit.files import STAGING
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import FormatTable

if TYPE_CHECKING:
    from spark_paimon.catalog.interface import Catalog
    from spark_paimon.catalog.models import Identifier


def replace_contents(
    catalog: Catalog,
    old: FormatTable | None,
    identifier: Identifier,
    schema: Schema,
    files: Sequence[StagedFile],
) -> FormatTable:
    """Store a new definition and publish its staged files.

    Parameters
    ----------
    old
        The table that is replaced; None when a new one is created.
    schema
        The new definition.
    files
        What the query staged below the location of the new table.

    Returns
    -------
    FormatTable
        The new table.

    Raises
    ------
    PaimonError
        As for creating a table and for an overwrite. A table that was to be created is then not there. A
        table that was to be replaced may be left empty, with its old definition or the new one.

    Notes
    -----
    Old files go first: files of the old definition must not be read by the new one, however the rest ends.
    Where the catalog may refuse to replace a table, they go after it did not: for that moment, or for good if
    the process ends in it, files of the old definition are below the new one.
    """
    if old is None:
        return _create(catalog, identifier, schema, files)
    settle_killed(old)
    planned = catalog.plan_table(identifier, schema)
    remove_old = partial(
        remove_contents, old.storage, old.location, old.metadata_directories, old.partition_default_name
    )
    emptied = not old.info.external and planned.location == old.location
    if emptied and catalog.always_replaces:
        remove_old()
    catalog.replace_table(identifier, schema)
    if emptied and not catalog.always_replaces:
        remove_old()
    table = catalog.get_table(identifier)
    commit(table, files, WriteMode.OVERWRITE, {})
    if not old.info.external and table.location != old.location:
        old.storage.delete_directory(old.location)
    return table


def _create(
    catalog: Catalog, identifier: Identifier, schema: Schema, files: Sequence[StagedFile]
) -> FormatTable:
    catalog.create_table(identifier, schema)
    try:
        table = catalog.get_table(identifier)
        commit(table, files, WriteMode.OVERWRITE, {})
    except Exception as error:
        attach([error, *attempt_all(partial(catalog.drop_table, ignore_if_not_exists=True), [identifier])])
        raise
    return table


def remove_contents(
    storage: Storage, location: str, metadata_directories: Collection[str] = (), default_name: str = ""
) -> None:
    """Delete all data files below a directory, and the directories that are empty then.

    Hidden files and directories stay: they belong to writers, one of which may be the caller.
    """
    try:
        entries = storage.list_directory(location)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name in metadata_directories or (is_hidden(entry.name) and entry.name != default_name):
            if entry.name == STAGING:
                # Left behind by writes that are done, it would keep the directory of a partition in place.
                storage.remove_empty_directory(entry.path)
            continue
        if not entry.is_directory:
            storage.delete_file(entry.path)
            continue
        remove_contents(storage, entry.path, (), default_name)
        storage.remove_empty_directory(entry.path)
