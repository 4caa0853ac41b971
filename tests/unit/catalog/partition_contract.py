"""What every catalog does that owns partitions."""

from __future__ import annotations

import pyarrow
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, Partition
from spark_paimon.partition.predicate import parse
from spark_paimon.schema import (
    AddColumn,
    ArrayType,
    DropColumn,
    Field,
    RenameColumn,
    Schema,
    SetOption,
    StringType,
)
from spark_paimon.statistics import PartitionStatistics

MANAGED = {"type": "format-table", "metastore.partitioned-table": "true"}
COLUMNS = pyarrow.schema(
    [
        ("id", pyarrow.int32()),
        ("dt", pyarrow.date32()),
        ("hh", pyarrow.int32()),
        ("region", pyarrow.string()),
        ("amount", pyarrow.decimal128(10, 2)),
    ]
)
UNKNOWN = PartitionStatistics.unknown()
# Values that have broken naming, escaping or prefix matching somewhere.
TEXTS = [
    "a", "A", "a b", "a/b", "a=b", "a:b", "a%b", "a%2Fb", "%", "_", "a_", "ab", "a%", "é", "😀", "\n", "\\",
    "'", '"', ".", "..", "../x", "_x", ".x", "*", "[x]", "{x}", "0", "/", "a/", "x" * 300, "\u00a0",
]  # fmt: skip


def specs(partitions: list[Partition]) -> list[dict[str, str]]:
    return [dict(partition.spec) for partition in partitions]


