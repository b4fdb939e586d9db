"""The numbers of docs/evaluation.md are those of the kept runs."""

import json

import pytest

from benchmarks.evaluation import DOCUMENT, RESULTS, parts, with_tables

RUNS = [name for part in parts() for name in part.runs]


def test_the_tables_are_those_of_the_kept_runs() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run `make results`, or mend the table by hand never"


@pytest.mark.parametrize("name", RUNS)
def test_each_number_comes_from_a_run_of_committed_code(name: str) -> None:
    manifest = json.loads((RESULTS / name / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["git_hash"] and not manifest["git_changed"]
    assert manifest["settings"]["seed"] in (0, 233)
    summary = json.loads((RESULTS / name / "summary.json").read_text(encoding="utf-8"))
    assert summary["judged"] == summary["episodes"] == manifest["tasks"]["episodes"]
