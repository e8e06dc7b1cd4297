"""`counterfoil doctor`: every contradiction is noticed, what it says to set mends it, and nothing secret is shown."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from counterfoil.config import Config
from counterfoil.doctoring.check import Check, State, ok
from counterfoil.doctoring.entrances import entrances
from counterfoil.doctoring.exporting import exporting
from counterfoil.doctoring.reach import reach
from counterfoil.doctoring.sources import sources
from counterfoil.doctoring.surroundings import Surroundings, here

GOOD = {
    "COUNTERFOIL_ENABLED": "true",
    "COUNTERFOIL_INSTRUMENT_PYDANTIC_AI": "true",
    "COUNTERFOIL_HASH_KEY": "0123456789abcdef",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST": "idempotency-key",
}
PACKAGES = (
    "counterfoil",
    "httpx",
    "logfire",
    "opentelemetry-distro",
    "opentelemetry-instrumentation",
    "opentelemetry-instrumentation-httpx",
    "pydantic-ai-slim",
)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    (tmp_path / "counterfoil.pth").write_text("")
    return tmp_path


def found(
    folder: Path, without: tuple[str, ...] = (), besides: tuple[str, ...] = (), **changed: str | None
) -> dict[str, Check]:
    """All checks that ask nobody, by name, where everything is well but what is changed or taken away."""
    environ = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    config, problems = Config.load(environ)
    around = Surroundings(environ, frozenset({*PACKAGES, *besides}) - set(without), (folder,), config, problems)
    return {check.name: check for look in (entrances, exporting, sources) for check in look(around)}


def bad(checks: dict[str, Check]) -> dict[str, State]:
    return {name: check.state for name, check in checks.items() if check.state is not State.OK}


def test_all_is_well(packages: Path) -> None:
    assert bad(found(packages)) == {}


@pytest.mark.parametrize(
    ("changed", "name", "state", "mended_by"),
    [
        ({"COUNTERFOIL_ENABLED": None}, "switch", "missing", "COUNTERFOIL_ENABLED=true"),
        ({"COUNTERFOIL_ENABLED": "no"}, "switch", "missing", "COUNTERFOIL_ENABLED=true"),
        ({"OTEL_TRACES_EXPORTER": "otlp,x"}, "exporter traces", "contradiction", "OTEL_TRACES_EXPORTER=otlp"),
        ({"OTEL_TRACES_EXPORTER": "none"}, "exporter traces", "contradiction", "OTEL_TRACES_EXPORTER=otlp"),
        ({"OTEL_METRICS_EXPORTER": "none"}, "exporter metrics", "missing", "OTEL_METRICS_EXPORTER=otlp"),
        ({"OTEL_LOGS_EXPORTER": "none"}, "exporter logs", "missing", "OTEL_LOGS_EXPORTER=otlp"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": None}, "endpoint", "missing", "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "protocol",
            "contradiction",
            "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": None},
            "protocol",
            "contradiction",
            "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ),
        (
            {"OTEL_TRACES_SAMPLER": "always_off"},
            "sampler",
            "contradiction",
            "COUNTERFOIL_RECORD_ALL=true",
        ),
        ({"OTEL_TRACES_SAMPLER_ARG": "0.0"}, "sampler", "contradiction", "COUNTERFOIL_RECORD_ALL=true"),
        ({"OTEL_TRACES_SAMPLER_ARG": "0.01"}, "sampler", "missing", "COUNTERFOIL_RECORD_ALL=true"),
        ({"OTEL_SDK_DISABLED": "true"}, "SDK", "contradiction", "OTEL_SDK_DISABLED="),
        (
            {"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "64"},
            "limits",
            "contradiction",
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=128",
        ),
        (
            {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "NO_CONTENT"},
            "content",
            "missing",
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only",
        ),
        (
            {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "httpx,flask"},
            "httpx",
            "missing",
            "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS=",
        ),
        (
            {"OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST": "X-.*"},
            "request headers",
            "missing",
            "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST=X-.*,idempotency-key",
        ),
        ({"COUNTERFOIL_HASH_KEY": None}, "hash key", "missing", "COUNTERFOIL_HASH_KEY=0123456789abcdef"),
        (
            {"COUNTERFOIL_INSTRUMENT_PYDANTIC_AI": None},
            "Pydantic AI",
            "missing",
            "COUNTERFOIL_INSTRUMENT_PYDANTIC_AI=true",
        ),
    ],
)
def test_what_is_wrong_is_named_and_mended_by_what_it_says(
    packages: Path, changed: dict[str, str | None], name: str, state: str, mended_by: str
) -> None:
    checks = found(packages, **changed)
    assert bad(checks) == {name: state}
    variable, _, value = mended_by.partition("=")
    assert variable in checks[name].set
    assert bad(found(packages, **{**changed, variable: value or None})) == {}


def test_an_exporter_of_another_name_is_fine_where_nobody_uses_logfire(packages: Path) -> None:
    assert bad(found(packages, ("logfire",), OTEL_TRACES_EXPORTER="otlp,console")) == {}


def test_a_ratio_is_only_read_with_a_sampler_that_asks_for_one(packages: Path) -> None:
    checks = found(packages, OTEL_TRACES_SAMPLER="parentbased_always_on", OTEL_TRACES_SAMPLER_ARG="0")
    assert checks["sampler"].state is State.OK
    assert found(packages, ("logfire",), OTEL_TRACES_SAMPLER_ARG="0")["sampler"].state is State.OK


def test_without_the_file_the_resource_detector_is_the_door(tmp_path: Path) -> None:
    checks = found(tmp_path)
    assert bad(checks) == {"door .pth": State.MISSING}
    assert checks["door .pth"].set == "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS=otel,counterfoil"
    assert bad(found(tmp_path, OTEL_EXPERIMENTAL_RESOURCE_DETECTORS="otel,counterfoil")) == {}


@pytest.mark.parametrize(
    ("said", "state"),
    [(None, State.MISSING), ("true", State.MISSING), ("span_only", State.OK), ("SPAN_AND_EVENT", State.OK)],
)
def test_the_word_for_content_is_one_that_the_instrumentations_know(
    packages: Path, said: str | None, state: State
) -> None:
    """They take `true` for no."""
    content = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": said}
    assert found(packages, besides=("opentelemetry-util-genai",), **content)["content"].state is state


def test_a_configuration_file_needs_its_package_and_then_decides_alone(packages: Path) -> None:
    file = packages / "otel.yaml"
    alone = found(packages, OTEL_CONFIG_FILE=str(file))
    assert bad(alone) == {"door instrumentor": State.CONTRADICTION}
    file.write_text("file_format: '1.0'\n")
    assert bad(found(packages, OTEL_CONFIG_FILE=str(file))) == {"door instrumentor": State.CONTRADICTION}
    around = Surroundings(
        {**GOOD, "OTEL_CONFIG_FILE": str(file), "OTEL_TRACES_EXPORTER": "none"},
        frozenset((*PACKAGES, "opentelemetry-configuration")),
        (packages,),
        Config.load(GOOD)[0],
    )
    assert [check.state for look in (entrances, exporting) for check in look(around)].count(State.OK) == 5


def test_headers_that_the_tools_name_are_asked_for(packages: Path) -> None:
    file = packages / "counterfoil.toml"
    file.write_text("[tools.pay]\nidempotency_key = 'header:X-Request-Id'\neffect_ref = 'header:Location'\n")
    checks = found(packages, COUNTERFOIL_CONFIG=str(file), COUNTERFOIL_CAPTURE_KEYS="false")
    assert checks["request headers"].set.endswith("_REQUEST=idempotency-key,x-request-id")
    assert checks["response headers"].set.endswith("_RESPONSE=location")


def test_headers_that_nobody_has_chosen_will_be_recorded(packages: Path) -> None:
    file = packages / "counterfoil.toml"
    file.write_text("[tools.pay]\neffect_ref = 'header:Location'\n")
    checks = found(packages, COUNTERFOIL_CONFIG=str(file))
    assert checks["response headers"] == ok("response headers", "location will be recorded, as they are")


# ------------------------------------------------------------------- what must answer


@pytest.fixture
def collector(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server that answers everything with 404, by a clock that is off by ``request.param`` seconds."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_error(404)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return format_datetime(datetime.now(UTC) + timedelta(seconds=request.param), usegmt=True)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://user:secret@127.0.0.1:{server.server_port}/prefix?token=secret"
        server.shutdown()


def answers(**environ: str) -> dict[str, Check]:
    return {check.name: check for check in reach(here({**GOOD, **environ}))}


@pytest.mark.parametrize(
    ("collector", "state"), [(0, "ok"), (600, "contradiction"), (-600, "contradiction")], indirect=["collector"]
)
def test_the_clock_is_compared_with_the_collectors(collector: str, state: str) -> None:
    checks = answers(OTEL_EXPORTER_OTLP_ENDPOINT=collector)
    assert checks["collector"].state is State.OK
    assert checks["clock"].state == state
    assert "secret" not in str(checks)


def test_a_collector_that_does_not_answer_is_missed() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        checks = answers(OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{nobody.getsockname()[1]}")
    assert checks["collector"].state is State.MISSING


def test_the_ledger_is_asked(tmp_path: Path) -> None:
    assert answers()["ledger"].state is State.MISSING
    assert answers(COUNTERFOIL_LEDGER=f"sqlite:///{tmp_path}/ledger")["ledger"].state is State.OK
    gone = answers(COUNTERFOIL_LEDGER=f"sqlite:///{tmp_path}/no/such/folder/ledger")["ledger"]
    assert gone.state is State.CONTRADICTION
    fleet = answers(COUNTERFOIL_LEDGER="postgresql://user:secret@127.0.0.1:1/none")["ledger"]
    assert fleet.state is State.CONTRADICTION
    assert "secret" not in fleet.says


def test_a_setting_that_can_not_be_used_is_a_contradiction() -> None:
    wrong = answers(COUNTERFOIL_SETTLE_AFTER="soon", COUNTERFOIL_HASH_KEY="short")["settings"]
    assert wrong.state is State.CONTRADICTION
    assert "short" not in wrong.says
