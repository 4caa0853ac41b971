"""The same SQL from ``spark-submit`` and ``spark-sql``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.submit.conftest import HERE, Runner, catalog_settings, results

SQL = """
CREATE NAMESPACE paimon.s;
CREATE TABLE paimon.s.t (id INT, dt STRING) USING parquet PARTITIONED BY (dt)
  TBLPROPERTIES ('metastore.partitioned-table' = 'true');
INSERT INTO paimon.s.t VALUES (1, 'a'), (2, 'b');
MSCK REPAIR TABLE paimon.s.t;
ANALYZE TABLE paimon.s.t COMPUTE STATISTICS;
SELECT concat('RESULT ', partition, ' ', record_count) FROM paimon.s.`t$partitions`;
SELECT concat('RESULT ', sum(id)) FROM paimon.s.t WHERE dt = 'b';
"""


def test_jar_command_prints_the_jar() -> None:
    shown = subprocess.run(
        [Path(sys.executable).parent / "spark-paimon", "jar"], capture_output=True, text=True, check=True
    )
    assert Path(shown.stdout.strip()).is_file()
    assert shown.stdout.strip().endswith(".jar")


def test_script_that_never_imports_us(run_spark: Runner, tmp_path: Path) -> None:
    done = run_spark("spark-submit", *catalog_settings(tmp_path / "w"), str(HERE / "without_us.py"))
    assert results(done) == ["dt=b/hh=1 1", "3"]


def test_spark_sql_has_no_python_driver(run_spark: Runner, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(SQL)
    done = run_spark("spark-sql", *catalog_settings(tmp_path / "w"), "-f", str(script))
    assert results(done) == ["dt=a 1", "dt=b 1", "2"]


def test_helper_under_submit_without_the_jar_prints_the_right_command(
    run_spark: Runner, tmp_path: Path
) -> None:
    done = run_spark("spark-submit", str(HERE / "late_helper.py"), str(tmp_path / "w"), jar=False)
    assert done.returncode != 0
    # spark-submit joins the script's two outputs.
    assert "[DRIVER_WITHOUT_JAR]" in done.stdout
    assert "spark-submit --jars" in done.stdout


def test_helper_under_submit_with_the_jar(run_spark: Runner, tmp_path: Path) -> None:
    """Settings of the command line stay, and are appended to."""
    done = run_spark(
        "spark-submit",
        "--conf",
        "spark.sql.extensions=org.apache.spark.sql.NoSuchExtension",
        str(HERE / "late_helper.py"),
        str(tmp_path / "w"),
    )
    namespaces, extensions = results(done)
    assert namespaces == "['default']"
    assert extensions == "org.apache.spark.sql.NoSuchExtension,org.sparkpaimon.PaimonExtensions"
