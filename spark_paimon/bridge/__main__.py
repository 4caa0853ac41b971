"""``python -m spark_paimon.bridge``, started by the JVM."""

from __future__ import annotations

from spark_paimon.bridge.process import main

if __name__ == "__main__":
    main()
