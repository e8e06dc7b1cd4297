"""Prometheus and Alertmanager, compiled from their released modules without the parts that only a person looks at."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from tools.observe import golang


@dataclass(frozen=True, slots=True)
class Program:
    """A Go module and the commands in it that are wanted."""

    module: str
    version: str
    """The module's version."""
    release: str
    """The same release as its users know it; the binary reports this."""
    commands: tuple[str, ...]
    tags: tuple[str, ...] = ()
    stubs: dict[str, str] = field(default_factory=dict)
    """Files that the source embeds and the module does not carry, with what stands in for them."""

    def recipe(self) -> str:
        """What decides the result."""
        return repr(self)

    def build(self, into: Path) -> None:
        """Compile the commands into `into`. The module's own `go.sum` pins and checks every dependency."""
        # Unpacked, not built in place: Go's module cache is read-only, and stubs must lie inside the module.
        with zipfile.ZipFile(golang.download(self.module, self.version)) as archive:
            archive.extractall(into / "source")
        source = into / "source" / f"{self.module}@{self.version}"
        for name, text in self.stubs.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text)
        stamp = f"-s -w -X github.com/prometheus/common/version.Version={self.release}"
        build = [golang.find(), "build", "-trimpath", "-tags", ",".join(self.tags), "-ldflags", stamp]
        for command in self.commands:
            golang.run([*build, "-o", into / command, f"./cmd/{command}"], cwd=source)
        shutil.rmtree(into / "source")


PROMETHEUS = Program(
    module="github.com/prometheus/prometheus",
    version="v0.316.0",
    release="3.16.0",
    commands=("prometheus", "promtool"),
    # Without `builtinassets` the web pages are absent and the HTTP API is whole. Targets are configured as files,
    # so the service discovery of some thirty clouds and its dependencies can stay out.
    tags=("netgo", "remove_all_sd"),
)

ALERTMANAGER = Program(
    module="github.com/prometheus/alertmanager",
    version="v0.35.0",
    release="0.35.0",
    commands=("alertmanager", "amtool"),
    tags=("netgo",),
    # The web pages are built by npm and not part of the module; the embed directive needs the folder to exist.
    stubs={"ui/app/dist/elm/index.html": "<p>Built without the web pages. The API is at <code>/api/v2</code>.</p>\n"},
)
