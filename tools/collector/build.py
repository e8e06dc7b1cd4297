"""Builds the OpenTelemetry Collector that the configurations are tested with, by the collector's own builder."""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from tools.observe import golang

MANIFEST = Path(__file__).with_name("manifest.yaml")
BUILDER = "go.opentelemetry.io/collector/cmd/builder"
PROGRAM = "otelcol-counterfoil"


def recipe() -> str:
    """What decides the result: the manifest, to the letter."""
    return MANIFEST.read_text()


def version() -> str:
    """The release that core, contrib and builder share, as the manifest states it."""
    return f"v{yaml.safe_load(recipe())['dist']['version']}"


def build(into: Path) -> None:
    """Generate the collector's source from the manifest, compile it, and leave the binary alone in `into`.

    Needs Go and a module proxy. With cold caches it compiles some 1,600 packages: minutes of two cores.
    """
    sources = into / "sources"
    sources.mkdir()
    golang.run([golang.find(), "install", f"{BUILDER}@{version()}"], extra={"GOBIN": str(sources / "bin")})
    manifest = yaml.safe_load(recipe())
    manifest["dist"]["output_path"] = str(sources / "out")
    (sources / "manifest.yaml").write_text(yaml.safe_dump(manifest))
    golang.run([sources / "bin" / "builder", "--config", sources / "manifest.yaml"])
    (sources / "out" / PROGRAM).rename(into / PROGRAM)
    shutil.rmtree(sources)
