"""By which doors a process that is started here would be entered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from counterfoil import names
from counterfoil.doctoring.check import Check, contradiction, missing, ok
from counterfoil.doctoring.surroundings import PTH, Surroundings
from counterfoil.doors.asked import wanted

DETECTORS = "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS"
CONFIG_FILE = "OTEL_CONFIG_FILE"
CONFIGURATION = "opentelemetry-configuration"


def entrances(around: Surroundings) -> Iterator[Check]:
    yield _switch(around)
    detector = "counterfoil" in around.words(DETECTORS)
    if around.has_pth:
        yield ok("door .pth", "opens in every process of this interpreter, whatever builds its pipeline")
    elif detector:
        yield ok("door .pth", f"{PTH} is in no folder whose .pth files are read; the resource detector stands in")
    else:
        says = f"{PTH} is in no folder whose .pth files are read, as after pip install --target"
        yield missing("door .pth", says, f"{DETECTORS}=otel,counterfoil")
    if detector:
        yield ok("door resource detector", "opens where an SDK asks for its resource")
    if around.has("opentelemetry-instrumentation"):
        yield ok("door pre_instrument", "opens under opentelemetry-instrument")
    if around.variable(CONFIG_FILE):
        yield _file(around)
    if around.variable("OTEL_SDK_DISABLED").lower() == "true":
        yield contradiction("SDK", "OTEL_SDK_DISABLED is true: there are no spans to read", "unset OTEL_SDK_DISABLED")


def _switch(around: Surroundings) -> Check:
    if wanted(around.environ):
        return ok("switch", f"{names.ENABLED_SETTING} is on")
    value = around.variable(names.ENABLED_SETTING)
    says = f"{names.ENABLED_SETTING} is {'not set' if not value else 'off'}: nothing will be attached"
    return missing("switch", says, f"{names.ENABLED_SETTING}=true")


def _file(around: Surroundings) -> Check:
    if not around.has(CONFIGURATION):
        says = f"{CONFIG_FILE} is set and {CONFIGURATION} is not installed: the application has no telemetry at all"
        return contradiction("door instrumentor", says, f"install {CONFIGURATION}, or unset {CONFIG_FILE}")
    if not Path(around.variable(CONFIG_FILE)).is_file():
        says = f"{CONFIG_FILE} names no file: the application has no telemetry at all"
        return contradiction("door instrumentor", says, f"{CONFIG_FILE}=<a file that is there>")
    return ok("door instrumentor", "opens where the file has counterfoil under instrumentation/development: python:")
