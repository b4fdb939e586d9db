"""What stands beside the page: Markdown, CSV, JSON, and which files a run must have."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.report import write_comparison, write_report
from personalized_shopping.evaluation.report.markdown import escaped
from personalized_shopping.evaluation.report.sessions import session_links
from personalized_shopping.evaluation.report.spreadsheet import HEADER, cell
from personalized_shopping.shared_libraries.metrics.compare import compare
from personalized_shopping.shared_libraries.metrics.episode import Episode
from tests.evaluation.report.synthetic import episodes, write_run


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize(("value", "shown"), [("a=1", "a=1"), (-1.5, -1.5), (None, ""), (True, "true"), (0, 0)])
def test_other_cells_stay(value: Any, shown: Any) -> None:
    assert cell(value) == shown


def test_the_csv_holds_a_row_an_episode(tmp_path: Path) -> None:
    played = episodes(40)
    odd = msgspec.structs.replace(played[0], instruction='=HYPERLINK("x")\n"quoted", and more', answer="-2")
    write_report(write_run(tmp_path, [odd, *played[1:]]))
    rows = rows_of(tmp_path / "episodes.csv")
    assert len(rows) == 40 and tuple(rows[0]) == HEADER
    assert rows[0]["instruction"] == "'" + odd.instruction and rows[0]["answer"] == "'-2"
    for row, episode in zip(rows[1:], played[1:], strict=True):
        assert (row["task_id"], float(row["score"]), row["success"]) == (
            episode.task_id,
            episode.score,
            str(episode.success).lower(),
        )
        assert row["actions"] == " | ".join(episode.actions) and row["failure"] == (episode.failure or "")
        assert row["bought_asin"] == (episode.bought.asin if episode.bought else "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b", "a \\| b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[x](y) ![z]", "\\[x\\](y) !\\[z\\]"),
        ("@someone #12 `x` *y* _z_", "&#64;someone \\#12 \\`x\\` \\*y\\* \\_z\\_"),
        ("two\n\nlines", "two lines"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_the_summary_is_short_and_complete(tmp_path: Path) -> None:
    write_report(write_run(tmp_path, episodes(100)))
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("# rule on WebShop goals\n") and len(text) < 6_000
    assert re.search(r"\| Score \| \*\*\d\d\.\d\*\* \| \d\d\.\d to \d\d\.\d \| \d\d\.\d \| ", text)
    assert "rule 45.6 / 9.6 %; average person 75.5 / 50.0 %; expert 82.1 / 59.6 %" in text
    assert "Not counted against the agent: system error" in text
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    for name, number in summary["failures"].items():
        if name != "system_error":
            assert f"| **{name.capitalize().replace('_', ' ')}** | {number} | " in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_equal_episodes_give_equal_files_however_long_they_took(tmp_path: Path) -> None:
    played = episodes(30)
    for name, timed in (("a", True), ("b", False)):
        write_report(write_run(tmp_path / name, played, timed=timed, started_at=name, git_hash=name))
    for file in ("summary.md", "episodes.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    again = (tmp_path / "a" / "report.html").read_bytes()
    write_report(tmp_path / "a")
    assert (tmp_path / "a" / "report.html").read_bytes() == again


def test_a_conversation_run_has_no_published_baseline(tmp_path: Path) -> None:
    write_report(write_run(tmp_path, episodes(14, trials=3, suite="conversations"), model="some/model"))
    page, text = ((tmp_path / name).read_text(encoding="utf-8") for name in ("report.html", "summary.md"))
    assert "Published" not in text and "published results" not in page
    assert 'id="figure-trials"' in page and 'id="figure-by_kind"' in page and "Score against cost" in page
    assert "pass^k: 1: " in text


@pytest.mark.parametrize(
    "played",
    [[], [Episode(task_id="only", status="system_error", failure="system_error")], [Episode(task_id="plain")]],
    ids=["none", "not-judged", "no-class"],
)
def test_odd_runs_have_a_report_too(tmp_path: Path, played: list[Episode]) -> None:
    page = write_report(write_run(tmp_path, played)).read_text(encoding="utf-8")
    unjudged = not any(one.status == "finished" for one in played)
    assert ("No episode came to an end" in page) == unjudged
    assert ("**–**" in (tmp_path / "summary.md").read_text(encoding="utf-8")) == unjudged, "0 would be a result"


def test_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="directory of a finished run"):
        write_report(tmp_path)
    write_run(tmp_path, episodes(2))
    (tmp_path / "episodes.jsonl").write_text('{"task_id": 1}\n', encoding="utf-8")
    with pytest.raises(EvaluationError, match=r"episodes\.jsonl cannot be read"):
        write_report(tmp_path)


def test_a_viewer_elsewhere_is_linked_and_none_is_written(tmp_path: Path) -> None:
    [one] = episodes(1)
    one = msgspec.structs.replace(one, trajectory="trajectories/a b#c-123")
    assert session_links(tmp_path, [one], "../viewer.html#/{session}") == {one.key: "../viewer.html#/a%20b%23c-123"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["../outside", "/outside", "trajectories/../../outside"])
def test_no_session_outside_the_run_is_read(tmp_path: Path, path: str) -> None:
    runs = tmp_path / "outside" / "runs"
    runs.mkdir(parents=True)
    (runs / "log.jsonl").write_text("", encoding="utf-8")
    [one] = episodes(1)
    assert session_links(tmp_path / "run", [msgspec.structs.replace(one, trajectory=path)], None) == {}


def test_a_comparison_in_markdown_and_json(tmp_path: Path) -> None:
    first, second = episodes(60), episodes(50, skill=0.8)
    a, b = write_run(tmp_path / "a", first), write_run(tmp_path / "b", second, settings={"policy": "x|y"})
    comparison = msgspec.to_builtins(compare(first, second, ("rule", "rule")))
    page = write_comparison(a, b, tmp_path / "out" / "c", comparison)
    assert page == tmp_path / "out" / "c" / "comparison.html"
    assert json.loads(page.with_suffix(".json").read_text(encoding="utf-8")) == json.loads(json.dumps(comparison))
    text = page.with_suffix(".md").read_text(encoding="utf-8")
    assert text.startswith("# rule (B) compared with rule (A)\n")
    assert f"{len(comparison['won'])} got better" in text and "| `settings.policy` | rule | x\\|y |" in text
    assert f"Left out: {len(comparison['only_a'])} episodes only in rule (A)." in text
