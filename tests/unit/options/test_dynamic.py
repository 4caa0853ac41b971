"""Options of one use of a table."""

from __future__ import annotations

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.options import dynamic_options
from spark_paimon.table import as_used
from tests.format_tables import create

TABLE = ("paimon", "db", "t")
OPTION = "data-file.prefix"


def of(settings: dict[str, str], given: dict[str, str] | None = None, **stored: str) -> dict[str, str]:
    return dynamic_options(
        {f"spark.paimon.{key}": text for key, text in settings.items()}, TABLE, given or {}, stored
    )


def test_the_setting_that_names_the_table_most_exactly_counts() -> None:
    weakest_first = [
        OPTION,
        f"*.*.*.{OPTION}",
        f"paimon.*.*.{OPTION}",
        f"*.db.*.{OPTION}",
        f"paimon.db.*.{OPTION}",
        f"*.*.t.{OPTION}",
        f"paimon.*.t.{OPTION}",
        f"*.db.t.{OPTION}",
        f"paimon.db.t.{OPTION}",
    ]
    for count in range(1, len(weakest_first) + 1):
        settings = {key: str(n) for n, key in enumerate(weakest_first[:count])}
        for order in (settings, dict(reversed(settings.items()))):
            assert of(order) == {OPTION: str(count - 1)}
            assert of(order, {OPTION: "given"}) == {OPTION: "given"}


@pytest.mark.parametrize(
    "key",
    [
        f"other.db.t.{OPTION}",
        f"paimon.other.t.{OPTION}",
        f"*.*.other.{OPTION}",
        f"db.t.{OPTION}",
        f"t.{OPTION}",
    ],
)
def test_settings_for_other_tables_are_not_about_this_one(key: str) -> None:
    assert of({key: "x"}) == {}


def test_only_settings_of_this_package_count() -> None:
    assert dynamic_options({"spark.sql.sep": "x", "sep": "x", "spark.paimon": "x"}, TABLE, {}, {}) == {}
    assert of({"no.such.option": "x", "foo": "y"}, {"path": "", "header2": "true"}, path="") == {"path": ""}


def test_names_with_dots() -> None:
    settings = {"spark.paimon.c.a.b.t.x.sep": "1", "spark.paimon.*.*.t.x.sep": "2"}
    assert dynamic_options(settings, ("c", "a.b", "t.x"), {}, {})["csv.field-delimiter"] == "1"
    assert dynamic_options(settings, (None, "d", "t.x"), {}, {})["csv.field-delimiter"] == "2"


def test_other_spellings_mean_the_same_option() -> None:
    assert of({}, {"SEP": ";", "Header": "true"}) == {
        "csv.field-delimiter": ";",
        "csv.include-header": "true",
    }
    assert of({}, {"lineSep": "\r\n"}) == {"csv.line-delimiter": "\r\n", "text.line-delimiter": "\r\n"}


@pytest.mark.parametrize("key", ["csv.include-header", "*.db.*.header", "paimon.db.t.scan.ignore-lost-files"])
def test_a_value_that_does_not_parse_is_refused_under_the_key_as_it_was_given(key: str) -> None:
    with pytest.raises(errors.InvalidInputError, match=rf"spark\.paimon\.{key}".replace("*", r"\*")):
        of({key: "yes"})
    with pytest.raises(errors.InvalidInputError, match="'HEADER' has the value 'yes'"):
        of({}, {"HEADER": "yes"})


@pytest.mark.parametrize(
    "key", ["scan.snapshot-id", "scan.tag-name", "branch", "incremental-between", "scan.mode"]
)
def test_options_of_snapshots_are_refused_by_name(key: str) -> None:
    for settings, given in (({key: "1"}, {}), ({f"*.*.t.{key}": "1"}, {}), ({}, {key.upper(): "1"})):
        with pytest.raises(errors.UnsupportedError, match="FormatTable does not support"):
            of(settings, given)
    assert of({f"*.*.other.{key}": "1"}) == {}


def test_what_a_table_is_cannot_be_set_for_one_use() -> None:
    for key, text in (
        ("type", "table"),
        ("path", "file:/x"),
        ("file.format", "orc"),
        ("auto-create", "true"),
    ):
        with pytest.raises(
            errors.InvalidInputError, match=f"'spark.paimon.{key}' cannot be set for one use of db.t"
        ):
            of({key: text})
    assert of({"type": "FORMAT-TABLE"}, type="format-table") == {"type": "FORMAT-TABLE"}


def test_a_use_is_a_copy_and_the_table_stays_as_it_is(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    copy = as_used(table, "paimon", {"spark.paimon.compression": "gzip"}, {"data-file.prefix": "x-"})
    assert (copy.file_compression, copy.table_options.get("data-file.prefix")) == ("gzip", "x-")
    assert (copy.managed, copy.catalog, copy.info) == (table.managed, table.catalog, table.info)
    assert table.file_compression == "snappy"
    assert as_used(table, "paimon", {"spark.paimon.foo": "x"}) is table


def test_an_option_counts_before_one_that_is_stored_under_another_spelling(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"}, options={"compression": "zstd"})
    assert as_used(table, None, {}, {"format-table.file.compression": "gzip"}).file_compression == "gzip"


def test_whether_the_catalog_manages_partitions_stays(either: Catalog) -> None:
    managed = create(either, {"dt": "STRING"}, name="m")
    plain = create(either, {"dt": "STRING"}, name="p", options={"metastore.partitioned-table": "false"})
    key = "metastore.partitioned-table"
    assert as_used(managed, None, {}, {key: "TRUE"}).managed == managed.managed
    assert not as_used(plain, None, {}, {key: "false"}).managed
    for table, text in ((managed, "false"), (plain, "true")):
        with pytest.raises(errors.InvalidInputError, match="MANAGED_PARTITIONS_FIXED"):
            as_used(table, None, {}, {key: text})


def test_layout_and_implementation_of_a_managed_table_stay(catalog: Catalog, filesystem: Catalog) -> None:
    for key, text in (
        ("format-table.partition-path-only-value", "true"),
        ("format-table.implementation", "engine"),
    ):
        managed, plain = (
            create(each, {"dt": "STRING"}, name=f"t{len(key)}") for each in (catalog, filesystem)
        )
        with pytest.raises(errors.InvalidInputError, match="MANAGED_OPTION_FIXED"):
            as_used(managed, None, {f"spark.paimon.{key}": text})
        assert as_used(plain, None, {f"spark.paimon.{key}": text}).table_options.is_set(key)


def test_the_directory_of_the_table_may_be_named_again(either: Catalog) -> None:
    table = create(either, {})
    assert as_used(table, None, {}, {"path": f"{table.location}/"}) is table
    with pytest.raises(errors.InvalidInputError, match="'PATH' cannot be set for one use of db.t"):
        as_used(table, None, {}, {"PATH": "/elsewhere"})
