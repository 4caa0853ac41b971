"""``python -m benchmarks``: prints the times of both sides and their ratio."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import formats, maintenance, planning, reading, serving, writing
from benchmarks.timing import Comparison
from spark_paimon.session import local_session


def main() -> None:
    """Run the chosen benchmarks."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000_000, help="rows to read and to write")
    parser.add_argument("--days-of-rows", type=int, default=8, help="partitions they lie in, at most 31")
    parser.add_argument(
        "--partitions",
        type=int,
        default=10_000,
        help="partitions for the benchmark of MSCK; ANALYZE gets at most 3,000 of them",
    )
    parser.add_argument("--days", type=int, default=3000, help="small partitions for the planning benchmark")
    parser.add_argument(
        "--served", type=int, default=100_000, help="registered partitions for the benchmark of the server"
    )
    parser.add_argument("--rounds", type=int, default=5, help="measured runs of each side")
    parser.add_argument("--master", default="local[2]", help="Spark master")
    parser.add_argument(
        "--session-catalog",
        choices=("in-memory", "hive"),
        default="in-memory",
        help="where Spark keeps its own tables: nowhere, or in Hive's metastore on disk, as ours",
    )
    parser.add_argument(
        "--only",
        choices=("reading", "writing", "formats", "planning", "maintenance", "serving"),
        help="run one of them",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spark-paimon-bench-") as name:
        folder = Path(name)
        if options.only in (None, "serving"):
            print(f"{options.served:,} registered partitions, {options.rounds} rounds in turn; medians")
            print(f"{'':<44} {'server':>10} {'other':>10}")
            for comparison in serving.run(folder, partitions=options.served, rounds=options.rounds):
                print(comparison, flush=True)
        if options.only == "serving":
            return
        settings = {
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.memory": "4g",
            "spark.sql.catalogImplementation": options.session_catalog,
            "spark.sql.warehouse.dir": str(folder / "spark"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={folder / 'metastore'};create=true"
            ),
        }
        with local_session(
            "spark-paimon bench", folder / "warehouse", master=options.master, settings=settings
        ) as spark:
            spark.sql("CREATE NAMESPACE IF NOT EXISTS paimon.bench")
            size = {"rows": options.rows, "partitions": options.days_of_rows, "rounds": options.rounds}
            benchmarks: dict[str, Callable[[], Iterator[Comparison]]] = {
                "reading": lambda: reading.run(spark, folder, **size),
                "writing": lambda: writing.run(spark, folder, **size),
                "formats": lambda: formats.run(spark, folder, **{**size, "rows": options.rows // 4}),
                "planning": lambda: planning.run(spark, folder, days=options.days, rounds=options.rounds),
                "maintenance": lambda: maintenance.run(
                    spark,
                    folder,
                    repaired=options.partitions,
                    analyzed=min(options.partitions, 3000),
                    rounds=options.rounds,
                ),
            }
            print(f"{options.rows:,} rows, {options.master}, {options.rounds} rounds in turn; medians")
            print(f"{'':<44} {'ours':>10} {'Spark':>10}")
            for chosen, run in benchmarks.items():
                if options.only in (None, chosen):
                    for comparison in run():
                        print(comparison, flush=True)


if __name__ == "__main__":
    main()
