"""Fetches Apache Kafka with all that it needs at run time, once per version, and prints where it is.

    python -m tools.kafka.build

Maven resolves `pom.xml`; what came must then be, file by file, what `jars.sha256` says. Nothing of it is shipped. Needs
Maven, some 45 MB and half a minute. Exit code 3 where the machine has no Maven or no Java.

After a change of `pom.xml`, `python -m tools.kafka.build --pin` writes `jars.sha256` anew.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.missing import Missing, told
from tools.observe import cache

HERE = Path(__file__).parent
POM = HERE / "pom.xml"
PINNED = HERE / "jars.sha256"
VERSION = "4.4.0"
PROGRAMS = (f"kafka_2.13-{VERSION}.jar",)
COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies"
"""The version that Maven 3.8 and 3.9 take when nobody says one."""


class NoMaven(Missing):
    """Something is missing on this machine without which there is no broker."""


def _entry() -> str:
    return cache.key("kafka", VERSION, POM.read_text(encoding="utf-8") + PINNED.read_text(encoding="utf-8"))


def built() -> Path | None:
    """The folder of the jars that were fetched earlier, or None. Never fetches."""
    found = cache.lookup(_entry(), PROGRAMS)
    return found[PROGRAMS[0]].parent if found else None


def obtain() -> Path:
    """The folder of the jars, fetched now if they never were. Raises NoMaven."""
    return cache.obtain(_entry(), PROGRAMS, _fetch)[PROGRAMS[0]].parent


def java() -> str:
    """The `java` command, of JAVA_HOME if that is set, as Spark finds it. Raises NoMaven."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    if found is None:
        raise NoMaven("no Java: there is no `java` on PATH; install Java 17 or newer")
    return found


def _fetch(into: Path) -> None:
    java()
    _resolve(into)
    if (wrong := _digests(into) ^ set(PINNED.read_text(encoding="utf-8").splitlines())) != set():
        names = ", ".join(sorted({line.split()[1] for line in wrong}))
        raise RuntimeError(f"not what jars.sha256 says: {names}")


def _resolve(into: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise NoMaven("no Maven: there is no `mvn` on PATH; install Maven 3.8 or newer")
    with tempfile.TemporaryDirectory() as workshop:  # Maven leaves a folder beside the file that it is given
        shutil.copy(POM, workshop)
        words = [maven, "-B", "-q", "-C", COPY, "-DincludeScope=runtime", f"-DoutputDirectory={into}"]
        done = subprocess.run(words, cwd=workshop, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"mvn failed with {done.returncode}:\n{done.stdout}{done.stderr}")


def _digests(folder: Path) -> set[str]:
    return {f"{hashlib.sha256(jar.read_bytes()).hexdigest()}  {jar.name}" for jar in folder.glob("*.jar")}


def _pin() -> Path:
    with tempfile.TemporaryDirectory() as folder:
        _resolve(Path(folder))
        lines = sorted(_digests(Path(folder)), key=lambda line: line.split()[1])
    PINNED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return PINNED


if __name__ == "__main__":
    sys.exit(told("kafka", _pin if sys.argv[1:] == ["--pin"] else obtain))
