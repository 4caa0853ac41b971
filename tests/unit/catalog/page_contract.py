"""What a catalog in a database does beyond the interface: pages of partitions, tables by identity."""

from __future__ import annotations

import random
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, PartitionPage
from spark_paimon.catalog import pages as pages_module
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.partition.predicate import Predicate, parse
from tests.unit.catalog.partition_contract import COLUMNS, MANAGED, TEXTS


def is_year(value: str) -> dict[str, Any]:
    return {"op": "=", "column": "region", "value": value}


def drain(
    catalog: EmbeddedCatalog,
    table: str,
    pattern: str | None = None,
    predicate: Predicate | None = None,
    limit: int = 2,
) -> list[PartitionPage]:
    """All pages; the tokens must lead forward."""
    pages: list[PartitionPage] = []
    tokens: set[str] = set()
    after = None
    while True:
        page = catalog.partitions_page(table, pattern, predicate, after, limit)
        pages.append(page)
        assert len(page.partitions) <= limit
        if page.next is None:
            return pages
        assert page.next not in tokens
        tokens.add(page.next)
        after = page.next


def specs(pages: list[PartitionPage]) -> list[dict[str, str]]:
    return [dict(partition.spec) for page in pages for partition in page.partitions]


def keys_of(catalog: Catalog) -> Any:
    return catalog.load_table_info("db.p").schema.partition_fields


