"""Spark sessions with Paimon catalogs: prepared before they start, attached to while they run, and examined.

Importing this room costs nothing: pyspark is imported when a function needs it.
"""

from __future__ import annotations

from spark_paimon.session.configure import configure_spark_with_paimon
from spark_paimon.session.diagnosis import Check, doctor
from spark_paimon.session.jar import JarVersions, jar_path, jar_versions
from spark_paimon.session.local import local_session
from spark_paimon.session.running import attach

__all__ = [
    "Check",
    "JarVersions",
    "attach",
    "configure_spark_with_paimon",
    "doctor",
    "jar_path",
    "jar_versions",
    "local_session",
]
