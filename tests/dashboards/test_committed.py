"""The committed files are what `python -m dashboards.src` writes, and nothing lies beside them."""

from __future__ import annotations

import pytest

from dashboards.src.files import ROOT, files, generated
from tests.dashboards.expressions import BOARDS, board

WRITTEN = files()


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_is_what_its_source_makes(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == WRITTEN[name], "run `python -m dashboards.src`"


def test_no_file_is_left_over() -> None:
    assert generated() == set(WRITTEN)


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_a_dashboard_is_one_by_grafanas_own_model(path) -> None:
    # Imported late: `dashboards.src.grafana` quiets the warning that the import gives.
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    register_default_plugins()

    read = Dashboard.from_json(board(path))

    assert read.schema_version == 42
    assert len(read.panels or []) == len(board(path)["panels"])
