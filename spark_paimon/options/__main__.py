"""Print the documentation page of the options."""

from __future__ import annotations

import sys

from spark_paimon.options.documentation import options_markdown

sys.stdout.write(options_markdown())
