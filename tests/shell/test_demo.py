"""`counterfoil demo` as somebody runs it: true to the provider's book, and its file gives the same verdicts again."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from counterfoil.verdicts import WORST_FIRST
from tests.real.sink import sink

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"


@dataclass(frozen=True)
class Shown:
    """What one run of the demo left: its own words, its telemetry, and the provider's book."""

    stories: dict[str, dict[str, Any]]
    file: Path
    book: Path

    def asked(self, sql: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.book) as book:
            return book.execute(sql).fetchall()

    def held(self) -> dict[str, int]:
        """How many objects the provider holds, by the caller's reference."""
        return dict(self.asked("SELECT reference, count(*) FROM objects WHERE state = 'held' GROUP BY reference"))


def counterfoil(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command with no setting of telemetry but these."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COUNTERFOIL_"))}
    return subprocess.run(
        [sys.executable, "-m", "counterfoil", *map(str, arguments)],
        cwd=cwd,
        env=ours | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("demo")
    file, book = folder / "telemetry.jsonl", folder / "book.sqlite"
    done = counterfoil("demo", "--out", file, "--book", book, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    stories = json.loads(done.stdout)["stories"]
    return Shown({story["operation_id"]: story for story in stories}, file, book)


def by_verdict(shown: Shown, verdict: str) -> list[str]:
    """The references of the operations that got a verdict."""
    return [name.partition(":")[2] for name, story in shown.stories.items() if story["verdict"] == verdict]


def test_the_stories_reach_every_verdict(shown: Shown) -> None:
    assert {story["verdict"] for story in shown.stories.values()} == {str(verdict) for verdict in WORST_FIRST}


def test_no_two_stories_are_one_operation(shown: Shown) -> None:
    held = [reference for reference in shown.held() if reference not in str(shown.stories)]
    assert held == []
    assert len({story["story"] for story in shown.stories.values()}) == len(shown.stories) >= 15


@pytest.mark.parametrize(
    ("verdict", "numbers"),
    [
        ("verified_applied", {1}),
        ("verified_not_applied", {0}),
        ("duplicate_effect", {2}),
        ("false_success", {0}),
        ("outcome_mismatch", {1}),
    ],
)
def test_what_is_said_of_the_world_is_in_the_providers_book(shown: Shown, verdict: str, numbers: set[int]) -> None:
    held = shown.held()
    assert {held.get(reference, 0) for reference in by_verdict(shown, verdict)} == numbers


def test_a_mismatch_is_a_ticket_that_nobody_asked_for(shown: Shown) -> None:
    rows = shown.asked("SELECT o.reference, o.body, r.payload FROM objects o JOIN requests r USING (reference)")
    differing = {reference for reference, made, asked in rows if json.loads(made) != json.loads(asked)}
    # The second amount of the reused key was refused, so that the book holds the first one alone.
    assert differing - set(by_verdict(shown, "key_conflict")) == set(by_verdict(shown, "outcome_mismatch"))


def test_a_key_conflict_is_one_key_with_two_payloads(shown: Shown) -> None:
    rows = shown.asked("SELECT reference FROM requests GROUP BY key HAVING count(DISTINCT payload) > 1")
    assert {reference for (reference,) in rows} == set(by_verdict(shown, "key_conflict"))


def test_an_unsafe_retry_is_one_payload_under_two_keys(shown: Shown) -> None:
    rows = shown.asked("SELECT reference FROM requests GROUP BY reference HAVING count(DISTINCT key) > 1")
    found = {name.partition(":")[2] for name, story in shown.stories.items() if "unsafe_retry" in story["findings"]}
    assert {reference for (reference,) in rows} == found


def test_doubt_has_a_reason_and_a_read_is_healthy(shown: Shown) -> None:
    reasons = {s["story"]: s["reason"] for s in shown.stories.values() if s["verdict"] == "indeterminate"}
    assert reasons == {"timeout_and_nobody_looks": "ambiguous", "accepted_and_pending": "accepted"}
    assert [s["story"] for s in shown.stories.values() if s["verdict"] == "healthy"] == ["read_only"]


def test_transport_alone_is_wrong_where_the_evidence_is_not(shown: Shown) -> None:
    assert all(story["borne_out"] for story in shown.stories.values())
    assert not all(story["transport_is_right"] for story in shown.stories.values())


def test_the_audit_of_its_file_gives_the_same_verdicts(shown: Shown) -> None:
    done = counterfoil("audit", shown.file, "--json", cwd=shown.file.parent)
    assert done.returncode == 0, done.stderr
    audited: Mapping[str, Any] = json.loads(done.stdout)["operations"]
    said = ("verdict", "outcome", "findings", "reason")
    assert {name: {key: told[key] for key in said} for name, told in audited.items()} == {
        name: {key: story[key] for key in said} for name, story in shown.stories.items()
    }


def test_its_file_is_otlp_json_as_a_collector_writes_it(shown: Shown) -> None:
    requests = [json.loads(line) for line in shown.file.read_text(encoding="utf-8").splitlines()]
    assert {key for request in requests for key in request} == {"resourceSpans", "resourceLogs"}
    spans = [
        span
        for request in requests
        for resource in request.get("resourceSpans", ())
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    assert all(len(bytes.fromhex(span["traceId"])) == 16 and len(bytes.fromhex(span["spanId"])) == 8 for span in spans)
    links = [link for span in spans for link in span.get("links", ())]
    known = {(span["traceId"], span["spanId"]) for span in spans}
    assert links
    assert {(link["traceId"], link["spanId"]) for link in links} <= known


def test_people_read_a_table_and_an_endpoint_is_told_as_well(shown: Shown, tmp_path: Path) -> None:
    with sink() as endpoint:
        done = counterfoil("demo", cwd=tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint.url)
        verdicts = [span for span in endpoint.spans() if span.name.startswith("verdict ")]
        events = [record for record in endpoint.records() if record.event_name == "counterfoil.verdict"]
        metrics = {metric.name for metric in endpoint.metrics()}
    assert done.returncode == 0, done.stderr
    assert len(verdicts) >= len(shown.stories)
    assert len(events) >= len(shown.stories)
    assert "counterfoil.verdicts" in metrics

    assert (tmp_path / "counterfoil-demo.jsonl").stat().st_size > 0
    assert "counterfoil audit counterfoil-demo.jsonl" in done.stdout
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert all(story["verdict"] in done.stdout for story in shown.stories.values())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    done = counterfoil("demo", "--out", tmp_path / "nowhere" / "telemetry.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_picture_shows_what_the_demo_says_now(shown: Shown) -> None:
    drawn = PICTURE.read_text(encoding="utf-8").replace("&#160;", " ")
    missing = [s["story"] for s in shown.stories.values() if s["story"].replace("_", " ") not in drawn]
    missing += [s["verdict"] for s in shown.stories.values() if s["verdict"] not in drawn]
    assert not missing, "draw it again: python -m tools.pictures"
