"""Pictures of pages are taken by a real browser, after the run, without scripts and without network."""

import json
from pathlib import Path

import pytest

from personalized_shopping.browsers import find_browser
from personalized_shopping.shared_libraries.trajectory import RenderedPage, Run, RunStart, ToolCall, ToolEnd, ToolStart
from personalized_shopping.shared_libraries.trajectory.finish import finish_session
from personalized_shopping.shared_libraries.trajectory.layout import EXECUTION, SCREENSHOTS
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer

pytestmark = pytest.mark.skipif(find_browser() is None, reason="there is no browser on this machine")

PNG = b"\x89PNG\r\n\x1a\n"
SCRIPT = "<script>document.body.style.background = 'red'</script><img src='https://example.invalid/x.png'>"


def record(root: Path) -> Path:
    run = Run(root, RunStart(app="a", user="u", session="s"), when_over=finish_session)
    run.show({"kind": "search"}, lambda: RenderedPage("search", f"<h1>first</h1>{SCRIPT}", "[heading] first"))
    run.write(ToolCall(step=0, call_id="c", tool="search", arguments={}, action="search[x]"))
    run.write(ToolStart(call_id="c"))
    page = run.show({"kind": "results"}, lambda: RenderedPage("results", "<h1>second</h1>", "[heading] second"))
    run.write(ToolEnd(call_id="c", outcome="done", result={}, page=page))
    run.end("completed")
    records_writer.drain()
    files_writer.drain()
    return run.directory


def test_each_page_has_its_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAJECTORY_SCREENSHOTS", "1")
    directory = record(tmp_path)
    pictures = list((directory / SCREENSHOTS).iterdir())
    assert len(pictures) == 2 and all(path.read_bytes().startswith(PNG) for path in pictures)
    [step] = json.loads((directory / EXECUTION).read_bytes())["steps"]
    before, after = step["screenshot_file"], step["next_state_screenshot_file"]
    assert before != after and step["action_results"][0]["next_state_screenshot_file"] == after
    assert {(directory / name).exists() for name in (before, after)} == {True}
    plain = record(tmp_path / "again")
    assert {path.name for path in (plain / SCREENSHOTS).iterdir()} == {path.name for path in pictures}


def test_without_the_setting_there_is_none(tmp_path: Path) -> None:
    directory = record(tmp_path)
    assert not (directory / SCREENSHOTS).exists()
    [step] = json.loads((directory / EXECUTION).read_bytes())["steps"]
    assert step["screenshot_file"] is None and "next_state_screenshot_file" not in step


def test_a_missing_browser_leaves_the_rest_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TRAJECTORY_SCREENSHOTS", "1")
    monkeypatch.setattr("personalized_shopping.shared_libraries.trajectory.finish.take_missing", _no_browser)
    directory = record(tmp_path)
    assert "No browser" in caplog.text and (directory / EXECUTION).exists()


def _no_browser(_directory: Path) -> int:
    from personalized_shopping.errors import TrajectoryError

    raise TrajectoryError("No browser could be started for screenshots.")
