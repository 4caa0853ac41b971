"""What the bridge logs arrives in Spark's log, and no secret with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.bridge.drivers import QUICK_START, Driver, StatementError, embedded
from tests.spark.faults.switch import FAULT_FILE, INJECTION, Fault, Switch

LOG4J = """
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %p|%c|%m%n
logger.ours.name = org.sparkpaimon
logger.ours.level = trace
"""

LOGGER = "org.sparkpaimon.bridge.spark_paimon"
TOKEN = "a-token-that-nobody-may-see"
PASSWORD = "a-password-that-nobody-may-see"


def test_log_lines_of_the_bridge_keep_level_and_logger_and_hold_no_secret(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    configuration = tmp_path / "log4j2.properties"
    configuration.write_text(LOG4J.format(file=log))
    switch = Switch(tmp_path / "fault.json")
    environment = {FAULT_FILE: str(switch.path), "PYTHONPATH": str(INJECTION)}
    catalogs = embedded(tmp_path / "w")
    catalogs["paimon"]["token"] = TOKEN
    catalogs["remote"] = {
        "metastore": "embedded",
        "warehouse": str(tmp_path / "w"),
        "uri": f"postgresql://somebody:{PASSWORD}@127.0.0.1:1/nothing",
    }
    with Driver(tmp_path, environment) as driver:
        options = f"{QUICK_START} -Dlog4j2.configurationFile=file:{configuration}"
        driver.start(catalogs, spark__driver__extraJavaOptions=options)
        driver.sql(
            "CREATE TABLE paimon.default.t (id INT, dt INT) USING parquet PARTITIONED BY (dt) "
            "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
        )
        # A commit that cannot tell its statistics warns.
        switch.arm(Fault("create_partitions", number=2))
        driver.sql("INSERT INTO paimon.default.t VALUES (1, 1)")
        assert switch.has_fired
        switch.arm(Fault("load_table_info", action="crash"))
        with pytest.raises(StatementError) as crashed:
            driver.sql("SELECT * FROM paimon.default.t")
        assert "Traceback" not in crashed.value.message
        with pytest.raises(StatementError) as refused:
            driver.sql("SHOW TABLES IN remote.default")
        assert driver.sql("SELECT count(*) FROM paimon.default.t") == [[1]]
        driver.exit()

    lines = log.read_text().splitlines()
    ours = [line for line in lines if "|org.sparkpaimon.bridge" in line]
    warnings = [line for line in ours if line.startswith(f"WARN|{LOGGER}.table.commit")]
    assert len(warnings) == 1, ours
    assert "the catalog could not be told" in warnings[0]
    assert any(line.startswith(f"ERROR|{LOGGER}.bridge.service") for line in ours), ours
    text = "\n".join(lines)
    assert "Traceback (most recent call last)" in text
    assert "RuntimeError: injected crash in load_table_info" in text

    for place in (text, driver.log.read_text(), refused.value.message, crashed.value.message):
        assert TOKEN not in place
        assert PASSWORD not in place
