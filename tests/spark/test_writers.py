"""The DataFrame writers mean what the SQL statements mean."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from tests.spark.workplace import EVERY, Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


@pytest.fixture
def table(place: Workplace) -> str:
    """A table with rows in the partitions a and b."""
    place.run(
        f"CREATE TABLE t (id INT, name STRING, dt STRING) USING parquet PARTITIONED BY (dt) {PROPERTIES}",
        "INSERT INTO t VALUES (1, 'one', 'a'), (2, 'two', 'b')",
    )
    return "t"


def frame(
    place: Workplace, *rows: tuple[Any, ...], schema: str = "id INT, name STRING, dt STRING"
) -> DataFrame:
    return place.session.createDataFrame(list(rows), schema)


def rows(place: Workplace, table: str = "t") -> list[tuple[Any, ...]]:
    return place.values(f"SELECT * FROM {table}")


ONE, TWO = (1, "one", "a"), (2, "two", "b")


@pytest.mark.parametrize("catalog", EVERY)
def test_write_to_append_takes_columns_by_name(place: Workplace, table: str) -> None:
    frame(place, ("c", 3, "three"), schema="dt STRING, id INT, name STRING").writeTo(table).append()
    assert rows(place) == [ONE, TWO, (3, "three", "c")]
    assert place.partitions("t") == ["dt=a", "dt=b", "dt=c"]


def test_overwrite_partitions_replaces_those_that_are_written(place: Workplace, table: str) -> None:
    frame(place, (3, "three", "a"), (4, "four", "c")).writeTo(table).overwritePartitions()
    assert rows(place) == [TWO, (3, "three", "a"), (4, "four", "c")]


def test_overwrite_with_an_equality_replaces_that_partition(place: Workplace, table: str) -> None:
    frame(place, (3, "three", "a")).writeTo(table).overwrite(f.col("dt") == "a")
    assert rows(place) == [TWO, (3, "three", "a")]


def test_overwrite_with_true_replaces_everything(place: Workplace, table: str) -> None:
    frame(place, (3, "three", "a")).writeTo(table).overwrite(f.lit(True))
    assert rows(place) == [(3, "three", "a")]


@pytest.mark.parametrize("condition", ["dt > 'a'", "dt = 'a' OR dt = 'b'"])
def test_overwrite_with_another_condition_is_refused(place: Workplace, table: str, condition: str) -> None:
    with pytest.raises(PySparkException, match="cannot be overwritten where") as caught:
        frame(place, (3, "three", "a")).writeTo(table).overwrite(f.expr(condition))
    assert caught.value.getCondition() == "OVERWRITE_CONDITION_UNSUPPORTED"
    assert rows(place) == [ONE, TWO]


def test_rows_outside_of_what_an_overwrite_names_are_refused(place: Workplace, table: str) -> None:
    with pytest.raises(PySparkException):
        frame(place, (3, "three", "b")).writeTo(table).overwrite(f.col("dt") == "a")
    assert rows(place) == [ONE, TWO]


@pytest.mark.parametrize("catalog", EVERY)
def test_create_replace_and_create_or_replace(place: Workplace) -> None:
    def write(*values: tuple[Any, ...]) -> Any:
        writer = frame(place, *values).writeTo("made").using("parquet").partitionedBy("dt")
        return writer.tableProperty("metastore.partitioned-table", "true")

    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        write(ONE).replace()
    write(ONE).create()
    assert rows(place, "made") == [ONE]
    assert place.partitions("made") == ["dt=a"]
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        write(TWO).create()
    write(TWO).replace()
    assert rows(place, "made") == [TWO]
    write(ONE, TWO).createOrReplace()
    assert rows(place, "made") == [ONE, TWO]


def test_insert_into_takes_columns_by_position(place: Workplace, table: str) -> None:
    frame(place, (3, "three", "c"), schema="x INT, y STRING, z STRING").write.insertInto(table)
    assert rows(place) == [ONE, TWO, (3, "three", "c")]


@pytest.mark.parametrize(
    ("mode", "left"), [("static", [(3, "three", "a")]), ("dynamic", [TWO, (3, "three", "a")])]
)
def test_insert_into_overwrites_as_the_session_says(
    place: Workplace, table: str, mode: str, left: list[tuple[Any, ...]]
) -> None:
    place.session.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    frame(place, (3, "three", "a")).write.insertInto(table, overwrite=True)
    assert rows(place) == left


@pytest.mark.parametrize("catalog", EVERY)
def test_save_as_table(place: Workplace) -> None:
    def write(mode: str, *values: tuple[Any, ...]) -> None:
        frame(place, *values).write.format("parquet").partitionBy("dt").mode(mode).saveAsTable("saved")

    write("error", ONE)
    assert rows(place, "saved") == [ONE]
    assert place.partitions("saved") == ["dt=a"]
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        write("error", TWO)
    write("ignore", TWO)
    assert rows(place, "saved") == [ONE]
    write("append", TWO)
    assert rows(place, "saved") == [ONE, TWO]
    write("overwrite", TWO)
    assert rows(place, "saved") == [TWO]


def test_save_as_table_with_a_path_overwrites_an_external_table(place: Workplace) -> None:
    folder = place.directory / "outside"
    for value in (ONE, TWO):
        writer = frame(place, value).write.format("parquet").option("path", str(folder))
        writer.mode("overwrite").saveAsTable("outside")
        assert rows(place, "outside") == [value]
    place.sql("DROP TABLE outside")
    assert place.session.read.parquet(str(folder)).count() == 1


def test_a_stream_cannot_write(place: Workplace, table: str) -> None:
    stream = place.session.readStream.format("rate").load().select(f.lit(1).alias("id"))
    with pytest.raises(PySparkException, match="t"):
        stream.writeStream.option("checkpointLocation", str(place.directory)).toTable(
            f"{place.catalog}.{place.database}.t"
        )
