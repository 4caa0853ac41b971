"""Exchanges with servers that know less than ours, or say it another way, written out from the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.catalog.models import Identifier
from spark_paimon.partition.predicate import Comparison, In
from spark_paimon.schema import Field, Schema, SetOption, parse_type
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table.replace import replace_contents
from tests.format_tables import directory, put, stage, visible
from tests.unit.catalog.rest.scripted_server import Handler, Script, Turn, failure, ok, scripted

T = "/v1/p/databases/db/tables/t"
PARTITIONS = f"{T}/partitions"
SPECS = [{"dt": day, "hh": str(hour)} for day in ("a", "b") for hour in (1, 2)]
NOT_BUILT = failure(501, "not implemented")


def schema(*fields: str) -> dict[str, Any]:
    """As a Java server says it: what is empty is there, what is null is not."""
    return {
        "fields": [
            {"id": at, "name": field.split()[0], "type": field.partition(" ")[2]}
            for at, field in enumerate(fields)
        ],
        "partitionKeys": ["dt", "hh"],
        "primaryKeys": [],
        "options": {
            "type": "format-table",
            "file.format": "parquet",
            "metastore.partitioned-table": "true",
        },
    }


def table_answer(location: str = "file:/nowhere/db/t") -> dict[str, Any]:
    return {
        "id": "c0ffee",
        "name": "t",
        "path": location,
        "isExternal": False,
        "schemaId": 0,
        "schema": schema("id BIGINT", "dt STRING", "hh INT"),
        "isRowTracked": False,  # a field that nobody knows yet
    }


def row(spec: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"spec": spec, "newField": {"deep": [1]}, **more}


@contextmanager
def serving(
    answers: dict[tuple[str, str], Turn | list[Turn]], location: str = "file:/nowhere/db/t"
) -> Iterator[tuple[Catalog, Script]]:
    """A server with these answers by method and path; a list is given in turn. Everything else is 501."""
    known: dict[tuple[str, str], Turn | list[Turn]] = {
        ("GET", "/v1/config"): ok({"defaults": {"prefix": "p"}}),
        ("GET", T): ok(table_answer(location)),
        **answers,
    }

    def turn(handler: Handler) -> None:
        answer = known.get((handler.command, handler.path.partition("?")[0]), NOT_BUILT)
        (answer.pop(0) if isinstance(answer, list) else answer)(handler)

    with scripted(turn) as script:
        options = {"metastore": "rest", "uri": script.uri, "token": "t0ken", "warehouse": "wh 1"}
        with load_catalog(options) as catalog:
            script.seen.pop()
            yield catalog, script


def asked(script: Script) -> list[tuple[str, str, Any]]:
    """Method, path and body of each request but the ones for the table itself."""
    return [
        (request.method, request.target, json.loads(request.body) if request.body else None)
        for request in script.seen
        if request.target != T
    ]


def test_the_handshake_is_the_one_of_the_contract() -> None:
    with scripted(ok({"defaults": {"prefix": "p"}})) as script:
        given = {"metastore": "rest", "uri": script.uri, "token": "t0ken", "warehouse": "wh 1"}
        load_catalog({**given, "header.X-Team": "blue"}).close()
        (request,) = script.seen
    assert (request.method, request.body) == ("GET", b"")
    assert request.target in ("/v1/config?warehouse=wh+1", "/v1/config?warehouse=wh%201")
    assert request.headers["Authorization"] == "Bearer t0ken"
    assert request.headers["X-Team"] == "blue"


def test_names_are_one_segment_and_encoded_as_java_does_it() -> None:
    with serving({}) as (catalog, script), pytest.raises(errors.UnsupportedError):
        catalog.load_table_info(Identifier("d b", "ü+1%"))
    assert asked(script) == [("GET", "/v1/p/databases/d+b/tables/%C3%BC%2B1%25", None)]


# --- listing partitions ---


def test_without_filters_the_server_lists_by_name_and_we_look_again() -> None:
    # It ignores the pattern too.
    answers = {("GET", PARTITIONS): ok({"partitions": [row(spec) for spec in SPECS]})}
    with serving(answers) as (catalog, script):
        found = catalog.list_partitions("db.t", predicate=Comparison("=", "dt", "b"))
    assert [dict(partition.spec) for partition in found] == SPECS[2:]
    (first, second) = asked(script)
    assert first[:2] == ("POST", f"{PARTITIONS}/list-by-filter")
    assert (first[2]["partitionNamePattern"], first[2]["maxResults"]) == ("dt=b/%", 1000)
    leaf = json.loads(first[2]["filter"])
    assert (leaf["kind"], leaf["function"], leaf["literals"]) == ("LEAF", "EQUAL", ["b"])
    assert leaf["transform"] == {
        "name": "FIELD_REF",
        "fieldRef": {"index": 0, "name": "dt", "type": "STRING"},
    }
    assert second[:2] == ("GET", f"{PARTITIONS}?partitionNamePattern=dt%3Db%2F%25&maxResults=1000")


def test_more_than_was_asked_for_in_any_order_is_sorted_out() -> None:
    rows = [row(dict(reversed(spec.items()))) for spec in reversed(SPECS)]
    with serving({("POST", f"{PARTITIONS}/list-by-filter"): ok({"partitions": rows})}) as (catalog, _):
        found = catalog.list_partitions("db.t", {"dt": "a"}, In("hh", (1, 7)))
    assert [list(partition.spec.items()) for partition in found] == [[("dt", "a"), ("hh", "1")]]


def test_sparse_pages_are_read_to_the_end() -> None:
    pages = [
        ok({"partitions": [], "nextPageToken": "a/1 +"}),
        ok({"nextPageToken": "b"}),
        ok({"partitions": [row(SPECS[0])], "nextPageToken": "c"}),
        ok({"partitions": [row(SPECS[3])]}),
    ]
    with serving({("GET", PARTITIONS): list(pages)}) as (catalog, script):
        assert [dict(found.spec) for found in catalog.list_partitions("db.t")] == [SPECS[0], SPECS[3]]
    assert [target.partition("?")[2] for _, target, _ in asked(script)] == [
        "maxResults=1000",
        "maxResults=1000&pageToken=a%2F1%20%2B",
        "maxResults=1000&pageToken=b",
        "maxResults=1000&pageToken=c",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"nextPageToken": None},
        {"partition": []},
        {"databases": []},
        {"partitions": {}},
        {"partitions": ""},
    ],
)
def test_an_answer_without_its_list_is_no_empty_listing(answer: dict[str, Any]) -> None:
    answers: dict[tuple[str, str], Turn | list[Turn]] = {
        ("GET", PARTITIONS): ok(answer),
        ("POST", f"{PARTITIONS}/list-by-names"): ok(answer),
        ("POST", f"{PARTITIONS}/list-by-filter"): ok(answer),
        ("GET", "/v1/p/databases/db/tables"): ok(answer),
    }
    with serving(answers) as (catalog, _):
        for listing in (
            lambda: catalog.list_partitions("db.t"),
            lambda: catalog.list_partitions("db.t", {"dt": "a"}),
            lambda: catalog.list_partitions_by_names("db.t", [SPECS[0]]),
            lambda: catalog.list_tables("db"),
        ):
            with pytest.raises(errors.CatalogError) as error:
                listing()
            assert error.value.condition == "REST_ANSWER_MALFORMED"


def test_an_empty_body_is_no_empty_listing_and_a_null_list_is_one() -> None:
    def empty(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "0")
        handler.end_headers()

    answers: dict[tuple[str, str], Turn | list[Turn]] = {
        ("GET", PARTITIONS): ok({"partitions": None}),
        ("GET", "/v1/p/databases/db/tables"): empty,
        ("GET", "/v1/p/databases"): ok({"databases": ["a", None]}),
    }
    with serving(answers) as (catalog, _):
        assert catalog.list_partitions("db.t") == []
        for listing in (lambda: catalog.list_tables("db"), catalog.list_databases):
            with pytest.raises(errors.CatalogError) as error:
                listing()
            assert error.value.condition == "REST_ANSWER_MALFORMED"


def test_a_server_that_lists_no_partitions_lets_no_change_pass_unchecked() -> None:
    with serving({}) as (catalog, script), pytest.raises(errors.UnsupportedError):
        catalog.alter_table("db.t", [SetOption("file.format", "orc")])
    assert ("POST", T) not in [(method, target) for method, target, _ in asked(script)]


def test_a_page_token_that_comes_back_ends_the_listing_with_an_error() -> None:
    page = ok({"partitions": [row(SPECS[0])], "nextPageToken": "same"})
    repeating = serving({("GET", PARTITIONS): page})
    with repeating as (catalog, _), pytest.raises(errors.IllegalStateError) as error:
        catalog.list_partitions("db.t")
    assert error.value.condition == "REST_PAGE_REPEATED"


def test_what_a_partition_does_not_say_is_unknown() -> None:
    said = row(SPECS[1], recordCount=3, done=True, options={"path": None, "file.format": "orc"})
    answers = {("GET", PARTITIONS): ok({"partitions": [row(SPECS[0]), said]})}
    with serving(answers) as (catalog, _):
        silent, spoken = catalog.list_partitions("db.t")
    assert silent.statistics == PartitionStatistics()
    assert (silent.done, silent.created_at, dict(silent.options)) == (False, None, {})
    assert (spoken.statistics.record_count, spoken.statistics.file_count) == (3, -1)
    assert (spoken.done, dict(spoken.options)) == (True, {"file.format": "orc"})


def test_partitions_that_do_not_fit_the_table_are_an_error() -> None:
    strange = serving({("GET", PARTITIONS): ok({"partitions": [row({"day": "1"})]})})
    with strange as (catalog, _), pytest.raises(errors.IllegalStateError) as error:
        catalog.list_partitions("db.t")
    assert error.value.condition == "PARTITION_METADATA_CORRUPT"


def test_a_server_that_does_not_manage_partitions_says_so() -> None:
    with serving({}) as (catalog, script):
        for predicate in (None, Comparison("=", "dt", "a")):
            with pytest.raises(errors.UnsupportedError, match="not implemented"):
                catalog.list_partitions("db.t", predicate=predicate)
    assert [target.partition("?")[0] for _, target, _ in asked(script)] == [
        PARTITIONS,
        f"{PARTITIONS}/list-by-filter",
        PARTITIONS,
    ]


def test_looking_up_asks_for_a_thousand_at_a_time_and_keeps_the_order() -> None:
    wanted = [{"dt": "d", "hh": str(hour)} for hour in range(1001)]
    answers = [ok({"partitions": [row(wanted[7]), row(wanted[3])]}), ok({"partitions": [row(wanted[1000])]})]
    with serving({("POST", f"{PARTITIONS}/list-by-names"): list(answers)}) as (catalog, script):
        found = catalog.list_partitions_by_names("db.t", wanted)
    assert [partition.spec["hh"] for partition in found] == ["3", "7", "1000"]
    assert [body for _, _, body in asked(script)] == [{"specs": wanted[:1000]}, {"specs": wanted[1000:]}]


# --- changing partitions ---


def test_the_plainest_registration_is_what_the_oldest_servers_know() -> None:
    with serving({("POST", PARTITIONS): ok({})}) as (catalog, script):
        result = catalog.create_partitions("db.t", SPECS[:1])
    # What was there before, such a server does not tell.
    assert (result.created, result.existed) == ((), ())
    assert asked(script) == [("POST", PARTITIONS, {"partitionSpecs": SPECS[:1], "ignoreIfExists": True})]


def test_statistics_and_options_stand_beside_their_partitions() -> None:
    numbers = PartitionStatistics(5, 600, 2, 1_700_000_000_000)
    answer = ok({"created": [dict(reversed(SPECS[1].items()))], "existed": None})
    with serving({("POST", PARTITIONS): answer}) as (catalog, script):
        result = catalog.create_partitions(
            "db.t", SPECS[:2], True, [(SPECS[1], numbers)], True, [{}, {"file.format": "orc"}]
        )
    assert [list(spec.items()) for spec in result.created] == [list(SPECS[1].items())]
    ((_, _, body),) = asked(script)
    (report,) = body.pop("partitionStatistics")
    assert body == {
        "partitionSpecs": SPECS[:2],
        "ignoreIfExists": True,
        "replaceStatistics": True,
        "partitionOptions": [{}, {"file.format": "orc"}],
    }
    said = {
        "recordCount": 5,
        "fileSizeInBytes": 600,
        "fileCount": 2,
        "lastFileCreationTime": 1_700_000_000_000,
    }
    assert report.items() >= said.items()
    assert report["spec"] == SPECS[1]


def test_a_strict_registration_is_sent_in_one_piece() -> None:
    many = [{"dt": "d", "hh": str(hour)} for hour in range(1500)]
    refusing = serving({("POST", PARTITIONS): failure(409, "some exist", "PARTITION")})
    with refusing as (catalog, script), pytest.raises(errors.PartitionsExistError):
        catalog.create_partitions("db.t", many, ignore_if_exists=False)
    ((_, _, body),) = asked(script)
    assert (len(body["partitionSpecs"]), body["ignoreIfExists"]) == (1500, False)


def test_unregistering_and_marking() -> None:
    answers = {
        ("POST", f"{PARTITIONS}/drop"): ok({"dropped": [SPECS[0]], "missing": [SPECS[1]]}),
        ("POST", f"{PARTITIONS}/mark"): ok(),
    }
    with serving(answers) as (catalog, script):
        result = catalog.drop_partitions("db.t", SPECS[:2])
        catalog.mark_partitions_done("db.t", SPECS[2:])
    assert [dict(spec) for spec in (*result.dropped, *result.missing)] == SPECS[:2]
    assert asked(script) == [
        ("POST", f"{PARTITIONS}/drop", {"partitionSpecs": SPECS[:2], "ignoreIfNotExists": True}),
        ("POST", f"{PARTITIONS}/mark", {"specs": SPECS[2:]}),
    ]


# --- tables and databases ---


def test_a_database_is_dropped_without_words_of_our_own() -> None:
    answers = {
        ("GET", "/v1/p/databases/db/tables"): ok({"tables": []}),
        ("DELETE", "/v1/p/databases/db"): ok(),
    }
    with serving(answers) as (catalog, script):
        catalog.drop_database("db")
    assert [target.partition("?")[::2] for _, target, _ in asked(script)] == [
        ("/v1/p/databases/db/tables", "maxResults=1000"),
        ("/v1/p/databases/db", ""),
    ]


def test_a_server_that_cannot_replace_a_table_leaves_its_rows(tmp_path: Any) -> None:
    location = f"file:{tmp_path}/t"
    with serving({("GET", "/v1/p/databases/db"): ok({"name": "db"})}, location) as (catalog, _):
        old = catalog.get_table("db.t")
        put(old, "dt=a/hh=1/data-old.parquet")
        new = Schema((Field(0, "id", parse_type("BIGINT")),), options={"type": "format-table"})
        with pytest.raises(errors.UnsupportedError, match="not implemented"):
            replace_contents(catalog, old, Identifier("db", "t"), new, [stage(old, dt="a", hh=1)])
        assert visible(old) == ["dt=a/hh=1/data-old.parquet"]
        assert directory(old).is_dir()
