"""One call of the JVM, from JSON to JSON."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from spark_paimon import errors
from spark_paimon.bridge import databases, messages, partitions, procedures, scans, tables, workers, writes
from spark_paimon.bridge.messages import Json, decode
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.options import hidden, secret_values, with_secrets

_LOG = logging.getLogger(__name__)

Handler = Callable[..., object]


@dataclass(frozen=True)
class Operation:
    """A row of the table of operations.

    Parameters
    ----------
    request
        What the JSON of the call is decoded into.
    handler
        ``handler(catalog, request)`` or, where ``wants_session``, ``handler(catalog, request, jvm_session)``.
    """

    request: type[Any]
    handler: Handler
    wants_session: bool = False


OPERATIONS: Mapping[str, Operation] = {
    "list_databases": Operation(messages.ListDatabases, databases.list_all),
    "load_database": Operation(messages.NamedDatabase, databases.load),
    "create_database": Operation(messages.CreateDatabase, databases.create),
    "alter_database": Operation(messages.AlterDatabase, databases.alter),
    "drop_database": Operation(messages.DropDatabase, databases.drop),
    "list_tables": Operation(messages.ListTables, tables.list_all),
    "load_table": Operation(messages.NamedTable, tables.load),
    "create_table": Operation(messages.DefineTable, tables.create),
    "alter_table": Operation(messages.AlterTable, tables.alter),
    "drop_table": Operation(messages.NamedTable, tables.drop),
    "rename_table": Operation(messages.RenameTable, tables.rename),
    "truncate_table": Operation(messages.NamedTable, tables.truncate),
    "stage_table": Operation(messages.DefineTable, writes.stage_table),
    "begin_staged_write": Operation(messages.DefineTable, writes.begin_staged, wants_session=True),
    "commit_staged_table": Operation(messages.FinishStagedTable, writes.commit_staged_table),
    "abort_staged_table": Operation(messages.FinishStagedTable, writes.abort_staged_table),
    "list_partitions": Operation(messages.SomePartitions, partitions.list_values),
    "load_partition": Operation(messages.SomePartitions, partitions.load),
    "add_partitions": Operation(messages.AddPartitions, partitions.add),
    "drop_partitions": Operation(messages.SomePartitions, partitions.drop),
    "truncate_partitions": Operation(messages.SomePartitions, partitions.truncate),
    "truncate_partitions_statement": Operation(
        messages.TruncatePartitionsStatement, partitions.truncate_statement
    ),
    "rename_partition": Operation(messages.NamedTable, partitions.refuse_metadata),
    "purge_partitions": Operation(messages.NamedTable, partitions.refuse_purge),
    "replace_partition_metadata": Operation(messages.NamedTable, partitions.refuse_metadata),
    "add_partitions_statement": Operation(messages.AddPartitionsStatement, partitions.add_statement),
    "drop_partitions_statement": Operation(messages.DropPartitionsStatement, partitions.drop_statement),
    "plan_scan": Operation(messages.PlanScan, scans.plan),
    "python_reader": Operation(messages.PreparePythonReader, scans.python_reader, wants_session=True),
    "file_cuts": Operation(messages.FileCuts, scans.cut_files),
    "max_partition": Operation(messages.MaxPartition, scans.largest),
    "read_metadata_table": Operation(messages.NamedTable, scans.read_metadata_table),
    "begin_write": Operation(messages.BeginWrite, writes.begin, wants_session=True),
    "commit_write": Operation(messages.FinishWrite, writes.commit_files),
    "abort_write": Operation(messages.FinishWrite, writes.abort_files),
    "overwrite_unsupported": Operation(messages.UnsupportedOverwrite, writes.refuse_overwrite),
    "load_procedure": Operation(messages.LoadProcedure, procedures.load),
    "list_procedures": Operation(messages.ListProcedures, procedures.list_all),
    "call_procedure": Operation(messages.CallProcedure, procedures.call, wants_session=True),
    "analyze_statement": Operation(
        messages.AnalyzeStatement, procedures.analyze_statement, wants_session=True
    ),
    "repair_statement": Operation(messages.RepairStatement, procedures.repair_statement),
}


class Service:
    """The opened catalogs of this process and the operations on them. Safe to call from many threads."""

    def __init__(self) -> None:
        self._catalogs: dict[str, Catalog] = {}
        self._secrets: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def hide(self, text: str) -> str:
        """A text without the secrets of the catalogs: other people's libraries quote what they were given."""
        return hidden(text, self._secrets)

    def call(self, operation: str, message: str, jvm_object: object) -> str:
        """Run an operation; whatever goes wrong is part of the answer and never raised.

        Returns
        -------
        str
            ``{"result": …}`` or ``{"error": …}``, see :mod:`spark_paimon.bridge.messages`.
        """
        try:
            return json.dumps({"result": self._run(operation, json.loads(message), jvm_object)})
        except Exception as error:  # the seam to the JVM: every failure has to arrive there as one
            return json.dumps({"error": describe_error(error, self.hide)})

    def close(self) -> None:
        """Close every catalog."""
        with self._lock:
            catalogs, self._catalogs = list(self._catalogs.values()), {}
        for catalog in catalogs:
            catalog.close()

    def _run(self, operation: str, message: Mapping[str, Json], jvm_object: object) -> Json:
        if operation == "open_catalog":
            return asdict(self._open(decode(messages.OpenCatalog, message)))
        row = OPERATIONS[operation]
        catalog = self._catalogs[message["catalog"]]
        request = decode(row.request, message)
        answer = (
            row.handler(catalog, request, jvm_object) if row.wants_session else row.handler(catalog, request)
        )
        return asdict(answer)  # type: ignore[call-overload]

    def _open(self, request: messages.OpenCatalog) -> messages.OpenedCatalog:
        # Sessions that configure the same catalog share it; the key tells nothing of the options, which may
        # be secret.
        options = with_secrets(request.options, request.secrets)
        text = json.dumps([request.name, sorted(options.items())])
        key = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            self._secrets |= secret_values(options)
            if key not in self._catalogs:
                self._catalogs[key] = load_catalog(options)
        return messages.OpenedCatalog(key)


def describe_error(error: Exception, hide: Callable[[str], str] = str) -> dict[str, Json]:
    """What the JVM is told about an error; ``hide`` takes out what nobody may see."""
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if not isinstance(error, errors.PaimonError):
        _LOG.error("An operation failed in a way that nobody foresaw\n%s", trace)
        error = errors.PaimonError("INTERNAL_ERROR", text=f"{type(error).__name__}: {error}")
    told = workers.describe_error(error)
    parameters = {name: hide(value) for name, value in told["parameters"].items()}
    return {**told, "message": hide(told["message"]), "parameters": parameters, "traceback": hide(trace)}