class PageContract:
    """Inherit next to ``CatalogContract`` for a catalog in a database."""

    @pytest.fixture
    def paged(self, catalog: Catalog) -> EmbeddedCatalog:
        """A table with two keys; ``01`` and ``1`` are two partitions of equal value."""
        assert isinstance(catalog, EmbeddedCatalog)
        catalog.create_table("db.p", COLUMNS, ["region", "hh"], MANAGED)
        batch = [
            {"region": region, "hh": hh} for region in ("a", "ab", "b%", "b_") for hh in ("0", "1", "01", "2")
        ]
        random.Random(7).shuffle(batch)
        catalog.create_partitions("db.p", batch)
        return catalog

    @pytest.mark.parametrize("limit", [1, 2, 3, 15, 16, 17, 1000])
    def test_pages_hold_each_partition_once_in_order(self, paged: EmbeddedCatalog, limit: int) -> None:
        pages = drain(paged, "db.p", limit=limit)
        assert specs(pages) == [dict(p.spec) for p in paged.list_partitions("db.p")]
        assert len(pages) == -(-16 // limit)

    def test_a_page_has_all_fields(self, paged: EmbeddedCatalog) -> None:
        assert paged.partitions_page("db.p").partitions == paged.list_partitions("db.p")

    def test_an_empty_table_has_one_empty_page(self, paged: EmbeddedCatalog) -> None:
        paged.create_table("db.e", COLUMNS, ["region"], MANAGED)
        assert paged.partitions_page("db.e") == PartitionPage([], None)

    @pytest.mark.parametrize(
        ("pattern", "wanted"),
        [
            ("%", 16),
            ("", 16),
            ("region=a/%", 4),
            ("region=a%", 8),
            ("region=b%", 8),
            (r"region=b\%25/%", 4),
            ("region=b_/%", 4),
            (r"region=b\_/%", 4),
            ("region=ab/hh=1", 1),
            ("region=ab/hh=0%", 2),
            ("region=__/%", 0),
            ("region=ab/hh=3", 0),
            ("region=ab", 0),
            ("region=\U0010ffff%", 0),
            ("\U0010ffff%", 0),
            ("region=\ud7ff%", 0),
            ("region=a\\", 0),
        ],
    )
    def test_a_pattern_is_a_name_or_a_beginning(
        self, paged: EmbeddedCatalog, pattern: str, wanted: int
    ) -> None:
        for limit in (1, 3, 100):
            found = specs(drain(paged, "db.p", pattern, limit=limit))
            assert len(found) == wanted
            assert found == sorted(found, key=lambda spec: f"region={spec['region']}/hh={spec['hh']}")

    @pytest.mark.parametrize(
        "pattern", ["%a", "region=%/hh=1", "region=b%25/%", "%%", "a\0", "\ud800", "\ud800%"]
    )
    def test_another_pattern_is_refused_by_name(self, paged: EmbeddedCatalog, pattern: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            paged.partitions_page("db.p", pattern)
        assert caught.value.condition == "PARTITION_PATTERN_INVALID"
        str(caught.value).encode()

    @pytest.mark.parametrize("pattern", [None, "region=a%", "region=ab/hh=%", "region=ab/hh=01", "region=b%"])
    @pytest.mark.parametrize(
        "tree",
        [
            is_year("ab"),
            {"op": "and", "args": [is_year("ab"), {"op": "=", "column": "hh", "value": 1}]},
            {"op": "and", "args": [is_year("ab"), {"op": ">", "column": "hh", "value": 0}]},
            {"op": ">", "column": "hh", "value": 1},
            {"op": "in", "column": "region", "values": ["a", "b_"]},
            {"op": "or", "args": [is_year("a"), {"op": "=", "column": "hh", "value": 2}]},
            {"op": "is_null", "column": "region"},
            {"op": "false"},
            {"op": "unknown"},
        ],
        ids=str,
    )
    def test_filters_and_patterns_leave_out_the_same_as_a_listing(
        self, paged: EmbeddedCatalog, pattern: str | None, tree: dict[str, Any]
    ) -> None:
        predicate = parse(tree, keys_of(paged))
        expected = [
            dict(p.spec)
            for p in paged.list_partitions("db.p", predicate=predicate)
            if pattern is None
            or pages_module.Pattern.parse(pattern, "").matches(
                "region={region}/hh={hh}".format(**p.spec).replace("%", "%25")
            )
        ]
        for limit in (1, 2, 5, 100):
            found = specs(drain(paged, "db.p", pattern, predicate, limit))
            assert sorted(found, key=str) == sorted(expected, key=str), limit

    def test_below_fixed_keys_equal_values_stand_together(self, paged: EmbeddedCatalog) -> None:
        predicate = parse(is_year("ab"), keys_of(paged))
        found = specs(drain(paged, "db.p", predicate=predicate, limit=1))
        assert [spec["hh"] for spec in found] == ["0", "01", "1", "2"]

    def test_partitions_come_and_go_between_pages(self, paged: EmbeddedCatalog) -> None:
        page = paged.partitions_page("db.p", limit=3)
        assert page.next is not None
        last = dict(page.partitions[-1].spec)
        paged.drop_partitions("db.p", [last])
        paged.create_partitions("db.p", [{"region": "c", "hh": "1"}, {"region": "0", "hh": "1"}])
        rest = paged.partitions_page("db.p", after=page.next, limit=100)
        assert rest.next is None
        assert len(rest.partitions) == 16 - 3 + 1
        assert rest.partitions[-1].spec == {"region": "c", "hh": "1"}

    def test_a_token_from_elsewhere_is_a_place_in_the_order(self, paged: EmbeddedCatalog) -> None:
        predicate = parse(is_year("ab"), keys_of(paged))
        for token, count in {"region=a/hh=9": 4, "region=b/hh=0": 0, "region=ab/hh=0001": 3}.items():
            page = paged.partitions_page("db.p", None, predicate, token)
            assert len(page.partitions) == count, token
        assert len(paged.partitions_page("db.p", "region=ab/%", None, "region=a/hh=9").partitions) == 4
        assert paged.partitions_page("db.p", "region=ab/%", None, "region=b/hh=9").partitions == []

    @pytest.mark.parametrize(
        "token",
        [
            "x",
            "region=a",
            "hh=1/region=a",
            "region=a/hh=x",
            "region=a b:c/hh=1",
            "region=\0/hh=1",
            "region=\ud800/hh=1",
        ],
    )
    def test_another_token_is_refused(self, paged: EmbeddedCatalog, token: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            paged.partitions_page("db.p", after=token)
        assert caught.value.condition == "PAGE_TOKEN_INVALID"
        str(caught.value).encode()

    def test_odd_values_are_paged_too(self, catalog: Catalog) -> None:
        assert isinstance(catalog, EmbeddedCatalog)
        catalog.create_table("db.s", COLUMNS, ["region"], MANAGED)
        catalog.create_partitions("db.s", [{"region": text} for text in TEXTS])
        found = specs(drain(catalog, "db.s", limit=1))
        assert sorted(spec["region"] for spec in found) == sorted(TEXTS)
        assert found == [dict(p.spec) for p in catalog.list_partitions("db.s")]

    def test_a_page_looks_at_a_limited_number_of_rows(
        self, paged: EmbeddedCatalog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pages_module, "LOOKED_AT", 5)
        monkeypatch.setattr(pages_module, "_STEP", 2)
        tree = {"op": "=", "column": "hh", "value": 2}
        pages = drain(paged, "db.p", predicate=parse(tree, keys_of(paged)), limit=3)
        assert [len(page.partitions) for page in pages] == [1, 1, 1, 1]
        tree = {"op": "=", "column": "hh", "value": 5}
        pages = drain(paged, "db.p", predicate=parse(tree, keys_of(paged)), limit=3)
        assert [len(page.partitions) for page in pages] == [0, 0, 0, 0]

    def test_tables_without_managed_partitions_have_no_pages(self, paged: EmbeddedCatalog) -> None:
        paged.create_table("db.f", COLUMNS, ["region"], {"type": "format-table"})
        with pytest.raises(errors.UnsupportedError):
            paged.partitions_page("db.f")
        with pytest.raises(errors.NoSuchTableError):
            paged.partitions_page("db.nothing")

    # Tables

    def test_a_table_is_found_by_its_identity(self, paged: EmbeddedCatalog) -> None:
        info = paged.load_table_info("db.p")
        assert paged.load_table_by_uuid(info.uuid) == info
        paged.create_database("other")
        paged.rename_table("db.p", "other.q")
        assert paged.load_table_by_uuid(info.uuid).identifier.database == "other"
        paged.drop_table("other.q")
        for uuid in (info.uuid, "", "x" * 100, "\0", "\ud800"):
            with pytest.raises(errors.NoSuchTableError):
                paged.load_table_by_uuid(uuid)

    def test_many_tables_are_loaded_at_once(self, paged: EmbeddedCatalog) -> None:
        for name in ("z", "a", "M"):
            paged.create_table(f"db.{name}", COLUMNS, ["region"], MANAGED)
        paged.create_table("default.elsewhere", COLUMNS, ["region"], MANAGED)
        expected = [paged.load_table_info(f"db.{name}") for name in ("M", "a", "p", "z")]
        assert paged.load_table_infos("db") == expected
        assert paged.load_table_infos("db", ["z", "none", "a", "\ud800"]) == [expected[1], expected[3]]
        assert paged.load_table_infos("db", []) == []
        with pytest.raises(errors.NoSuchDatabaseError):
            paged.load_table_infos("nowhere")
