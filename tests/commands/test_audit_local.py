"""An audit by all cores says what the audit in one process says, to the byte."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings

from counterfoil.auditing.judging import judgements
from counterfoil.auditing.parallel import audited
from counterfoil.auditing.parts import Asked
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.told import told
from counterfoil.config import Config
from counterfoil.records import canonical
from tests.archives.folders import mixture
from tests.strategies import accusations


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return mixture(tmp_path_factory.mktemp("archive"))


@pytest.mark.parametrize("form", [["--json"], ["--ndjson"], [], ["--rows", "3"], ["--rows", "0"]], ids=" ".join)
def test_the_output_is_the_same_to_the_byte(archive, form):
    def run(*engine):
        command = [sys.executable, "-m", "counterfoil", "audit", str(archive), *form, *engine]
        return subprocess.run(command, check=False, capture_output=True)

    plain, local = run(), run("--engine", "local")
    assert local.returncode == plain.returncode == 0, local.stderr.decode()
    assert local.stdout == plain.stdout
    assert local.stderr == plain.stderr


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(accusations)
def test_what_operations_share_is_found_across_partitions(tmp_path, sent):
    path = tmp_path / "sent.ndjson"
    path.write_text("\n".join(canonical(fact) for fact in sent), encoding="utf-8", errors="surrogatepass")
    found, config, now = sources([str(path)]), Config(), 2**60
    expected = [told(one, now, config) for one in judgements(take_in(found, config))]
    with audited(found, Asked(config, now, 0), processes=2) as work:
        assert sorted(work.worst, key=lambda one: one.place) == sorted(expected, key=lambda one: one.place)
