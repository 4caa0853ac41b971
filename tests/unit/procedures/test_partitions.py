"""``sys.add_partition``, ``sys.alter_partition``, ``sys.drop_partitions``, and the registry of procedures."""

from __future__ import annotations

from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.procedures import PROCEDURES, ProcedureContext, procedure
from spark_paimon.table.commit import commit
from tests.format_tables import create, directory, names, put, stage


def call(catalog: Catalog, name: str, **arguments: Any) -> list[tuple[Any, ...]]:
    return procedure(name).run(ProcedureContext(catalog, default_database="db"), arguments)


def test_the_procedures_and_their_results_are_stable() -> None:
    assert {name: [column for column, _ in entry.result] for name, entry in PROCEDURES.items()} == {
        "analyze": [
            "partition",
            "record_count",
            "file_size_in_bytes",
            "file_count",
            "last_file_creation_time",
            "file_format",
            "location",
        ],
        "repair": ["partition", "action", "reason"],
        "add_partition": ["partition"],
        "alter_partition": ["partition"],
        "convert_to_delta": ["table", "location"],
        "drop_partitions": ["partition"],
        "expire_partitions": ["partition"],
        "mark_partition_done": ["partition"],
        "remove_orphan_files": ["file_path"],
    }
    assert [parameter.name for parameter in PROCEDURES["repair"].parameters] == [
        "table",
        "mode",
        "partition",
        "dry_run",
        "statistics",
    ]
    assert [parameter.required for parameter in PROCEDURES["drop_partitions"].parameters] == [
        True,
        True,
        False,
    ]


