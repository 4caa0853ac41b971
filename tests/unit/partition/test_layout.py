"""Directories and names of partitions in both layouts."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.options import TableOptions
from spark_paimon.partition.layout import PartitionLayout, escape, layout_for, unescape
from spark_paimon.schema import (
    BigIntType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    Field,
    IntType,
    StringType,
    TimestampType,
    VarCharType,
)

DEF = "__DEFAULT_PARTITION__"

# pains.md, section K; NULL, '', ' ' and the default name have rules of their own below.
TEXTS = [
    "01", "1", "-1", "1.50", "2024-1-5", "a/b", "a=b", "a:b", "a%b", "a%2Fb", "é", "😀", "\n", "\\", "'", '"',
    ".", "..", "../x", "_x", ".x", "*", "[x]", "{x}", "A", "a", "x" * 300, "A/A", "B B", "x:y", "?", "#", "^",
    "中文 value", "a ", " a", "a+b&c", "100%", "%", "%zz", "\x00", "\x7f", "~", "a,b;c|d<e>f$g!h@i(j)",
]  # fmt: skip

LITERALS: list[tuple[DataType, list[str]]] = [
    (CharType(3), ["A", "a", "é", "a/b", "1"]),
    (VarCharType(5), ["A", "a/b", "a%b", "..x"]),
    (IntType(), ["01", "1", "-1"]),
    (BigIntType(), ["01", "1", "-1", str(2**63 - 1)]),
    (DecimalType(10, 2), ["01", "1", "-1", "1.50"]),
    (DateType(), ["2024-1-5", "2024-01-05", "1500-01-01"]),
    (TimestampType(6), ["2024-1-5", "2024-01-05 10:00:00.000001"]),
    (BooleanType(), ["1", "true", "F"]),
]

LAYOUTS = [False, True]


def layout_of(*kinds: DataType, **options: object) -> PartitionLayout:
    fields = tuple(Field(at, f"k{at}", kind) for at, kind in enumerate(kinds))
    return PartitionLayout(fields, **options)  # type: ignore[arg-type]


class TestEscaping:
    def test_the_whole_table_of_escaped_characters(self) -> None:
        escaped = {chr(code) for code in range(0x100) if escape(chr(code)) != chr(code)}
        assert escaped == {chr(code) for code in range(0x20)} | {"\x7f"} | set("\"#%'*/:=?\\{}[]^")
        assert escape("\n") == "%0A"
        assert escape("/") == "%2F"

    @pytest.mark.parametrize(
        "text", [" ", "-", ".", "~", "&", "+", ",", ";", "|", "<", ">", "$", "!", "@", "é"]
    )
    def test_everything_else_stays(self, text: str) -> None:
        assert escape(text) == text

    @pytest.mark.parametrize(
        ("text", "plain"),
        [
            ("a%2fb", "a/b"),
            ("a%2Fb", "a/b"),
            ("100%", "100%"),
            ("%zz", "%zz"),
            ("%2", "%2"),
            ("%252F", "%2F"),
        ],
    )
    def test_j3_any_hexadecimal_pair_is_decoded_once_and_a_stray_percent_stays(
        self, text: str, plain: str
    ) -> None:
        assert unescape(text) == plain

    @given(st.text())
    def test_p30_round_trip(self, text: str) -> None:
        assert unescape(escape(text)) == text
        assert "/" not in escape(text)


class TestPaths:
    @pytest.mark.parametrize("value_only", LAYOUTS)
    @pytest.mark.parametrize("text", TEXTS)
    def test_p30_p31_every_string_round_trips(self, text: str, value_only: bool) -> None:
        layout = layout_of(StringType(), IntType(), value_only=value_only)
        spec = {"k0": text, "k1": "1"}
        if value_only and text in (".", ".."):
            with pytest.raises(
                errors.InvalidInputError, match="cannot be used as a partition path component"
            ):
                layout.path(spec)
            return
        path = layout.path(spec)
        assert path.count("/") == 1
        assert layout.parse_path("file:/wh/env=prod/t/" + path) == spec
        assert layout.parse_name(layout.name(spec)) == spec
        assert layout.values(spec) == {"k0": text, "k1": 1}
        assert layout.spec(layout.values(spec)) == (spec if text.strip() else {**spec, "k0": DEF})
        assert layout.canonical(spec) == spec

    @pytest.mark.parametrize("value_only", LAYOUTS)
    @pytest.mark.parametrize("legacy_name", [False, True])
    @pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in LITERALS for text in texts])
    def test_every_type_round_trips(
        self, kind: DataType, text: str, value_only: bool, legacy_name: bool
    ) -> None:
        layout = layout_of(kind, value_only=value_only, legacy_name=legacy_name)
        values = layout.literals({"k0": text}, "db.t")
        spec = layout.spec(values)
        assert layout.parse_path("file:/t/" + layout.path(spec)) == spec
        assert layout.values(spec) == values
        assert layout.values(layout.canonical(spec)) in (values, {"k0": str(values["k0"]).rstrip()})

    @pytest.mark.parametrize("value_only", LAYOUTS)
    @pytest.mark.parametrize("kind", [StringType(), CharType(3), IntType(), DateType(), BooleanType()])
    @pytest.mark.parametrize("default_name", [DEF, "_nothing", "null"])
    def test_p01_p18_p33_null_round_trips(self, kind: DataType, default_name: str, value_only: bool) -> None:
        layout = layout_of(kind, value_only=value_only, default_name=default_name)
        spec = layout.spec({"k0": None})
        assert spec == {"k0": default_name}
        assert layout.parse_path("file:/t/" + layout.path(spec)) == spec
        assert layout.values(spec) == {"k0": None}
        assert layout.canonical(spec) == spec

    def test_components_are_in_key_order(self) -> None:
        layout = layout_of(StringType(), StringType())
        assert layout.path({"k1": "b", "k0": "a"}) == "k0=a/k1=b"
        assert layout.name({"k1": "b", "k0": "a"}) == "k0=a/k1=b"

    @pytest.mark.parametrize("value_only", LAYOUTS)
    @pytest.mark.parametrize("spec", [{}, {"k0": "a"}, {"k0": "a", "k1": ""}])
    def test_p10_only_complete_specs_have_a_path(self, spec: dict[str, str], value_only: bool) -> None:
        layout = layout_of(StringType(), StringType(), value_only=value_only)
        with pytest.raises(errors.InvalidInputError) as caught:
            layout.path(spec)
        assert caught.value.condition == "PARTITION_SPEC_INCOMPLETE"

    def test_dots_are_harmless_behind_a_key(self) -> None:
        assert layout_of(StringType()).path({"k0": ".."}) == "k0=.."

    def test_names_have_keys_in_value_only_layout_too(self) -> None:
        layout = layout_of(StringType(), value_only=True)
        assert layout.path({"k0": "a:b"}) == "a%3Ab"
        assert layout.name({"k0": "a:b"}) == "k0=a%3Ab"

    @pytest.mark.parametrize("key", ["a%b", "a:b", "a.b", "A", "_locality", ".hidden", "a=b", "日"])
    def test_p09_p28_p39_any_column_name_works(self, key: str) -> None:
        layout = PartitionLayout((Field(0, key, StringType()),))
        for text in ("x", "a:b", "_x"):
            path = layout.path({key: text})
            assert path == f"{escape(key)}={escape(text)}"
            assert layout.parse_path("file:/t/" + path) == {key: text}

    def test_only_the_last_components_count(self) -> None:
        layout = layout_of(StringType(), value_only=True)
        assert layout.parse_path("file:/x/k0=prod/t/2025") == {"k0": "2025"}

    @pytest.mark.parametrize("path", ["dt=1", "k0=", "k0", "=x", "K0=x", "_temporary", "k0=x/extra=1", ""])
    def test_p06_what_does_not_fit_is_no_partition(self, path: str) -> None:
        assert layout_of(StringType()).parse_path(path) is None

    def test_a_foreign_name_with_two_equals_signs_has_a_greedy_key(self) -> None:
        layout = PartitionLayout((Field(0, "a=b", StringType()),))
        assert layout.parse_path("a=b=c") == {"a=b": "c"}

    @pytest.mark.parametrize("name", ["_temporary", ".staging", "__magic_job-1", "_x"])
    def test_p07_hidden_names_are_no_partitions_in_value_only_layout(self, name: str) -> None:
        assert layout_of(StringType(), value_only=True).is_partition_component(0, name) is None


class TestNames:
    @pytest.mark.parametrize("name", ["k0=a", "k1=b/k0=a", "k0=a/k1=", "k0=a/k1=b/k2=c", "x", ""])
    def test_a_complete_name_has_all_keys_in_order(self, name: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            layout_of(StringType(), StringType()).parse_name(name)
        assert caught.value.condition == "PARTITION_NAME_INVALID"

    def test_p40_a_partial_name_resolves_columns_ignoring_case(self) -> None:
        layout = layout_of(StringType(), StringType())
        assert layout.parse_name("K1=b", partial=True) == {"k1": "b"}
        assert layout.parse_name("K1=b/k0=a", partial=True) == {"k0": "a", "k1": "b"}
        with pytest.raises(errors.InvalidInputError):
            layout.parse_name("k0=a/K0=b", partial=True)


class TestValues:
    def test_p34_each_key_has_its_own_type(self) -> None:
        layout = layout_of(StringType(), IntType(), DateType())
        assert layout.values({"k0": "01", "k1": "01", "k2": "20089"}) == {"k0": "01", "k1": 1, "k2": 20089}

    def test_an_unreadable_value_names_its_column(self) -> None:
        with pytest.raises(
            errors.InvalidInputError, match="'abc' cannot be read as INT of partition column k0"
        ):
            layout_of(IntType()).values({"k0": "abc"})

    def test_a_partial_spec_gives_what_it_has(self) -> None:
        layout = layout_of(StringType(), IntType())
        assert layout.values({"k1": "1"}) == {"k1": 1}
        assert layout.spec({"k1": 1}) == {"k1": "1"}

    def test_p27_raw_text_is_the_path_and_the_canonical_name_the_value(self) -> None:
        layout = layout_of(IntType())
        assert layout.path({"k0": "01"}) == "k0=01"
        assert layout.canonical_name({"k0": "01"}) == layout.canonical_name({"k0": "1"}) == "k0=1"

    def test_the_reserved_text_is_refused_naming_the_column(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="column k0") as caught:
            layout_of(StringType()).spec({"k0": DEF})
        assert caught.value.condition == "PARTITION_VALUE_RESERVED"

    def test_prefix_is_the_leading_run_that_a_partition_can_have(self) -> None:
        layout = layout_of(StringType(), DateType(), IntType(), legacy_name=True)
        assert layout.prefix({"k0": "a", "k1": 20089}) == {"k0": "a", "k1": "2025-01-01"}
        assert layout.prefix({"k0": "a", "k2": 1}) == {"k0": "a"}
        assert layout.prefix({"k0": None}) == {"k0": DEF}
        assert layout.prefix({"k0": DEF}) == {}
        assert layout.prefix({"k0": ""}) == {}

    def test_it_can_be_pickled_after_use(self) -> None:
        layout = layout_of(StringType(), DateType())
        layout.values({"k0": "a", "k1": "20089"})
        layout.canonical({"k0": "a", "k1": "20089"})
        again = pickle.loads(pickle.dumps(layout))
        assert again == layout
        assert again.path({"k0": "a", "k1": "1"}) == "k0=a/k1=1"

    @given(st.text(min_size=1), st.booleans())
    def test_any_string_that_is_stored_comes_back(self, text: str, value_only: bool) -> None:
        layout = layout_of(StringType(), value_only=value_only)
        spec = layout.spec({"k0": text})
        value = layout.values(spec)["k0"]
        assert value in (text, None)
        if not (value_only and value in (".", "..")):
            assert layout.parse_path("t/" + layout.path(spec)) == spec


class TestStatements:
    def test_p40_literals_resolve_columns_and_cast(self) -> None:
        layout = layout_of(IntType(), StringType())
        assert layout.literals({"K1": "x", "k0": "007"}, "db.t") == {"k0": 7, "k1": "x"}
        assert layout.literals({"k0": DEF, "k1": None}, "db.t") == {"k0": None, "k1": None}

    def test_unknown_and_repeated_columns(self) -> None:
        layout = layout_of(IntType())
        with pytest.raises(errors.NoSuchColumnError, match="db.t"):
            layout.literals({"nope": "1"}, "db.t")
        with pytest.raises(errors.NoSuchColumnError):
            layout.literals({"K0": "1"}, "db.t", case_sensitive=True)
        with pytest.raises(errors.InvalidInputError, match="twice"):
            layout.literals({"K0": "1", "k0": "1"}, "db.t")

    def test_columns_that_differ_by_case_only_are_found_exactly(self) -> None:
        layout = PartitionLayout((Field(0, "a", IntType()), Field(1, "A", IntType())))
        assert layout.literals({"A": "1"}, "db.t") == {"A": 1}

    def test_leading_run(self) -> None:
        layout = layout_of(IntType(), IntType(), IntType())
        assert layout.leading_run([]) == ()
        assert layout.leading_run(["k1", "k0"]) == ("k0", "k1")
        for names in (["k1"], ["k0", "k2"], ["k0", "x"]):
            with pytest.raises(errors.InvalidInputError, match="is not a leading prefix of partition keys"):
                layout.leading_run(names)

    @pytest.mark.parametrize("text", ["", " ", "\t"])
    def test_p15_blank_strings_are_refused_in_statements(self, text: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            layout_of(StringType()).check_not_blank({"k0": text}, "DROP PARTITION", "db.t")
        for part in ("DROP PARTITION", "k0", "db.t", DEF):
            assert part in str(caught.value)
        layout_of(StringType()).check_not_blank({"k0": None}, "DROP PARTITION", "db.t")

    @pytest.mark.parametrize("text", ["_x", ".x", "schema"])
    def test_a_value_that_listing_would_not_find_is_refused(self, text: str) -> None:
        layout = layout_of(StringType(), value_only=True)
        with pytest.raises(errors.InvalidInputError, match="would be a directory that readers skip"):
            layout.check_discoverable({"k0": text}, "INSERT", "db.t", ("schema", "branch"))
        layout.check_discoverable({"k0": DEF}, "INSERT", "db.t")
        layout_of(StringType()).check_discoverable({"k0": text}, "INSERT", "db.t", ("schema",))

    def test_layout_of_options(self) -> None:
        options = TableOptions(
            {"format-table.partition-path-only-value": "true", "partition.default-name": "n"}
        )
        layout = layout_for([Field(0, "a", IntType())], options.get)
        assert (layout.value_only, layout.default_name, layout.legacy_name) == (True, "n", True)
