"""What ``configure_spark_with_paimon`` does to a builder; no JVM is started."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_paimon import configure_spark_with_paimon, errors
from spark_paimon.session import jar_path

EXTENSION = "org.sparkpaimon.PaimonExtensions"
ENVIRONMENT = (
    "PYSPARK_PYTHON",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "SPARK_REMOTE",
    "MASTER",
)


@pytest.fixture(autouse=True)
def _nothing_said_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT:
        monkeypatch.setenv(name, "to be restored")
        monkeypatch.delenv(name)
    monkeypatch.setattr("spark_paimon.session.configure.running_jvm", lambda: None)
    monkeypatch.setattr("spark_paimon.session.configure.running_session_settings", lambda: None)


def settings(builder: SparkSession.Builder) -> dict[str, Any]:
    return dict(builder._options)


def test_adds_jar_extension_and_catalog(tmp_path: Path) -> None:
    found = settings(configure_spark_with_paimon(SparkSession.builder, warehouse=tmp_path))
    assert found == {
        "spark.jars": str(jar_path()),
        "spark.sql.extensions": EXTENSION,
        "spark.paimon.bridge.python": sys.executable,
        "spark.sql.catalog.paimon": "org.sparkpaimon.PaimonCatalog",
        "spark.sql.catalog.paimon.metastore": "embedded",
        "spark.sql.catalog.paimon.warehouse": str(tmp_path),
    }


def test_returns_the_builder_it_was_given() -> None:
    builder = SparkSession.builder
    assert configure_spark_with_paimon(builder, warehouse="/w") is builder


def test_appends_to_what_the_builder_has() -> None:
    builder = SparkSession.builder.config("spark.jars", "/x/a.jar").config("spark.sql.extensions", "x.A,x.B")
    found = settings(configure_spark_with_paimon(builder, warehouse="/w"))
    assert found["spark.jars"] == f"/x/a.jar,{jar_path()}"
    assert found["spark.sql.extensions"] == f"x.A,x.B,{EXTENSION}"


def test_twice_is_once() -> None:
    builder = configure_spark_with_paimon(SparkSession.builder, warehouse="/w")
    before = settings(builder)
    assert settings(configure_spark_with_paimon(builder, warehouse="/w")) == before


def test_several_catalogs() -> None:
    builder = configure_spark_with_paimon(SparkSession.builder, catalog="a", warehouse="/wa")
    found = settings(
        configure_spark_with_paimon(builder, catalog="b", metastore="filesystem", warehouse="/wb")
    )
    assert found["spark.sql.catalog.a.warehouse"] == "/wa"
    assert found["spark.sql.catalog.b.metastore"] == "filesystem"
    assert found["spark.sql.extensions"] == EXTENSION


def like_delta(builder: SparkSession.Builder) -> SparkSession.Builder:
    """What the function of delta-spark does: it checks the exact type and sets one key."""
    assert type(builder) is SparkSession.Builder
    return builder.config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.1")


@pytest.mark.parametrize("ours_first", [True, False])
def test_composes_with_delta_in_either_order(ours_first: bool) -> None:
    builder = SparkSession.builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    if ours_first:
        builder = like_delta(configure_spark_with_paimon(builder, warehouse="/w"))
    else:
        builder = configure_spark_with_paimon(like_delta(builder), warehouse="/w")
    found = settings(builder)
    assert found["spark.jars.packages"].startswith("io.delta:")
    assert found["spark.jars"] == str(jar_path())
    assert found["spark.sql.extensions"] == f"io.delta.sql.DeltaSparkSessionExtension,{EXTENSION}"


def test_appends_to_spark_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# site settings\nspark.jars   /site/a.jar\nspark.sql.extensions = site.E\nspark.x: y\n"
    (tmp_path / "spark-defaults.conf").write_text(text)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    found = settings(configure_spark_with_paimon(SparkSession.builder, warehouse="/w"))
    assert found["spark.jars"] == f"/site/a.jar,{jar_path()}"
    assert found["spark.sql.extensions"] == f"site.E,{EXTENSION}"
    assert "spark.x" not in found


def test_joins_jars_of_the_submit_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "PYSPARK_SUBMIT_ARGS",
        "--jars '/x/a b.jar' --conf spark.sql.extensions=x.E --conf spark.jars=/no pyspark-shell",
    )
    found = settings(configure_spark_with_paimon(SparkSession.builder, warehouse="/w"))
    assert found["spark.jars"] == f"/x/a b.jar,{jar_path()}"
    assert found["spark.sql.extensions"] == f"x.E,{EXTENSION}"
    # On the command line --jars wins over spark.jars, so it must hold the jar as well.
    assert f"/x/a b.jar,{jar_path()}" in os.environ["PYSPARK_SUBMIT_ARGS"]
    assert os.environ["PYSPARK_SUBMIT_ARGS"].endswith("pyspark-shell")


def test_workers_of_a_local_session_run_this_python() -> None:
    configure_spark_with_paimon(SparkSession.builder.master("local[2]"), warehouse="/w")
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


def test_python_of_the_workers_stays_where_somebody_chose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/chosen/python")
    builder = SparkSession.builder.config("spark.paimon.bridge.python", "/bridge/python")
    found = settings(configure_spark_with_paimon(builder, warehouse="/w"))
    assert os.environ["PYSPARK_PYTHON"] == "/chosen/python"
    assert found["spark.paimon.bridge.python"] == "/bridge/python"


def test_python_of_other_machines_is_not_guessed() -> None:
    configure_spark_with_paimon(SparkSession.builder.master("yarn"), warehouse="/w")
    assert "PYSPARK_PYTHON" not in os.environ


def test_relative_warehouse_is_taken_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = settings(configure_spark_with_paimon(SparkSession.builder, warehouse="w"))
    assert found["spark.sql.catalog.paimon.warehouse"] == str(tmp_path / "w")


def test_warehouse_uri_stays() -> None:
    found = settings(configure_spark_with_paimon(SparkSession.builder, warehouse="s3a://b/w"))
    assert found["spark.sql.catalog.paimon.warehouse"] == "s3a://b/w"


def test_other_options_get_the_prefix() -> None:
    options = {"table-default.file.format": "orc", "case-sensitive": "false"}
    found = settings(configure_spark_with_paimon(SparkSession.builder, warehouse="/w", options=options))
    assert found["spark.sql.catalog.paimon.table-default.file.format"] == "orc"
    assert found["spark.sql.catalog.paimon.case-sensitive"] == "false"


def test_unknown_option_is_named_with_the_nearest() -> None:
    with pytest.raises(errors.InvalidInputError, match="case-sensitiv.*case-sensitive"):
        configure_spark_with_paimon(SparkSession.builder, warehouse="/w", options={"case-sensitiv": "true"})


def test_option_with_an_argument_of_its_own_is_refused() -> None:
    with pytest.raises(errors.InvalidInputError, match="give uri=") as caught:
        configure_spark_with_paimon(SparkSession.builder, warehouse="/w", options={"uri": "x"})
    assert caught.value.condition == "CATALOG_OPTION_IS_ARGUMENT"


@pytest.mark.parametrize("name", ["", "a.b", "a b", "1a", "a-b"])
def test_catalog_name_must_be_an_identifier(name: str) -> None:
    with pytest.raises(errors.InvalidInputError, match="not a plain identifier"):
        configure_spark_with_paimon(SparkSession.builder, catalog=name, warehouse="/w")


def test_other_spark_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "3.5.1")
    with pytest.raises(errors.UnsupportedError, match=r"for Spark 4\.2, but pyspark 3\.5\.1"):
        configure_spark_with_paimon(SparkSession.builder, warehouse="/w")


def test_connect_client_is_told_that_the_server_has_the_catalog() -> None:
    with pytest.raises(errors.UnsupportedError, match="belong to the server"):
        configure_spark_with_paimon(SparkSession.builder.remote("sc://host"), warehouse="/w")


def test_something_else_than_a_builder_points_to_attach() -> None:
    with pytest.raises(TypeError, match="attach"):
        configure_spark_with_paimon(object(), warehouse="/w")  # type: ignore[arg-type]


def test_token_is_not_in_a_message() -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        configure_spark_with_paimon(SparkSession.builder, uri="u", token="s3cret", options={"tokn": "x"})
    assert "s3cret" not in str(caught.value)