class PartitionContract:
    """Inherit next to ``CatalogContract`` for a catalog that manages partitions."""

    @pytest.fixture
    def tables(self, catalog: Catalog) -> Catalog:
        catalog.create_table("db.p", COLUMNS, ["dt", "hh"], MANAGED)
        catalog.create_table("db.s", COLUMNS, ["region"], MANAGED)
        catalog.create_table("db.d", COLUMNS, ["amount", "region"], MANAGED)
        return catalog

    # Registering

    def test_registering_says_what_was_new(self, tables: Catalog) -> None:
        first = tables.create_partitions("db.s", [{"region": "b"}, {"region": "a"}])
        assert first.created == ({"region": "b"}, {"region": "a"})
        assert first.existed == ()
        second = tables.create_partitions("db.s", [{"region": "a"}, {"region": "c"}, {"region": "c"}])
        assert second.created == ({"region": "c"},)
        assert second.existed == ({"region": "a"},)
        assert specs(tables.list_partitions("db.s")) == [{"region": "a"}, {"region": "b"}, {"region": "c"}]
        assert tables.count_partitions("db.s") == 3

    def test_a_new_partition_knows_nothing(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}])
        [partition] = tables.list_partitions("db.s")
        assert partition.statistics == UNKNOWN
        assert dict(partition.options) == {}
        assert not partition.done
        assert partition.created_at == partition.updated_at
        assert partition.created_at is not None

    def test_keys_may_come_in_any_order(self, tables: Catalog) -> None:
        tables.create_partitions("db.p", [{"hh": "1", "dt": "2025-01-01"}])
        [partition] = tables.list_partitions("db.p")
        assert list(partition.spec.items()) == [("dt", "2025-01-01"), ("hh", "1")]

    def test_a_strict_request_registers_nothing_when_one_exists(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "20260714"}])
        batch = [{"region": "new"}, {"region": "20260714"}]
        with pytest.raises(errors.PartitionsExistError, match="region=20260714"):
            tables.create_partitions("db.s", batch, ignore_if_exists=False)
        with pytest.raises(errors.PartitionsExistError, match="region=twice"):
            tables.create_partitions("db.s", [{"region": "twice"}] * 2, ignore_if_exists=False)
        assert tables.count_partitions("db.s") == 1

    @pytest.mark.parametrize(
        "spec",
        [{}, {"dt": "2025-01-01"}, {"dt": "2025-01-01", "hh": "1", "x": "1"}, {"dt": "2025-01-01", "hh": ""},
         {"dt": "2025-01-01", "hh": None}, {"dt": "2025-01-01", "HH": "1"}],
    )  # fmt: skip
    def test_p10_only_complete_specs_are_registered(self, tables: Catalog, spec: dict[str, str]) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.p", [{"dt": "2025-01-01", "hh": "1"}, spec])
        assert caught.value.condition == "PARTITION_SPEC_MISMATCH"
        assert tables.count_partitions("db.p") == 0

    def test_nothing_to_register_is_fine(self, tables: Catalog) -> None:
        assert tables.create_partitions("db.s", []).created == ()
        assert tables.drop_partitions("db.s", []).dropped == ()
        assert tables.list_partitions_by_names("db.s", []) == []
        tables.mark_partitions_done("db.s", [])

    def test_p30_every_text_comes_back(self, tables: Catalog) -> None:
        wanted = [{"region": text} for text in TEXTS]
        assert tables.create_partitions("db.s", wanted).created == tuple(wanted)
        assert sorted(specs(tables.list_partitions("db.s")), key=repr) == sorted(wanted, key=repr)
        assert specs(tables.list_partitions_by_names("db.s", wanted)) == wanted
        for spec in wanted:
            assert specs(tables.list_partitions("db.s", spec)) == [spec]
        assert tables.drop_partitions("db.s", wanted).dropped == tuple(wanted)
        assert tables.count_partitions("db.s") == 0

    def test_p30_every_text_works_as_the_first_of_two_keys(self, tables: Catalog) -> None:
        catalog = tables
        catalog.create_table("db.two", COLUMNS, ["region", "hh"], MANAGED)
        catalog.create_partitions(
            "db.two", [{"region": text, "hh": hour} for text in TEXTS for hour in ("1", "10")]
        )
        for text in TEXTS:
            found = specs(catalog.list_partitions("db.two", {"region": text}))
            assert found == [{"region": text, "hh": "1"}, {"region": text, "hh": "10"}]

    def test_value_only_layout_refuses_dots(self, tables: Catalog) -> None:
        options = {**MANAGED, "format-table.partition-path-only-value": "true"}
        tables.create_table("db.v", COLUMNS, ["region"], options)
        with pytest.raises(errors.InvalidInputError, match=r"\.\."):
            tables.create_partitions("db.v", [{"region": "a"}, {"region": ".."}])
        assert tables.count_partitions("db.v") == 0

    # Finding by value

    def test_two_spellings_of_a_value_are_found_together(self, tables: Catalog) -> None:
        batch = [
            {"dt": "2025-01-01", "hh": "01"},
            {"dt": "2025-01-01", "hh": "1"},
            {"dt": "20089", "hh": "1"},  # the same day as a number
            {"dt": "2025-01-02", "hh": "1"},
            {"dt": "2025-01-01", "hh": "11"},
        ]
        tables.create_partitions("db.p", batch)
        for prefix in ({"dt": "2025-01-01"}, {"dt": "20089"}, {"dt": "2025-1-1"}):
            assert len(tables.list_partitions("db.p", prefix)) == 4
            for hour in ("1", "01", "+1"):
                found = specs(tables.list_partitions("db.p", {**prefix, "hh": hour}))
                assert found == [batch[2], batch[0], batch[1]]
        tables.create_partitions(
            "db.d", [{"amount": text, "region": "x"} for text in ("1.5", "1.50", "01.500", "15")]
        )
        assert len(tables.list_partitions("db.d", {"amount": "1.5"})) == 3

    def test_a_prefix_ends_at_a_component(self, tables: Catalog) -> None:
        catalog = tables
        catalog.create_table("db.two", COLUMNS, ["region", "hh"], MANAGED)
        names = ["a", "a0", "ab", "a%", "a_", "a/", "a.", "A"]
        catalog.create_partitions("db.two", [{"region": name, "hh": "1"} for name in names])
        for name in names:
            assert specs(catalog.list_partitions("db.two", {"region": name})) == [{"region": name, "hh": "1"}]

    def test_null_is_found_as_the_default_partition(self, tables: Catalog) -> None:
        tables.create_partitions("db.p", [{"dt": "__DEFAULT_PARTITION__", "hh": "1"}])
        assert len(tables.list_partitions("db.p", {"dt": "__DEFAULT_PARTITION__"})) == 1

    def test_a_prefix_leads(self, tables: Catalog) -> None:
        with pytest.raises(errors.InvalidInputError, match="not a leading prefix") as caught:
            tables.list_partitions("db.p", {"hh": "1"})
        assert "dt, hh" in str(caught.value)
        with pytest.raises(errors.InvalidInputError):
            tables.list_partitions("db.p", {"x": "1"})
        with pytest.raises(errors.InvalidInputError):
            tables.list_partitions("db.p", {"dt": "no date"})

    def test_names_are_exact_where_values_are_not_meant(self, tables: Catalog) -> None:
        tables.create_partitions("db.p", [{"dt": "2025-01-01", "hh": "01"}])
        assert tables.list_partitions_by_names("db.p", [{"dt": "2025-01-01", "hh": "1"}]) == []
        assert len(tables.list_partitions_by_names("db.p", [{"dt": "2025-01-01", "hh": "01"}])) == 1
        dropped = tables.drop_partitions("db.p", [{"dt": "2025-01-01", "hh": "1"}])
        assert dropped.missing == ({"dt": "2025-01-01", "hh": "1"},)

    def test_by_names_keeps_the_order_of_the_request(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": name} for name in "abc"])
        wanted = [{"region": "c"}, {"region": "missing"}, {"region": "a"}]
        assert specs(tables.list_partitions_by_names("db.s", wanted)) == [wanted[0], wanted[2]]

    def test_p66_a_predicate_narrows_by_value(self, tables: Catalog) -> None:
        tables.create_partitions(
            "db.p", [{"dt": f"2025-01-0{day}", "hh": str(hour)} for day in (1, 2, 3) for hour in range(12)]
        )
        columns = tables.load_table_info("db.p").schema.fields

        def found(tree: dict[str, object], prefix: dict[str, str] | None = None) -> int:
            return len(tables.list_partitions("db.p", prefix, parse(tree, columns)))

        first = {"op": "=", "column": "dt", "value": 20089}
        late = {"op": ">=", "column": "hh", "value": 10}
        assert found(first) == 12
        assert found(late) == 6
        assert found({"op": "and", "args": [first, late]}) == 2
        assert found({"op": "or", "args": [first, late]}) == 16
        assert found({"op": "false"}) == 0
        assert found({"op": "unknown"}) == 36
        assert found(late, {"dt": "2025-01-02"}) == 2
        assert found(first, {"dt": "2025-01-02"}) == 0
        assert found({"op": "and", "args": [first, {"op": "=", "column": "hh", "value": 1}]}) == 1

    # Dropping

    def test_dropping_says_what_was_missing(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}, {"region": "b"}])
        result = tables.drop_partitions("db.s", [{"region": "b"}, {"region": "x"}, {"region": "b"}])
        assert result.dropped == ({"region": "b"},)
        assert result.missing == ({"region": "x"},)
        assert specs(tables.list_partitions("db.s")) == [{"region": "a"}]

    def test_a_strict_drop_drops_nothing_when_one_is_missing(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}])
        with pytest.raises(errors.NoSuchPartitionError, match="region=x"):
            tables.drop_partitions("db.s", [{"region": "a"}, {"region": "x"}], ignore_if_not_exists=False)
        assert tables.count_partitions("db.s") == 1

    def test_dropping_touches_no_file(self, tables: Catalog) -> None:
        location = tables.load_table_info("db.s").location
        tables.create_partitions("db.s", [{"region": "a"}])
        tables.storage(location).write_new(f"{location}/region=a/part", b"x")
        tables.drop_partitions("db.s", [{"region": "a"}])
        assert tables.storage(location).exists(f"{location}/region=a/part")

    def test_marking_as_done(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}, {"region": "b"}])
        with pytest.raises(errors.NoSuchPartitionError):
            tables.mark_partitions_done("db.s", [{"region": "a"}, {"region": "x"}])
        tables.mark_partitions_done("db.s", [{"region": "a"}])
        assert [partition.done for partition in tables.list_partitions("db.s")] == [True, False]

    # Statistics

    def report(
        self, tables: Catalog, numbers: PartitionStatistics, replace: bool = False
    ) -> PartitionStatistics:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], statistics=[(spec, numbers)], replace_statistics=replace)
        [partition] = tables.list_partitions_by_names("db.s", [spec])
        return partition.statistics

    def test_statistics_are_added_or_replaced_field_by_field(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}])
        assert self.report(tables, PartitionStatistics(3, 300, 1, 1000)) == PartitionStatistics(
            3, 300, 1, 1000
        )
        assert self.report(tables, PartitionStatistics(4, 400, 2, 500)) == PartitionStatistics(
            7, 700, 3, 1000
        )
        assert self.report(tables, PartitionStatistics(file_size_in_bytes=100)) == PartitionStatistics(
            7, 800, 3, 1000
        )
        assert self.report(tables, PartitionStatistics(5, 500, 1, 700), True) == PartitionStatistics(
            5, 500, 1, 700
        )
        assert self.report(tables, PartitionStatistics(file_size_in_bytes=900), True) == PartitionStatistics(
            5, 900, 1, 700
        )

    def test_a_report_may_come_with_the_registration(self, tables: Catalog) -> None:
        tables.create_partitions(
            "db.s",
            [{"region": "a"}, {"region": "b"}],
            statistics=[({"region": "b"}, PartitionStatistics(0, 0, 0, 5))],
            replace_statistics=True,
        )
        first, second = tables.list_partitions("db.s")
        assert first.statistics == UNKNOWN
        assert second.statistics == PartitionStatistics(0, 0, 0, 5)

    def test_a_report_that_does_not_fit_changes_nothing(self, tables: Catalog) -> None:
        one, other = {"region": "a"}, {"region": "b"}
        zero = PartitionStatistics(0, 0, 0, 5)
        for wanted, reported, text in (
            ([one, one], [(one, zero)], "registered twice"),
            ([one, other], [(one, zero), (one, zero)], "reported twice"),
            ([one], [(other, zero)], "does not register"),
            ([], [(one, zero)], "does not register"),
        ):
            with pytest.raises(errors.InvalidInputError, match=text):
                tables.create_partitions("db.s", wanted, statistics=reported)
        assert tables.count_partitions("db.s") == 0

    # Options of partitions

    def options_of(self, tables: Catalog, name: str = "a") -> dict[str, str]:
        [partition] = tables.list_partitions_by_names("db.s", [{"region": name}])
        return dict(partition.options)

    def test_the_format_of_a_partition_is_stored_in_lower_case(self, tables: Catalog) -> None:
        wanted = [{"region": "a"}, {"region": "b"}]
        tables.create_partitions("db.s", wanted, options=[{"file.format": "ORC", "x": "Y"}, {}])
        assert self.options_of(tables) == {"file.format": "orc", "x": "Y"}
        assert self.options_of(tables, "b") == {}
        tables.create_partitions("db.s", wanted, options=[{"file.format": "csv"}, {}])
        assert self.options_of(tables) == {"file.format": "csv", "x": "Y"}
        tables.create_partitions("db.s", wanted)
        assert self.options_of(tables) == {"file.format": "csv", "x": "Y"}

    @pytest.mark.parametrize("text", ["", " ", "avro", "x"])
    def test_an_unknown_format_is_refused(self, tables: Catalog, text: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.s", [{"region": "a"}], options=[{"file.format": text}])
        assert caught.value.condition == "PARTITION_FORMAT_INVALID"

    def test_a_format_that_cannot_store_the_columns_is_refused(self, tables: Catalog) -> None:
        with pytest.raises(errors.InvalidInputError, match=r"region=a.*TEXT") as caught:
            tables.create_partitions("db.s", [{"region": "a"}], options=[{"file.format": "text"}])
        assert caught.value.condition == "PARTITION_FORMAT_INVALID"
        assert tables.count_partitions("db.s") == 0

    def test_the_key_has_any_case(self, tables: Catalog) -> None:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], options=[{"File.Format": "ORC"}])
        assert self.options_of(tables) == {"file.format": "orc"}
        twice = {"File.Format": "ORC", "file.format": "csv"}
        with pytest.raises(errors.InvalidInputError, match="twice"):
            tables.create_partitions("db.s", [spec], options=[twice])

    def test_a_strict_registration_changes_no_format(self, tables: Catalog) -> None:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], options=[{"file.format": "orc"}])
        with pytest.raises(errors.PartitionsExistError):
            tables.create_partitions("db.s", [spec], ignore_if_exists=False, options=[{"file.format": "csv"}])
        assert self.options_of(tables) == {"file.format": "orc"}

    @pytest.mark.parametrize("options", [[], [{}, {}], [None], [{None: "x"}], [{"x": None}]])
    def test_options_align_with_the_specs(self, tables: Catalog, options: list[dict[str, str]]) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.s", [{"region": "a"}], options=options)
        assert caught.value.condition == "PARTITION_OPTIONS_INVALID"

    def test_with_options_a_spec_comes_once(self, tables: Catalog) -> None:
        twice = [{"region": "a"}, {"region": "a"}]
        with pytest.raises(errors.InvalidInputError, match="twice"):
            tables.create_partitions("db.s", twice, options=[{"x": "y"}, {}])
        assert tables.create_partitions("db.s", twice, options=[{}, {}]).created == ({"region": "a"},)

    def test_numbers_of_another_format_are_not_added(self, tables: Catalog) -> None:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], options=[{"file.format": "orc"}])
        report = [(spec, PartitionStatistics(1, 1, 1, 1))]
        with pytest.raises(errors.InvalidInputError, match=r"orc.*parquet"):
            tables.create_partitions("db.s", [spec], statistics=report, options=[{"file.format": "parquet"}])
        assert self.options_of(tables) == {"file.format": "orc"}
        tables.create_partitions("db.s", [spec], statistics=report, options=[{"file.format": "ORC"}])
        tables.create_partitions(
            "db.s", [spec], statistics=report, replace_statistics=True, options=[{"file.format": "parquet"}]
        )
        assert self.options_of(tables) == {"file.format": "parquet"}

    def test_the_default_directory_is_no_custom_location(self, tables: Catalog) -> None:
        spec = {"region": "a:b"}
        location = tables.load_table_info("db.s").location
        options = [{"path": f"{location}/region=a%3Ab/"}]
        report = [(spec, PartitionStatistics(0, 0, 0, 1))]
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.s", [spec], options=options)
        assert caught.value.condition == "PARTITION_RESET_WITHOUT_STATISTICS"
        with pytest.raises(errors.InvalidInputError):
            tables.create_partitions("db.s", [spec], options=options, statistics=report)
        tables.create_partitions("db.s", [spec], options=options, statistics=report, replace_statistics=True)
        assert self.options_of(tables, "a:b") == {}

    # Locations

    def test_a_location_is_stored_in_its_one_spelling(self, tables: Catalog) -> None:
        specs = [{"region": "a"}, {"region": "b"}]
        tables.create_partitions("db.s", specs, options=[{"PATH": "S3A://B//x%20y/", "k": "v"}, {}])
        assert self.options_of(tables) == {"path": "s3a://b/x y", "k": "v"}
        assert self.options_of(tables, "b") == {}

    def test_a_partition_keeps_its_location(self, tables: Catalog) -> None:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], options=[{"path": "s3://b/x"}])
        tables.create_partitions("db.s", [spec])
        tables.create_partitions("db.s", [spec], options=[{"path": "S3://b/%78/", "file.format": "orc"}])
        assert self.options_of(tables) == {"path": "s3://b/x", "file.format": "orc"}
        for other in ("s3://b/y", "s3a://b/x"):
            with pytest.raises(errors.PartitionsExistError, match="different location") as caught:
                tables.create_partitions("db.s", [{"region": "n"}, spec], options=[{}, {"path": other}])
            assert caught.value.condition == "PARTITION_LOCATION_DIFFERS"
        tables.create_partitions("db.s", [{"region": "n"}])
        with pytest.raises(errors.PartitionsExistError, match="different location"):
            tables.create_partitions("db.s", [{"region": "n"}], options=[{"path": "s3://b/n"}])
        assert self.options_of(tables) == {"path": "s3://b/x", "file.format": "orc"}
        assert self.options_of(tables, "n") == {}

    def test_locations_do_not_overlap(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}], options=[{"path": "s3://b/x"}])
        refused: list[list[str]] = [
            ["s3a://B/x"],
            ["s3://b/x/y"],
            ["s3://b/c", "s3://b/c/d"],
            ["s3://b/c/d", "s3://b/c"],
            ["s3://b/c"] * 2,
        ]
        for paths in refused:
            specs = [{"region": f"n{number}"} for number in range(len(paths))]
            with pytest.raises(errors.InvalidInputError, match="overlaps") as caught:
                tables.create_partitions("db.s", specs, options=[{"path": path} for path in paths])
            assert caught.value.condition == "PARTITION_LOCATION_INVALID"
        assert tables.count_partitions("db.s") == 1
        tables.create_partitions("db.s", [{"region": "b"}], options=[{"path": "s3://b/x-y"}])
        tables.drop_partitions("db.s", [{"region": "a"}])
        tables.create_partitions("db.s", [{"region": "c"}], options=[{"path": "s3://b/x/y"}])

    @pytest.mark.parametrize(
        "path", ["/elsewhere", "x", " ", "", "s3://b/..", "s3://u:p@b/x", "{table}/region=b"]
    )
    def test_what_cannot_be_a_location(self, tables: Catalog, path: str) -> None:
        path = path.format(table=tables.load_table_info("db.s").location)
        with pytest.raises(errors.InvalidInputError, match="region=a") as caught:
            tables.create_partitions("db.s", [{"region": "z"}, {"region": "a"}], options=[{}, {"path": path}])
        assert caught.value.condition == "PARTITION_LOCATION_INVALID"
        assert tables.count_partitions("db.s") == 0

    def test_replacing_statistics_bring_a_partition_home(self, tables: Catalog) -> None:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], options=[{"path": "s3://b/x", "k": "v"}])
        home = [{"path": f"{tables.load_table_info('db.s').location}/region=a"}]
        report = [(spec, PartitionStatistics(0, 0, 0, 1))]
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.s", [spec], statistics=report)
        assert caught.value.condition == "PARTITION_LOCATION_ADDITIVE"
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.s", [spec], options=home)
        assert caught.value.condition == "PARTITION_RESET_WITHOUT_STATISTICS"
        assert self.options_of(tables) == {"path": "s3://b/x", "k": "v"}
        tables.create_partitions("db.s", [spec], options=home, statistics=report, replace_statistics=True)
        assert self.options_of(tables) == {"k": "v"}
        tables.create_partitions("db.s", [{"region": "b"}], options=[{"path": "s3://b/x"}])

    def test_a_null_path_is_the_older_way_home(self, tables: Catalog) -> None:
        spec = {"region": "a"}
        tables.create_partitions("db.s", [spec], options=[{"path": "s3://b/x", "k": "v"}])
        home: list[dict[str, str]] = [{"path": None}]  # type: ignore[dict-item]
        report = [(spec, PartitionStatistics(0, 0, 0, 1))]
        with pytest.raises(errors.InvalidInputError) as caught:
            tables.create_partitions("db.s", [spec], options=home, statistics=report)
        assert caught.value.condition == "PARTITION_RESET_WITHOUT_STATISTICS"
        tables.create_partitions("db.s", [spec], options=home, statistics=report, replace_statistics=True)
        assert self.options_of(tables) == {"k": "v"}

    def test_25000_locations_are_one_request(self, tables: Catalog) -> None:
        batch = [{"region": str(number)} for number in range(25_000)]
        options = [{"path": f"s3://archive/{number % 100}/{number}"} for number in range(25_000)]
        assert len(tables.create_partitions("db.s", batch, options=options).created) == 25_000
        with pytest.raises(errors.InvalidInputError, match="overlaps"):
            tables.create_partitions(
                "db.s", [{"region": "x"}], options=[{"path": "s3a://archive/42/20042/x"}]
            )

    # Columns and formats of tables whose partitions have formats of their own

    def mixed(self, catalog: Catalog, default: str, **formats: str) -> None:
        """A table ``db.m`` with a file in each of these partitions; an empty text inherits."""
        columns = Schema(tuple(Field(0, name, StringType()) for name in "abp"), ("p",))
        catalog.create_table("db.m", columns, options={**MANAGED, "file.format": default})
        location = catalog.load_table_info("db.m").location
        for name, given in formats.items():
            options = {"file.format": given} if given else {}
            catalog.create_partitions("db.m", [{"p": name}], options=[options])
            catalog.storage(location).write_new(f"{location}/p={name}/part", b"x")

    @pytest.mark.parametrize("default", ["csv", "parquet"])
    def test_one_partition_of_a_format_by_name_is_enough_to_refuse_a_rename(
        self, catalog: Catalog, default: str
    ) -> None:
        self.mixed(catalog, default, x="csv", y="orc", z="csv")
        with pytest.raises(errors.UnsupportedError, match="ORC") as caught:
            catalog.alter_table("db.m", [RenameColumn(("a",), "n")])
        assert caught.value.condition == "RENAME_COLUMN_WITH_DATA"
        location = catalog.load_table_info("db.m").location
        catalog.storage(location).delete_directory(f"{location}/p=y")
        catalog.alter_table("db.m", [RenameColumn(("a",), "n")])

    def test_one_csv_partition_is_enough_to_keep_positions(self, catalog: Catalog) -> None:
        self.mixed(catalog, "parquet", x="", y="csv")
        with pytest.raises(errors.UnsupportedError) as caught:
            catalog.alter_table("db.m", [DropColumn(("a",))])
        assert caught.value.condition == "COLUMN_POSITION_WITH_DATA"
        catalog.alter_table("db.m", [AddColumn(("c",), StringType())])

    def test_partitions_in_the_format_of_the_table_count_as_its_own(self, catalog: Catalog) -> None:
        self.mixed(catalog, "csv", x="csv", y="")
        catalog.alter_table("db.m", [RenameColumn(("a",), "n")])
        with pytest.raises(errors.UnsupportedError):
            catalog.alter_table("db.m", [DropColumn(("n",))])

    def test_new_columns_must_fit_every_format_of_the_table(self, catalog: Catalog) -> None:
        self.mixed(catalog, "parquet", x="", y="csv")
        with pytest.raises(errors.UnsupportedError, match="CSV") as caught:
            catalog.alter_table("db.m", [AddColumn(("c",), ArrayType(StringType()))])
        assert caught.value.condition == "FORMAT_TYPE_UNSUPPORTED"
        with pytest.raises(errors.InvalidInputError):
            catalog.alter_table("db.m", [SetOption("sep", '"')])

    def test_another_table_format_names_the_partitions_that_inherit_it(
        self, catalog: Catalog, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.mixed(catalog, "parquet", x="", y="csv", z="")
        catalog.create_partitions("db.m", [{"p": "x"}], options=[{"other": "file.format"}])
        catalog.alter_table("db.m", [SetOption("file.format", "orc")])
        assert "2 of its 3 partitions" in caplog.text
        assert "sys.alter_partition(table => 'db.m'" in caplog.text
        assert "map('file.format', 'parquet')" in caplog.text
        caplog.clear()
        pinned = [{"p": "x"}, {"p": "z"}]
        catalog.create_partitions("db.m", pinned, options=[{"file.format": "parquet"}] * 2)
        catalog.alter_table("db.m", [SetOption("file.format", "json")])
        assert not caplog.records

    # Tables with partitions

    def test_partitions_follow_a_rename(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}])
        tables.rename_table("db.s", "db.new")
        assert tables.count_partitions("db.new") == 1
        tables.create_table("db.s", COLUMNS, ["region"], MANAGED)
        assert tables.count_partitions("db.s") == 0

    def test_partitions_end_with_the_table(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}])
        tables.drop_table("db.s")
        tables.create_table("db.s", COLUMNS, ["region"], MANAGED)
        assert tables.list_partitions("db.s") == []

    def test_replacing_forgets_partitions(self, tables: Catalog) -> None:
        tables.create_partitions("db.s", [{"region": "a"}])
        info = tables.load_table_info("db.s")
        schema = info.schema
        tables.replace_table("db.s", Schema(schema.fields, schema.partition_keys, (), schema.options))
        assert tables.list_partitions("db.s") == []

    def test_managed_partitions_need_an_internal_table(self, tables: Catalog, tmp_path: object) -> None:
        options = {**MANAGED, "path": f"{tmp_path}/x"}
        with pytest.raises(errors.InvalidInputError, match="only supported for internal tables"):
            tables.create_table("db.e", COLUMNS, ["region"], options)
        assert not tables.table_exists("db.e")
        tables.create_table("db.e", COLUMNS, ["region"], {"type": "format-table", "path": f"{tmp_path}/x"})
        with pytest.raises(errors.InvalidInputError, match="only supported for internal tables"):
            tables.alter_table("db.e", [SetOption("metastore.partitioned-table", "true")])

    def test_managed_partitions_need_the_paimon_implementation(self, tables: Catalog) -> None:
        options = {**MANAGED, "format-table.implementation": "engine"}
        with pytest.raises(errors.InvalidInputError, match="Cannot combine catalog-managed partitions"):
            tables.create_table("db.e", COLUMNS, ["region"], options)
        with pytest.raises(errors.InvalidInputError, match="Cannot combine"):
            tables.alter_table("db.s", [SetOption("format-table.implementation", "engine")])

    def test_25000_partitions_are_one_request(self, tables: Catalog) -> None:
        batch = [
            {"dt": f"20{year:02}-{month:02}-{day:02}", "hh": str(hour)}
            for year in range(3)
            for month in range(1, 13)
            for day in range(1, 29)
            for hour in range(24)
        ][:25_000]
        batch += [{"dt": "2030-01-01", "hh": str(hour)} for hour in range(25_000 - len(batch))]
        assert len(tables.create_partitions("db.p", batch).created) == 25_000
        assert tables.count_partitions("db.p") == 25_000
        assert len(tables.create_partitions("db.p", batch).existed) == 25_000
        report = [(spec, PartitionStatistics(1, 2, 3, 4)) for spec in batch]
        tables.create_partitions("db.p", batch, statistics=report, replace_statistics=True)
        assert {partition.statistics for partition in tables.list_partitions("db.p")} == {
            PartitionStatistics(1, 2, 3, 4)
        }
        assert len(tables.drop_partitions("db.p", batch[1:]).dropped) == 24_999
        assert specs(tables.list_partitions("db.p")) == [batch[0]]
