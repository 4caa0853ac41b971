"""Secrets of a session that has a JVM of its own: command line, event log, pages and log."""

from __future__ import annotations

import json
from pathlib import Path

from tests.submit.conftest import Runner, results

TOKEN = "token-that-nobody-may-see"
KEY = "key-that-nobody-may-see"
SETTING = "setting-that-is-on-the-command-line"


def test_no_secret_is_seen_from_outside(run_python: Runner, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    done = run_python("keeping_secrets.py", str(tmp_path / "w"), str(events), TOKEN, KEY, SETTING)
    (line,) = results(done)
    seen = json.loads(line)

    assert seen.pop("works") == [1, 1]
    file = Path(seen["file"])
    assert not file.parent.exists()  # it went with the program
    written = "".join(path.read_text() for path in events.rglob("*") if path.is_file())
    assert "SparkListenerJobStart" in written
    assert "spark.sql.catalog.set.warehouse" in written
    for place, text in {**seen, "events": written, "log": done.stderr}.items():
        assert TOKEN not in str(text), place
        assert KEY not in str(text), place
        # What a user puts into a setting is on the command line before we are asked.
        assert place == "command line" or SETTING not in str(text), place
    assert SETTING in seen["command line"]
    assert done.stderr.count("Setting spark.sql.catalog.set.token holds a secret") == 1
