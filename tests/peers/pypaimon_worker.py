"""Runs where pypaimon is installed, without this package: see :mod:`tests.peers.pypaimon_files`.

Tables cross as Arrow files, whose paths are in the requests.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any

import pyarrow as pa
from pypaimon.common.identifier import Identifier
from pypaimon.filesystem.local_file_io import LocalFileIO
from pypaimon.schema.data_types import DataField
from pypaimon.schema.schema import Schema
from pypaimon.schema.table_schema import TableSchema
from pypaimon.table.format.format_table import Format, FormatTable


def _fields(request: dict[str, Any]) -> list[DataField]:
    return [DataField.from_dict(field) for field in request["fields"]]


def _table(request: dict[str, Any]) -> FormatTable:
    schema = Schema(fields=_fields(request), options=request["options"])
    return FormatTable(
        LocalFileIO.create(),
        Identifier.create("db", "t"),
        TableSchema.from_schema(0, schema),
        request["location"],
        Format.parse(request["format"]),
        request["options"],
    )


def _write(request: dict[str, Any]) -> None:
    with pa.ipc.open_file(request["arrow"]) as source:
        rows = source.read_all()
    if request["format"] == "mosaic":
        # A copy, because the native library wants decimals aligned as the memory pool does it.
        rows = rows.take(list(range(rows.num_rows)))
        LocalFileIO.create().write_mosaic(f"{request['location']}/data-0.mosaic", rows)
        return
    builder = _table(request).new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(rows)
    commit.commit(writer.prepare_commit())
    writer.close()


def _read(request: dict[str, Any]) -> None:
    if request["format"] == "mosaic":
        rows = _read_mosaic(request)
    else:
        builder = _table(request).new_read_builder()
        rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    with pa.ipc.new_file(request["arrow"], rows.schema) as sink:
        sink.write_table(rows)


def _read_mosaic(request: dict[str, Any]) -> pa.Table:
    from pypaimon.read.reader.format_mosaic_reader import FormatMosaicReader

    batches = []
    for file in sorted(Path(request["location"]).iterdir()):
        reader = FormatMosaicReader(LocalFileIO.create(), str(file), _fields(request), None)
        while (batch := reader.read_arrow_batch()) is not None:
            batches.append(batch)
        reader.close()
    return pa.Table.from_batches(batches)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        (_write if request["action"] == "write" else _read)(request)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
    return {}


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)
