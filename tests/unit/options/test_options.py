"""Options: kinds of values, precedence of spellings, and what is refused."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.options import (
    CATALOG_OPTIONS,
    TABLE_OPTIONS,
    Option,
    TableOptions,
    catalog_option,
    options_markdown,
    parse_boolean,
    parse_duration,
    parse_memory_size,
    validate_catalog_options,
    validate_table_options,
)


class TestKinds:
    @pytest.mark.parametrize(("text", "value"), [("true", True), ("TRUE", True), (" False ", False)])
    def test_booleans(self, text: str, value: bool) -> None:
        assert parse_boolean(text) is value

    @pytest.mark.parametrize("text", ["yes", "1", "", "t"])
    def test_a_boolean_typo_names_key_and_value(self, text: str) -> None:
        with pytest.raises(errors.InvalidInputError, match="metastore.partitioned-table") as caught:
            TableOptions({"metastore.partitioned-table": text}).get("metastore.partitioned-table")
        assert caught.value.parameters["value"] == text

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("1024", 1024),
            ("54 b", 54),
            ("4k", 4096),
            ("128 mb", 128 << 20),
            ("1 GB", 1 << 30),
            ("2 tb", 2 << 40),
        ],
    )
    def test_sizes(self, text: str, value: int) -> None:
        assert parse_memory_size(text) == value

    @pytest.mark.parametrize("text", ["", "mb", "-1", "1.5 mb", "1 xb"])
    def test_malformed_sizes(self, text: str) -> None:
        with pytest.raises(errors.InvalidInputError):
            parse_memory_size(text)

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("30 d", timedelta(days=30)),
            ("12h", timedelta(hours=12)),
            ("5 min", timedelta(minutes=5)),
            ("500", timedelta(milliseconds=500)),
            ("1 s", timedelta(seconds=1)),
        ],
    )
    def test_durations(self, text: str, value: timedelta) -> None:
        assert parse_duration(text) == value

    @pytest.mark.parametrize("text", ["", "d", "1 month", "-1 d"])
    def test_malformed_durations(self, text: str) -> None:
        with pytest.raises(errors.InvalidInputError):
            parse_duration(text)


class TestTableOptions:
    def test_defaults_are_typed(self) -> None:
        options = TableOptions({})
        assert options.get("file.format") == "parquet"
        assert options.get("target-file-size") == 256 << 20
        assert options.get("partition.legacy-name") is True
        assert options.get("partition.default-name") == "__DEFAULT_PARTITION__"
        assert options.get("target-file-row-num") == 2**63 - 1
        assert options.get("file.compression") is None
        assert not options.is_set("file.format")

    @pytest.mark.parametrize(
        "alias", ["csv.field-delimiter", "field-delimiter", "seq", "delimiter", "sep", "SEP"]
    )
    def test_p79_every_spelling_of_the_delimiter(self, alias: str) -> None:
        options = TableOptions({alias: ";"})
        assert options.get("csv.field-delimiter") == ";"
        assert options.is_set("csv.field-delimiter")

    def test_p79_the_key_comes_before_its_other_spellings(self) -> None:
        mapping = {
            "sep": "1",
            "delimiter": "2",
            "seq": "3",
            "field-delimiter": "4",
            "csv.field-delimiter": "5",
        }
        for expected in "54321":
            assert TableOptions(mapping).get("csv.field-delimiter") == expected
            mapping = {key: text for key, text in mapping.items() if text != expected}
        assert TableOptions(mapping).get("csv.field-delimiter") == ","

    def test_p79_line_delimiters(self) -> None:
        options = TableOptions({"lineSep": "|"})
        assert options.get("csv.line-delimiter") == options.get("text.line-delimiter") == "|"
        assert options.get("json.line-delimiter") == "\n"

    def test_p40_keys_and_format_names_ignore_case(self) -> None:
        assert TableOptions({"FILE.Format": "OrC"}).get("file.format") == "orc"

    @pytest.mark.parametrize(("text", "value"), [("0", 1), ("5000", 1000), ("7", 7)])
    def test_list_parallelism_is_clamped(self, text: str, value: int) -> None:
        options = TableOptions({"format-table.scan.list-parallelism": text})
        assert options.get("format-table.scan.list-parallelism") == value

    @pytest.mark.parametrize("text", ["0", "65", "x"])
    @pytest.mark.parametrize("key", ["cleanup-thread-num", "publish-thread-num"])
    def test_commit_threads_out_of_range_are_refused(self, key: str, text: str) -> None:
        key = f"format-table.commit.{key}"
        with pytest.raises(errors.InvalidInputError, match=key):
            TableOptions({key: text}).get(key)

    def test_updated_replaces_whatever_the_case(self) -> None:
        assert TableOptions({"File.Format": "orc", "a": "b"}).updated({"file.format": "csv"}).mapping == {
            "a": "b",
            "file.format": "csv",
        }

    def test_an_option_that_no_row_describes_is_a_programming_error(self) -> None:
        with pytest.raises(KeyError):
            TableOptions({}).get("no.such.option")


class TestTableValidation:
    def test_properties_of_the_user_stay(self) -> None:
        mapping = {
            "owner": "me",
            "x": "y",
            "snapshot.time-retained": "1 h",
            "file.block-size": "1 mb",
            "bucket": "1",
        }
        assert validate_table_options(mapping) == mapping

    def test_p40_known_keys_get_their_documented_spelling(self) -> None:
        assert validate_table_options({"File.Format": "ORC", "LINESEP": "|"}) == {
            "file.format": "ORC",
            "lineSep": "|",
        }

    @pytest.mark.parametrize(
        ("key", "nearest"),
        [
            ("file.fromat", "file.format"),
            ("file-format", "file.format"),
            ("metastore.partitioned-tabel", "metastore.partitioned-table"),
            ("partition.legacyname", "partition.legacy-name"),
            ("csv.quote-charater", "csv.quote-character"),
        ],
    )
    def test_a_near_miss_is_an_error_with_the_right_key(self, key: str, nearest: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=f"Did you mean '{nearest}'"):
            validate_table_options({key: "x"})

    @pytest.mark.parametrize("option", TABLE_OPTIONS, ids=lambda option: option.key)
    def test_no_option_is_a_near_miss_of_another(self, option) -> None:  # type: ignore[no-untyped-def]
        for key in (option.key, *option.aliases):
            if option.default is not None:
                assert validate_table_options({key: option.default}) == {key: option.default}

    def test_two_spellings_with_different_values(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="different values"):
            validate_table_options({"file.format": "orc", "FILE.FORMAT": "csv"})

    @pytest.mark.parametrize("text", ["avro", "xml", ""])
    def test_an_unsupported_format_lists_the_supported_ones(self, text: str) -> None:
        with pytest.raises(errors.UnsupportedError) as caught:
            validate_table_options({"file.format": text})
        assert "ORC, PARQUET, CSV, TEXT, JSON, MOSAIC" in str(caught.value)

    @pytest.mark.parametrize(
        "key",
        [
            "csv.field-delimiter",
            "csv.line-delimiter",
            "csv.quote-character",
            "csv.escape-character",
            "json.line-delimiter",
            "text.line-delimiter",
        ],
    )
    def test_p78_delimiters_must_not_be_empty(self, key: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=f"{key} must not be empty"):
            validate_table_options({key: ""})

    @pytest.mark.parametrize(
        "option", [option for option in TABLE_OPTIONS if option.aliases], ids=lambda option: option.key
    )
    def test_p79_the_first_spelling_that_is_set_counts_and_all_are_checked(self, option: Option) -> None:
        texts = ("true", "false") if option.type.name == "boolean" else ("PERMISSIVE", "FAILFAST")
        spellings = (option.key, *option.aliases)
        for first in range(len(spellings)):
            given = dict.fromkeys(spellings[first:], texts[1])
            given[spellings[first]] = texts[0]
            for order in (list(given), list(reversed(given))):
                mapping = {key: given[key] for key in order}
                found = TableOptions(validate_table_options(mapping)).get(option.key)
                assert found == option.type.parse(texts[0], option.key)
        if option.type.name == "non-empty string":
            for spelling in spellings[1:]:
                with pytest.raises(errors.InvalidInputError, match="must not be empty"):
                    validate_table_options({option.key: "x", spelling: ""})

    def test_p78_an_empty_alias_names_the_option(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="csv.quote-character must not be empty"):
            validate_table_options({"quote": ""})

    @pytest.mark.parametrize("text", ["0", "-5"])
    def test_row_target(self, text: str) -> None:
        with pytest.raises(errors.InvalidInputError, match="target-file-row-num should be at least 1."):
            validate_table_options({"target-file-row-num": text})

    def test_modes_ignore_case(self) -> None:
        assert TableOptions({"mode": "failfast"}).get("csv.mode") == "FAILFAST"
        with pytest.raises(errors.InvalidInputError, match="PERMISSIVE, DROPMALFORMED, FAILFAST"):
            validate_table_options({"csv.mode": "lenient"})


class TestCatalogOptions:
    def test_known_keys_and_prefixes(self) -> None:
        mapping = {
            "metastore": "embedded",
            "warehouse": "/data",
            "table-default.file.format": "orc",
            "header.X-Tenant": "a",
            "dlf.region": "x",
        }
        assert validate_catalog_options(mapping) == mapping

    def test_an_alias_becomes_its_key(self) -> None:
        assert validate_catalog_options({"defaultDatabase": "d"}) == {"default-database": "d"}

    @pytest.mark.parametrize("key", ["warehuose", "metastor", "something"])
    def test_unknown_keys_are_errors(self, key: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=key):
            validate_catalog_options({key: "x"})

    def test_table_defaults_are_checked(self) -> None:
        with pytest.raises(errors.UnsupportedError):
            validate_catalog_options({"table-default.file.format": "avro"})
        with pytest.raises(errors.InvalidInputError):
            validate_catalog_options({"table-default.file.fromat": "orc"})

    def test_values_are_typed(self) -> None:
        assert catalog_option({"metastore": "REST"}, "metastore") == "rest"
        assert catalog_option({}, "case-sensitive") is None
        assert catalog_option({"case-sensitive": "true"}, "case-sensitive") is True
        with pytest.raises(errors.InvalidInputError, match="metastore"):
            validate_catalog_options({"metastore": "hive"})


class TestDocumentation:
    def test_the_page_is_up_to_date(self) -> None:
        page = Path(__file__).parents[3] / "docs" / "options.md"
        assert page.read_text(encoding="utf-8") == options_markdown(), (
            "run `python -m spark_paimon.options > docs/options.md`"
        )

    def test_every_option_is_on_it(self) -> None:
        page = options_markdown()
        for option in (*TABLE_OPTIONS, *CATALOG_OPTIONS):
            assert f"| `{option.key}` |" in page
            assert option.help

    def test_keys_are_unique_and_defaults_parse(self) -> None:
        for table in (TABLE_OPTIONS, CATALOG_OPTIONS):
            keys = [option.key for option in table]
            assert len(keys) == len(set(keys))
            for option in table:
                _ = option.default_value
