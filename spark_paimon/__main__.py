"""``python -m spark_paimon`` is the command line ``spark-paimon``."""

from __future__ import annotations

import sys

from spark_paimon.cli import main

if __name__ == "__main__":
    sys.exit(main())
