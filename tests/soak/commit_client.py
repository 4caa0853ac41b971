"""One writer of the soak of commits: its own partitions, and appends to one that all writers share.

Prints what it did as JSON, for the model that the test keeps.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from spark_paimon.catalog import load_catalog
from spark_paimon.procedures.analyze import analyze
from spark_paimon.procedures.repair import repair
from spark_paimon.table.commit import WriteMode, check_write, commit
from tests.format_tables import stage

OWN = 3


def main(warehouse: Path, number: int, commits: int) -> None:
    """Run the commits of one writer."""
    chance = random.Random(number)
    own = [f"own-{number}-{place}" for place in range(OWN)]
    rows = {"shared": 0, **dict.fromkeys(own, 0)}
    files = {"shared": 0, **dict.fromkeys(own, 0)}
    with load_catalog({"metastore": "embedded", "warehouse": str(warehouse)}) as catalog:
        table = catalog.get_table("db.t")
        done = 0
        while done < commits:
            kind = chance.choices(("append", "share", "overwrite", "repair", "analyze"), (4, 4, 4, 1, 1))[0]
            if kind == "repair":
                repair(table, "SYNC")
                continue
            name = "shared" if kind == "share" else chance.choice(own)
            if kind == "analyze":
                if rows[name]:
                    analyze(table, {"dt": name}, noscan=chance.random() < 0.5)
                continue
            mode = WriteMode.OVERWRITE if kind == "overwrite" else WriteMode.APPEND
            static = {"dt": name} if kind == "overwrite" else None
            counts = [chance.randint(1, 5) for _ in range(chance.randint(1, 3))]
            check_write(table, mode, static)
            report = commit(table, [stage(table, count, dt=name) for count in counts], mode, static)
            assert report.warnings == (), report.warnings
            done += 1
            kept = mode is WriteMode.APPEND
            rows[name] = rows[name] * kept + sum(counts)
            files[name] = files[name] * kept + len(counts)
    print(json.dumps({"rows": rows, "files": files}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
