"""Read by every Python that starts with this folder on PYTHONPATH; does something in the bridge process only.

The bridge inherits the environment of the JVM, and that of the test run, so faults can be injected into it
without a hook in the package.
"""

import os
import sys

if "spark_paimon.bridge" in sys.orig_argv and os.environ.get("SPARK_PAIMON_FAULT_FILE"):
    import injected_faults

    injected_faults.install(os.environ["SPARK_PAIMON_FAULT_FILE"])
