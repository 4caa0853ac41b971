"""Arming of faults in the bridge process of the shared session."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from pathlib import Path

INJECTION = Path(__file__).parent / "injection"
FAULT_FILE = "SPARK_PAIMON_FAULT_FILE"


@dataclass(frozen=True)
class Fault:
    """What goes wrong, once; see ``injection/injected_faults.py``."""

    step: str
    when: str = "before"
    number: int = 1
    action: str = "fail"
    match: str = ""

    def __str__(self) -> str:
        which = f"-{self.match}" if self.match else ""
        return f"{self.action}-{self.when}-{self.step}{which}-{self.number}"


@dataclass(frozen=True)
class Switch:
    """The file that the bridge looks at."""

    path: Path

    def arm(self, fault: Fault) -> None:
        self._fired.unlink(missing_ok=True)
        self._write(fault)

    def disarm(self) -> None:
        self.path.unlink(missing_ok=True)

    def _write(self, fault: Fault) -> None:
        content = {**vars(fault), "id": uuid.uuid4().hex}
        unfinished = self.path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(content))
        unfinished.replace(self.path)

    @property
    def _fired(self) -> Path:
        return self.path.with_suffix(".fired")

    @property
    def has_fired(self) -> bool:
        return self._fired.exists()

    def trace(self) -> None:
        """Write down every call from now on."""
        self._trace.unlink(missing_ok=True)
        self._write(Fault("", action="trace"))

    def traced(self) -> list[str]:
        """Names of the seams that were called since, in order; each line with its arguments."""
        self.disarm()
        return self._trace.read_text().splitlines() if self._trace.exists() else []

    @property
    def _trace(self) -> Path:
        return self.path.with_suffix(".trace")