def test_an_unknown_procedure_suggests_the_nearest() -> None:
    with pytest.raises(errors.NoSuchProcedureError, match="Did you mean 'analyze'"):
        procedure("analyse")
    with pytest.raises(errors.NoSuchProcedureError, match="Known procedures: add_partition, alter_par"):
        procedure("xyz")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "'table' is missing"),
        ({"table": None, "where": "x"}, "'table' is missing"),
        ({"table": "db.t", "where": "n = 1", "dry": True}, "no argument 'dry'"),
        ({"table": "db.t", "where": "n = 1", "dry_run": "yes"}, "must be a boolean"),
        ({"table": "db.t", "where": 1}, "must be a string"),
    ],
)
def test_wrong_arguments_are_refused(catalog: Catalog, arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(errors.InvalidInputError, match=text):
        call(catalog, "drop_partitions", **arguments)


@pytest.mark.parametrize("name", ["t", "db.t", "`db`.`t`", "`t`"])
def test_a_table_is_named_with_or_without_its_database(catalog: Catalog, name: str) -> None:
    create(catalog, {"dt": "STRING"})
    assert call(catalog, "add_partition", table=name, partition="dt=a") == [("dt=a",)]


def test_a_missing_table_is_an_error(catalog: Catalog) -> None:
    with pytest.raises(errors.NoSuchTableError):
        call(catalog, "analyze", table="db.missing")
    with pytest.raises(errors.InvalidInputError):
        call(catalog, "analyze", table="a.b.c")


# --- add_partition


def test_add_partition_registers_with_options(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    options = {"file.format": "orc"}
    assert call(catalog, "add_partition", table="t", partition="dt=a%2Fb/hh=01", options=options) == [
        ("dt=a%2Fb/hh=1",)
    ]
    (row,) = table.list_partitions()
    assert (row.spec, row.options) == ({"dt": "a/b", "hh": "1"}, options)
    assert directory(table, "dt=a%2Fb/hh=1").is_dir()


def test_add_partition_is_strict_and_takes_a_location_once(catalog: Catalog) -> None:
    create(catalog, {"dt": "STRING"})
    call(catalog, "add_partition", table="t", partition="dt=a")
    with pytest.raises(errors.PartitionsExistError):
        call(catalog, "add_partition", table="t", partition="dt=a")
    call(catalog, "add_partition", table="t", partition="dt=b", location="FILE:/x/")
    assert catalog.list_partitions("db.t")[1].options == {"path": "file:/x"}
    for key in ("path", "Location"):
        with pytest.raises(errors.InvalidInputError, match="location"):
            call(
                catalog,
                "add_partition",
                table="t",
                partition="dt=c",
                location="file:/y",
                options={key: "file:/z"},
            )


@pytest.mark.parametrize("partition", ["", "dt", "dt=", "dt=a/dt=b", "x=1", "a"])
def test_a_partition_that_cannot_be_understood_is_refused(catalog: Catalog, partition: str) -> None:
    table = create(catalog, {"dt": "STRING"})
    with pytest.raises(errors.PaimonError):
        call(catalog, "add_partition", table="t", partition=partition)
    assert names(table) == []


@pytest.mark.parametrize("text", ["", " ", "avro"])
@pytest.mark.parametrize("name", ["add_partition", "alter_partition"])
def test_a_format_that_does_not_exist_is_refused(catalog: Catalog, name: str, text: str) -> None:
    table = create(catalog, {"dt": "STRING"})
    call(catalog, "add_partition", table="t", partition="dt=a")
    partition = "dt=b" if name == "add_partition" else "dt=a"
    with pytest.raises(errors.InvalidInputError, match="dt=. .*PARQUET") as caught:
        call(catalog, name, table="t", partition=partition, options={"file.format": text})
    assert caught.value.condition == "PARTITION_FORMAT_INVALID"
    assert [dict(row.options) for row in table.list_partitions()] == [{}]


# --- alter_partition


def alter(catalog: Catalog, partition: str, **options: str) -> list[tuple[Any, ...]]:
    given = {key.replace("_", "."): text for key, text in options.items()}
    return call(catalog, "alter_partition", table="t", partition=partition, options=given)


def test_alter_partition_sets_options_and_keeps_the_others(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    put(table, "dt=a%2Fb/hh=1/part")
    call(catalog, "add_partition", table="t", partition="dt=a%2Fb/hh=1", options={"x": "1", "y": "Y"})
    call(catalog, "analyze", table="t")
    assert alter(catalog, "dt=a%2Fb/hh=01", file_format="ORC", x="2") == [("dt=a%2Fb/hh=1",)]
    (row,) = table.list_partitions()
    assert row.options == {"file.format": "orc", "x": "2", "y": "Y"}
    assert row.statistics.record_count == 1
    alter(catalog, "dt=a%2Fb/hh=1", z="3")
    (row,) = table.list_partitions()
    assert row.options == {"file.format": "orc", "x": "2", "y": "Y", "z": "3"}


def test_alter_partition_finds_every_spelling_of_the_values(catalog: Catalog) -> None:
    table = create(catalog, {"hh": "INT"})
    catalog.create_partitions("db.t", [{"hh": "1"}, {"hh": "01"}, {"hh": "2"}])
    assert sorted(alter(catalog, "hh=1", file_format="csv")) == [("hh=01",), ("hh=1",)]
    formats = {row.spec["hh"]: row.options.get("file.format") for row in table.list_partitions()}
    assert formats == {"1": "csv", "01": "csv", "2": None}


def test_alter_partition_makes_no_partition(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    put(table, "dt=a/part")
    with pytest.raises(errors.NoSuchPartitionError, match="dt=a"):
        alter(catalog, "dt=a", file_format="orc")
    assert names(table) == []


def test_alter_partition_moves_nothing_and_needs_something_to_do(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    call(catalog, "add_partition", table="t", partition="dt=a/hh=1")
    for key in ("path", "PATH", "location"):
        with pytest.raises(errors.UnsupportedError) as caught:
            alter(catalog, "dt=a/hh=1", **{key: "file:/elsewhere"})
        assert caught.value.condition == "PARTITION_LOCATION_FIXED"
    with pytest.raises(errors.InvalidInputError, match="nothing would change"):
        alter(catalog, "dt=a/hh=1")
    with pytest.raises(errors.InvalidInputError, match="'options' is missing"):
        call(catalog, "alter_partition", table="t", partition="dt=a/hh=1")
    with pytest.raises(errors.InvalidInputError, match="hh"):
        alter(catalog, "dt=a", x="1")
    assert [dict(row.options) for row in table.list_partitions()] == [{}]


# --- drop_partitions


@pytest.mark.parametrize(
    ("where", "dropped"),
    [
        ("n = 1", ["n=1/s=a"]),
        ("n = '01'", ["n=1/s=a"]),
        ("`n` <=> 2", ["n=2/s=b"]),
        ("n <> 1", ["n=2/s=b", "n=3/s=it's"]),
        ("not (n = 1)", ["n=2/s=b", "n=3/s=it's"]),
        ("2 < n", ["n=3/s=it's"]),
        ("n >= 2 and s = 'b'", ["n=2/s=b"]),
        ("n = 1 or s = 'it''s'", ["n=1/s=a", "n=3/s=it's"]),
        ("N IN (1, 2)", ["n=1/s=a", "n=2/s=b"]),
        ("n not in (1, 2)", ["n=3/s=it's"]),
        ("n between 2 and 3", ["n=2/s=b", "n=3/s=it's"]),
        ("n not between 2 and 3", ["n=1/s=a"]),
        ("s like 'it%'", ["n=3/s=it's"]),
        ("s like 'a'", ["n=1/s=a"]),
        ("s not like 'it%'", ["n=1/s=a", "n=2/s=b"]),
        ("n is null", ["n=__DEFAULT_PARTITION__/s=__DEFAULT_PARTITION__"]),
        ("n is not null and n > 2", ["n=3/s=it's"]),
        ("n <=> null", ["n=__DEFAULT_PARTITION__/s=__DEFAULT_PARTITION__"]),
        ('s = "it\'s"', ["n=3/s=it's"]),
        ("n = 1 or n = 2 and s = 'zzz'", ["n=1/s=a"]),
        ("s = '__DEFAULT_PARTITION__'", []),
        ("n > 99", []),
    ],
)
def test_drop_where_takes_exactly_the_partitions_for_which_the_condition_is_true(
    catalog: Catalog, value_only: bool, where: str, dropped: list[str]
) -> None:
    table = create(catalog, {"n": "INT", "s": "STRING"}, value_only=value_only)
    commit(table, [stage(table, n=n, s=s) for n, s in ((1, "a"), (2, "b"), (3, "it's"), (None, None))])
    expected = [name.replace("'", "%27") for name in dropped]
    assert call(catalog, "drop_partitions", table="t", where=where, dry_run=True) == [
        (name,) for name in expected
    ]
    assert len(names(table)) == 4
    assert call(catalog, "drop_partitions", table="t", where=where) == [(name,) for name in expected]
    assert len(names(table)) == 4 - len(expected)
    assert sum(1 for path in directory(table).rglob("*.parquet")) == 4 - len(expected)


@pytest.mark.parametrize(
    ("where", "left"),
    [
        ("date < '2025-01-02'", ["2025-01-02"]),
        ("date < DATE '2025-01-02'", ["2025-01-02"]),
        ("date = '2025-1-1'", ["2025-01-02"]),
        ("date is not null", []),
    ],
)
def test_p22_a_column_called_date_is_compared_as_a_date_in_both_spellings(
    catalog: Catalog, where: str, left: list[str]
) -> None:
    table = create(catalog, {"date": "DATE"})
    catalog.create_partitions("db.t", [{"date": text} for text in ("20089", "2025-01-01", "2025-01-02")])
    call(catalog, "drop_partitions", table="t", where=where)
    assert [row.spec["date"] for row in table.list_partitions()] == left


@pytest.mark.parametrize(
    ("where", "position", "text"),
    [
        ("", 1, "partition column"),
        ("n", 2, "comparison"),
        ("n =", 4, "literal"),
        ("n = null", 5, "IS NULL"),
        ("n = 1 or", 9, "partition column"),
        ("n = 1 n = 2", 7, "AND, OR or the end"),
        ("(n = 1", 7, r"expected \)"),
        ("n in ()", 7, "literal"),
        ("s = 1", 5, "quote the value"),
        ("s like 'a%b'", 8, "one % at the end"),
        ("s like 'a_'", 8, "one % at the end"),
        ("n like '1%'", 8, "STRING column"),
        ("upper(s) = 'A'", 1, "functions cannot be used"),
        ("n = 1; drop", 6, "cannot begin"),
        ("s = 'open", 5, "cannot begin"),
        ("n not 1", 7, "expected IN, BETWEEN or LIKE"),
        ("1 = 1", 5, "partition column"),
    ],
)
def test_a_condition_that_is_not_understood_shows_the_place(
    catalog: Catalog, where: str, position: int, text: str
) -> None:
    table = create(catalog, {"n": "INT", "s": "STRING"})
    commit(table, [stage(table, n=1, s="a")])
    with pytest.raises(errors.InvalidInputError, match=text) as caught:
        call(catalog, "drop_partitions", table="t", where=where)
    assert caught.value.parameters["position"] == str(position)
    assert names(table) == ["n=1/s=a"]


def test_other_columns_and_values_of_other_types_are_refused(catalog: Catalog) -> None:
    create(catalog, {"n": "INT"})
    with pytest.raises(errors.NoSuchColumnError, match="id"):
        call(catalog, "drop_partitions", table="t", where="id = 1")
    with pytest.raises(errors.InvalidInputError, match="'abc' is not a INT"):
        call(catalog, "drop_partitions", table="t", where="n = 'abc'")


def test_drop_where_keeps_unregistered_directories(catalog: Catalog) -> None:
    table = create(catalog, {"n": "INT"})
    commit(table, [stage(table, n=1)])
    put(table, "n=2/x.parquet")
    call(catalog, "drop_partitions", table="t", where="n > 0")
    assert directory(table, "n=2").is_dir()


def test_p13_a_discovered_table_has_no_partitions_to_add_or_drop(filesystem: Catalog) -> None:
    create(filesystem, {"n": "INT"})
    with pytest.raises(errors.UnsupportedError, match="come from the filesystem"):
        call(filesystem, "drop_partitions", table="t", where="n = 1")
    with pytest.raises(errors.UnsupportedError, match="come from the filesystem"):
        call(filesystem, "add_partition", table="t", partition="n=1")
    with pytest.raises(errors.UnsupportedError, match="come from the filesystem"):
        alter(filesystem, "n=1", x="1")
