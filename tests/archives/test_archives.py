"""An archive says what the lines say that it was made from, to the byte, and holds nothing else of them."""

from __future__ import annotations

import json
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from counterfoil.archives import reading, writing
from counterfoil.archives.finding import found
from counterfoil.archives.needs import LEAST_MIB
from counterfoil.archives.parallel import audited
from counterfoil.archives.reading import opened
from counterfoil.archives.rows import SAID
from counterfoil.archives.writing import archived
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.parts import Asked
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.told import told
from counterfoil.config import Config
from counterfoil.records import canonical
from tests.archives.folders import counterfoil, fleet, mixture
from tests.cases.case import CASES
from tests.strategies import accusations

FORMS = [["--json"], ["--ndjson"], ["--rows", "0"]]


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    return mixture(tmp_path_factory.mktemp("lines"))


@pytest.fixture(scope="module")
def archive(lines, tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives") / "new"
    made = counterfoil("archive", lines, "--to", folder)
    assert made.returncode == 0, made.stderr.decode()
    assert [made.stdout.decode().strip()] == [str(path) for path in folder.iterdir()]
    return folder


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_the_output_is_the_same_to_the_byte(lines, archive, form):
    of_lines, of_archive = counterfoil("audit", lines, *form), counterfoil("audit", archive, *form)
    assert of_archive.returncode == of_lines.returncode == 0, of_archive.stderr.decode()
    assert of_archive.stdout == of_lines.stdout
    assert of_archive.stderr == of_lines.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_says_the_same(case, tmp_path):
    path, _ = archived(sources([str(case.path)]), tmp_path, Config())
    expected = _told(judgements(take_in(sources([str(case.path)]))))
    with opened([path] if path else []) as archives:
        assert _told(archives.judgements()) == expected


def test_what_two_thousand_operations_share_is_found_over_many_parts_and_files(tmp_path, monkeypatch):
    """Facts of one operation lie in several archives, and in several parts of each while they are sorted."""
    monkeypatch.setattr(writing, "AT_ONCE", 500)
    monkeypatch.setattr(writing, "GROUP", 300)
    monkeypatch.setattr(reading, "AT_ONCE", 100)
    folder = fleet(tmp_path)
    archives = [
        archived([source], tmp_path / "archives", Config(), memory_mib=LEAST_MIB)[0]
        for source in sources([str(folder)])
    ]
    assert len(set(archives)) == len(archives) == 3
    expected = _told(judgements(take_in(sources([str(folder)]))))
    with opened(archives, LEAST_MIB) as several:
        assert _told(several.judgements()) == expected

    whole, _ = archived([], tmp_path / "whole", Config(), archives=list(map(str, archives)))
    with opened([whole]) as one:
        assert _told(one.judgements()) == expected


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(accusations)
def test_any_facts_are_judged_as_from_lines(tmp_path, sent):
    file = tmp_path / "sent.ndjson"
    file.write_text("\n".join(canonical(fact) for fact in sent), encoding="utf-8", errors="surrogatepass")
    path, _ = archived(sources([str(file)]), tmp_path, Config())
    with opened([path] if path else []) as archives:
        assert _told(archives.judgements()) == _told(judgements(take_in(sources([str(file)]))))


def test_the_same_sources_make_the_same_file_in_whatever_order_they_are_read(tmp_path):
    named = [str(case.path) for case in CASES]
    one, _ = archived(sources(named), tmp_path / "one", Config())
    other, _ = archived(sources(named[::-1]), tmp_path / "other", Config())
    assert one.name == other.name
    assert pq.read_table(one).equals(pq.read_table(other))


def test_it_is_sorted_by_operation_and_each_fact_is_in_it_once(archive):
    rows = duckdb.sql(f"SELECT operation_id, fact FROM '{archive}/*.parquet'").fetchall()
    assert rows == sorted(rows, key=lambda row: (row[0] or "", row[1]))
    assert len(set(rows)) == len(rows)


def test_no_key_and_no_content_gets_into_it(tmp_path):
    said = {"kind": "intent", "operation_id": "op-1", "observed_at": "2025-01-01T00:00:00Z"}
    (tmp_path / "in.ndjson").write_text(json.dumps(said | {"idempotency_key": "secret-key", "prompt": "Dear Ann"}))
    path, intake = archived(sources([str(tmp_path / "in.ndjson")]), tmp_path, Config())
    assert intake.unlisted == 1
    text = json.dumps(pq.read_table(path).to_pylist(), default=bytes.hex) + str(pq.read_schema(path).metadata)
    assert "sha256:" in text
    assert "secret-key" not in text
    assert "Dear Ann" not in text


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_all_cores_say_of_archives_what_one_process_says_to_the_byte(archive, form):
    one, all_cores = (counterfoil("audit", archive, *form, *engine) for engine in ([], ["--engine", "local"]))
    assert all_cores.returncode == one.returncode == 0, all_cores.stderr.decode()
    assert (all_cores.stdout, all_cores.stderr) == (one.stdout, one.stderr)


def test_a_neighbourhood_is_judged_in_one_part_however_many_there_are(tmp_path):
    folder = fleet(tmp_path)
    archives = [str(archived([one], tmp_path / "archives", Config())[0]) for one in sources([str(folder)])]
    expected = _told(judgements(take_in(sources([str(folder)]))))
    with audited(archives, Asked(Config(), 2**60, 0), processes=3) as work:
        assert sorted(work.worst, key=attrgetter("operation_id")) == expected


def test_lines_beside_archives_are_judged_with_them(lines, archive):
    mixed = counterfoil("audit", archive, lines / "broken-2.ndjson", CASES[0].path, "--ndjson")
    assert mixed.returncode == 0, mixed.stderr.decode()
    assert mixed.stdout == counterfoil("audit", lines, "--ndjson").stdout


@pytest.mark.parametrize("column", ["record", "value"])
def test_parquet_of_somebody_elses_is_read_by_its_column_of_lines(lines, tmp_path, column):
    kept = [line for path in sorted(lines.glob("*.ndjson")) for line in path.read_text().splitlines() if line]
    pq.write_table(pa.table({column: kept, "day": [1] * len(kept)}), tmp_path / "theirs.parquet")
    (tmp_path / "lines.ndjson").write_text("\n".join(kept))
    theirs = counterfoil("audit", tmp_path / "theirs.parquet", "--json")
    assert theirs.stdout == counterfoil("audit", tmp_path / "lines.ndjson", "--json").stdout


def test_parquet_without_such_a_column_is_skipped_in_words(lines, tmp_path):
    pq.write_table(pa.table({"day": [1]}), tmp_path / "days.parquet")
    ran = counterfoil("audit", tmp_path, CASES[0].path)
    assert ran.returncode == 0
    assert b"days.parquet:1: the stream broke: Parquet without a column record or value" in ran.stderr


def test_a_newer_archive_is_refused_and_never_guessed_at(archive, tmp_path):
    (path,) = archive.iterdir()
    rows = pq.read_table(path)
    pq.write_table(rows.replace_schema_metadata({SAID: b'{"version": 2}'}), tmp_path / "new.parquet")
    ran = counterfoil("audit", tmp_path / "new.parquet")
    assert ran.returncode == 2
    assert b"archive of version 2" in ran.stderr


def test_a_row_that_was_damaged_leaves_doubt_about_its_operation(tmp_path):
    path, _ = archived(sources([str(CASES[0].path)]), tmp_path / "whole", Config())
    rows = pq.read_table(path)
    records = rows.column("record").to_pylist()
    damaged = rows.set_column(rows.schema.get_field_index("record"), "record", [["{", *records[1:]]])
    pq.write_table(damaged.cast(rows.schema), tmp_path / "damaged.parquet")
    with opened([tmp_path / "damaged.parquet"]) as archives:
        assert any("archived record" in str(judged.operation.facts) for judged in archives.judgements())


def test_a_time_for_which_a_column_has_no_room_is_in_the_record_alone(tmp_path):
    said = {"kind": "effect", "source": "probe", "effect_ref": "ch_1", "authoritative": True}
    far = [said | {"operation_id": f"op-{year}", "observed_at": f"{year}-01-01T00:00:00Z"} for year in ("0001", "9999")]
    far.append({"kind": "history", "history_id": "h-1", "observed_at": "9999-01-01T00:00:00Z", "messages": []})
    (tmp_path / "in.ndjson").write_text("\n".join(map(json.dumps, far)))
    path, _ = archived(sources([str(tmp_path / "in.ndjson")]), tmp_path, Config())
    assert pq.read_table(path).column("observed_at").to_pylist() == [None] * 3
    with opened([path]) as archives:
        assert _told(archives.judgements()) == _told(judgements(take_in(sources([str(tmp_path / "in.ndjson")]))))


def test_nothing_of_use_makes_no_file(tmp_path):
    (tmp_path / "in.ndjson").write_text("no json\n")
    ran = counterfoil("archive", tmp_path / "in.ndjson", "--to", tmp_path / "out")
    assert ran.returncode == 3
    assert not (tmp_path / "out").exists()


def test_nothing_but_the_audit_is_on_standard_output_however_long_a_query_takes():
    """This process runs no file, as one of multiprocessing's doesn't: DuckDB thinks that somebody watches."""
    asked = "SELECT current_setting('enable_progress_bar')"
    program = f"""from counterfoil.archives.needs import sorting
with sorting() as (database, _): print(database.sql("{asked}").fetchall())"""
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert ran.stdout == b"[(False,)]\n"


def test_without_the_extra_it_says_which_one_to_install(archive):
    program = "import sys; sys.modules.update(duckdb=None, pyarrow=None); from counterfoil.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", program, "audit", str(archive)], check=False, capture_output=True)
    assert ran.returncode == 3
    assert b"pip install 'counterfoil[archive]'" in ran.stderr


def _told(judged):
    return [told(one, 2**60, Config()) for one in judged]


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError):
        found([str(tmp_path / "away")])


def test_a_folder_of_archives_is_found_in_the_order_of_names(archive, tmp_path):
    (path,) = archive.iterdir()
    for name in ("b.parquet", "a.parquet"):
        (tmp_path / name).write_bytes(path.read_bytes())
    assert [Path(one).name for one in found([str(tmp_path)]).archives] == ["a.parquet", "b.parquet"]
