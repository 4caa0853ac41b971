"""Eight processes write, repair and measure one table at once: nothing is lost, doubled or miscounted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from spark_paimon.procedures.analyze import analyze
from spark_paimon.storage import local_path
from spark_paimon.table.metadata import metadata_table
from tests.format_tables import create, everything, open_catalog
from tests.soak import commit_client

ROOT = Path(__file__).parents[2]
WRITERS = 8
COMMITS = 300


def test_rows_and_statistics_equal_the_model(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        writers = [
            subprocess.Popen(
                [sys.executable, "-m", commit_client.__name__, str(tmp_path), str(number), str(COMMITS)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(WRITERS)
        ]
        rows: Counter[str] = Counter()
        files: Counter[str] = Counter()
        for writer in writers:
            said, complained = writer.communicate(timeout=1800)
            assert writer.returncode == 0, complained
            assert "Traceback" not in complained
            rows.update(json.loads(said)["rows"])
            files.update(json.loads(said)["files"])
        written = {name for name, count in files.items() if count}

        read: Counter[str] = Counter()
        for partition, path, *_ in metadata_table(table, "files").rows:
            read[partition.partition("=")[2]] += pq.ParquetFile(local_path(path)).metadata.num_rows
        assert read == +rows
        known = {row.spec["dt"]: row.statistics for row in table.list_partitions()}
        assert set(known) == written
        assert {name: numbers.record_count for name, numbers in known.items()} == dict(+rows)
        assert {name: numbers.file_count for name, numbers in known.items()} == dict(+files)
        analyze(table)
        measured = {row.spec["dt"]: row.statistics for row in table.list_partitions()}
        assert {name: numbers.file_size_in_bytes for name, numbers in measured.items()} == {
            name: numbers.file_size_in_bytes for name, numbers in known.items()
        }
        assert [path for path in everything(table) if "/." in path] == []
