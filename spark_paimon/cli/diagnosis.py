"""``spark-paimon doctor``."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from spark_paimon.cli.catalog_flags import catalog_options

_MARKS = {"ok": "ok", "problem": "PROBLEM", "absent": "-"}


def run(options: argparse.Namespace) -> int:
    """Print each check as it is made, one line each; 1 if there is a problem."""
    from spark_paimon.session import Check, doctor

    checks: list[Check] = []
    for check in doctor(catalog_options(options), session=not options.no_session):
        checks.append(check)
        if not options.json:
            advice = f" -> {check.advice}" if check.advice else ""
            print(f"{_MARKS[check.status]:<8} {check.name}: {check.detail}{advice}", flush=True)
    if options.json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    return int(any(check.status == "problem" for check in checks))
