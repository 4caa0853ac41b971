"""Options of tables and catalogs: rows of key, type, default and help, and a typed view of them."""

from __future__ import annotations

from spark_paimon.options.documentation import options_markdown
from spark_paimon.options.dynamic import SESSION_PREFIX, dynamic_options
from spark_paimon.options.kinds import (
    FILE_FORMATS,
    OptionType,
    choice,
    parse_boolean,
    parse_duration,
    parse_memory_size,
)
from spark_paimon.options.secrets import SECRETS_FILE, hidden, is_secret, secret_values, with_secrets
from spark_paimon.options.tables import (
    CATALOG_OPTION_PREFIXES,
    CATALOG_OPTIONS,
    MEANT_KEYS,
    TABLE_OPTIONS,
    Option,
)
from spark_paimon.options.view import (
    TableOptions,
    catalog_option,
    validate_catalog_options,
    validate_table_options,
)

__all__ = [
    "CATALOG_OPTIONS",
    "CATALOG_OPTION_PREFIXES",
    "FILE_FORMATS",
    "MEANT_KEYS",
    "SECRETS_FILE",
    "SESSION_PREFIX",
    "TABLE_OPTIONS",
    "Option",
    "OptionType",
    "TableOptions",
    "catalog_option",
    "choice",
    "dynamic_options",
    "hidden",
    "is_secret",
    "options_markdown",
    "parse_boolean",
    "parse_duration",
    "parse_memory_size",
    "secret_values",
    "validate_catalog_options",
    "validate_table_options",
    "with_secrets",
]
