"""Logs of the website become sessions: the actions behind the pages, the purchase, and what cannot be read."""

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalized_shopping.cli.main import run
from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import execution_trajectory, read_session
from personalized_shopping.shared_libraries.trajectory.execution import SCHEMA_FILE
from personalized_shopping.shared_libraries.trajectory.exports import FORMATS, export_session
from personalized_shopping.shared_libraries.trajectory.layout import EXECUTION, session_dirs
from personalized_shopping.shared_libraries.trajectory.replay import replay
from personalized_shopping.shared_libraries.trajectory.replay_source import from_session
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory
from personalized_shopping.shared_libraries.trajectory.user_log_actions import way
from personalized_shopping.shared_libraries.trajectory.user_logs import import_user_log
from personalized_shopping.shared_libraries.trajectory.viewer import write_viewer
from personalized_shopping.shared_libraries.web_agent_site.app import create_site
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import DENIM, products
from tests.web_agent_site.site.browser import follow, press

BASE = "http://localhost:3000"
GOAL = {"asin": "B01", "instruction_text": "a red shirt", "goal_options": ["red"], "attributes": []}
WORDS = "['red', 'shirt']"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> SimServer:
    return SimServer(files=build_shop(products(), tmp_path_factory.mktemp("shop") / "catalog"))


def index() -> dict[str, Any]:
    return {"page": "index", "url": f"{BASE}/abc", "goal": GOAL}


def results(page: int = 1, words: tuple[str, ...] = ("red", "shirt")) -> dict[str, Any]:
    content = {"keywords": list(words), "search_result_asins": ["B01", "B02"], "page": page}
    return {
        "page": "search_results",
        "url": f"{BASE}/search_results/abc/{WORDS}/{page}",
        "goal": GOAL,
        "content": content,
    }


def item(asin: str = "B01", *, sub: str = "", page: str = "1", **options: str) -> dict[str, Any]:
    name = "item_sub_page" if sub else "item_page"
    url = f"{BASE}/{name}/abc/{asin}/{WORDS}/{page}/{f'{sub}/' if sub else ''}{options}"
    content = {"keywords": WORDS, "page": page, "asin": asin, "options": options}
    return {"page": name, "url": url, "goal": GOAL, "content": content}


def done(asin: str = "B01", reward: float = 0.75, **options: str) -> dict[str, Any]:
    content = {"asin": asin, "options": options, "price": 9.5}
    score = {"reward": reward, "reward_info": {"r_type": 1.0}}
    return {"page": "done", "url": f"{BASE}/done/abc/{asin}/{options}", "goal": GOAL, "content": content, **score}


def imported(tmp_path: Path, *lines: dict[str, Any] | str, name: str = "abc") -> SessionTrajectory:
    path = tmp_path / f"{name}.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return read_session(import_user_log(path, tmp_path / "t"))


def texts(session: SessionTrajectory) -> list[str]:
    return [action.text for action in session.actions]


def test_a_published_log(tmp_path: Path) -> None:
    session = imported(
        tmp_path,
        index(),
        results(),
        results(2),
        results(),
        item("B02"),
        results(),
        item(),
        item(size="x / l"),
        item(size="x / l", color="red"),
        item(sub="Features", size="x / l", color="red"),
        item(size="x / l", color="red"),
        done(size="x / l", color="red"),
    )
    assert texts(session) == [
        "search[red shirt]",
        "click[Next >]",
        "click[< Prev]",
        "click[B02]",
        "click[< Prev]",
        "click[B01]",
        "click[x / l]",
        "click[red]",
        "click[Features]",
        "click[< Prev]",
        "click[Buy Now]",
    ]
    assert (session.start.source, session.start.agent, session.status) == ("gymnasium", "person", "completed")
    assert session.instruction == "a red shirt" and session.goal == GOAL and session.goal_kind == "human"
    assert len(session.steps) == 11 and session.reward == 0.75
    assert [action.reward for action in session.actions] == [0.0] * 10 + [0.75]
    bought = session.actions[-1]
    assert bought.purchase == {
        "asin": "B01",
        "title": None,
        "options": {"size": "x / l", "color": "red"},
        "price": "$9.5",
    }
    assert bought.done and bought.irreversible and bought.info == {"reward_info": {"r_type": 1.0}}
    assert session.actions[0].result["search_result_asins"] == ["B01", "B02"]
    kinds = [page.kind for _, page in sorted(session.pages.items())]
    assert kinds[:5] == ["search", "results", "results", "results", "item"] and kinds[-1] == "done"
    assert not any(action.info.get("inferred") for action in session.actions)


def test_ways_that_are_no_single_click(tmp_path: Path) -> None:
    session = imported(
        tmp_path,
        index(),
        index(),
        results(),
        item("B01", color="red"),
        item("B02", color="red"),
        item("B02", sub="Reviews", color="red"),
        item("B02", sub="description", color="red"),
        results(3),
        item("B02", page="3"),
        item("B02", page="3"),
        index(),
        item("B02", size="s"),
    )
    assert texts(session)[1:] == [
        "click[B01]",
        "click[red]",
        "click[< Prev]",
        "click[B02]",
        "click[red]",
        "click[Reviews]",
        "click[< Prev]",
        "click[Description]",
        "click[< Prev]",
        "click[< Prev]",
        "click[Next >]",
        "click[Next >]",
        "click[B02]",
        "click[Back to Search]",
        "search[red shirt]",
        "click[B02]",
        "click[s]",
    ]
    inferred = [action.text for action in session.actions if action.info.get("inferred")]
    assert inferred == [
        "click[B01]",
        "click[< Prev]",
        "click[B02]",
        "click[< Prev]",
        "click[< Prev]",
        "click[< Prev]",
        "click[Next >]",
        "search[red shirt]",
        "click[B02]",
    ]
    assert session.status == "cancelled" and session.reward == 0.0


def test_no_way_at_all(tmp_path: Path) -> None:
    session = imported(tmp_path, index(), results(1_000), done("B09"), results(), item(), done(), done(), index())
    assert texts(session) == [
        f"open[/search_results/{session.runs[0].run_id}/red+shirt/1000]",
        f"open[/done/{session.runs[0].run_id}/B09/{{}}]",
        "click[B01]",
        "click[Buy Now]",
    ]
    assert [run.status for run in session.runs] == ["completed", "completed", "cancelled"]
    assert len({action.call_id for action in session.actions}) == 4


def test_what_was_chosen_is_not_taken_back_and_long_ways_begin_anew(tmp_path: Path) -> None:
    session = imported(tmp_path, item(color="red"), item(), results(9), results(), item(page="2", size="s"))
    assert texts(session) == [
        *("click[< Prev]", "click[B01]"),
        *("click[< Prev]", *["click[Next >]"] * 8),
        "search[red shirt]",
        *("click[Next >]", "click[B01]", "click[s]"),
    ]


@pytest.mark.parametrize("seed", range(8))
def test_ways_lead_where_they_say(server: SimServer, seed: int) -> None:
    """Walk through the shop at random, forget most of the pages, and find the way between the others."""
    rng, shop = random.Random(seed), server.shop
    here = shop.start()
    seen = [here]
    for _ in range(60):
        labels = [label for label in shop.page(here).clickables if label not in ("search", "buy now")]
        search = not labels or rng.random() < 0.1
        action = Search(rng.choice(["denim jacket", "shirt"])) if search else Click(rng.choice(labels))
        here = shop.step(here, action).session
        seen.append(here)
    for before, after in pairwise([page for page in seen if rng.random() < 0.4]):
        actions = way(before, after)
        assert actions is not None
        here = before
        for action in actions:
            step = shop.step(here, action)
            assert step.is_valid, (before, after, actions, action)
            here = step.session
        assert place(here) == place(after)


def place(session: ShopSession) -> tuple[object, ...]:
    return session.kind, session.keywords, session.page_number, session.asin, session.options


def test_a_log_that_our_website_wrote(server: SimServer, tmp_path: Path) -> None:
    site = create_site(server=server, log_dir=tmp_path, allow_chosen_ids=True)
    client = site.test_client()
    follow(client, "/fixed_0")
    html = press(client, follow(client, "/fixed_0", "post", {"search_query": "denim jacket"}), DENIM.lower())
    html = press(client, press(client, press(client, html, "small"), "description"), "< prev")
    press(client, html, "buy now")
    log = tmp_path / "user_session_logs" / "mturk" / "fixed_0.jsonl"
    session = read_session(import_user_log(log, tmp_path / "t"))
    assert texts(session) == [
        "search[denim jacket]",
        f"click[{DENIM}]",
        "click[small]",
        "click[Description]",
        "click[< Prev]",
        "click[Buy Now]",
    ]
    assert session.goal == server.goals[0] and session.instruction == server.goals[0]["instruction_text"]
    again = replay(from_session(session), server.shop)
    assert again.difference is None
    twin = WebAgentTextEnv("text", server=server)
    twin.reset(options={"session": 0})
    assert [twin.step(text)[1] for text in texts(session)][-1] == session.reward
    jsonschema.validate(execution_trajectory(session), json.loads(SCHEMA_FILE.read_bytes()))
    assert (session.directory / EXECUTION).exists()
    sizes = {name: export_session(session, name, tmp_path / f"export.{name}").stat().st_size for name in FORMATS}
    assert sizes.pop("choices") == 0, "the log has no texts of pages, so nobody knows what else could be clicked"
    assert min(sizes.values()) > 500
    assert "small" in write_viewer([session.directory], tmp_path / "viewer.html").read_text(encoding="utf-8")


def test_a_log_is_imported_once_and_a_longer_one_anew(tmp_path: Path) -> None:
    for _ in range(2):
        imported(tmp_path, index(), results())
    assert len(session_dirs(tmp_path / "t")) == 1
    session = imported(tmp_path, index(), results(), item())
    assert len(session.runs) == 1 and len(session_dirs(tmp_path / "t")) == 2


BAD = [
    "{",
    "[]",
    "null",
    '{"page": "index", "goal": 7}',
    '{"page": "checkout", "url": "x"}',
    '{"page": "item_page", "content": {"keywords": "red", "page": "one", "asin": "B01", "options": {}}}',
    '{"page": "item_page", "content": {"keywords": "red", "page": "1", "options": {}}}',
    '{"page": "item_sub_page", "url": "http://x/", "content": {"asin": "B01"}}',
    '{"page": "item_sub_page", "url": "/item_sub_page/s/B01/red/1/Price/{}", "content": {"asin": "B01"}}',
    '{"page": "item_page", "content": {"asin": "B01", "options": {"color": ["red"]}}}',
    "[" * 100_000,
    "\x1b[2J\x00",
]


def test_bad_lines_are_named_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    session = imported(tmp_path, index(), *BAD, "", results())
    assert texts(session) == ["search[red shirt]"] and len(caplog.messages) == len(BAD)
    for number, message in enumerate(caplog.messages, start=2):
        assert f"line {number} is left out" in message and len(message) < 600


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["page", "url", "content", "goal", "keywords", "asin"]), min_size=1, max_size=2), st.data()
)
def test_any_value_anywhere(tmp_path: Path, names: list[str], data: st.DataObject) -> None:
    line = item(sub="Features", color="red")
    values = st.none() | st.text(max_size=9) | st.integers() | st.floats() | st.lists(st.text(max_size=3), max_size=2)
    for name in names:
        (line["content"] if name in ("keywords", "asin") and "content" not in names else line)[name] = data.draw(values)
    session = imported(tmp_path, index(), results(), line, name="any")
    assert texts(session)[0] == "search[red shirt]"
    export_session(session, "messages", tmp_path / "any.out")


def test_what_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match="cannot be read"):
        import_user_log(tmp_path / "missing.jsonl", tmp_path / "t")
    (tmp_path / "empty.jsonl").write_bytes(b"\xff\xfe\n\n")
    with pytest.raises(TrajectoryError, match="no page view"):
        import_user_log(tmp_path / "empty.jsonl", tmp_path / "t")
    (tmp_path / "t").write_text("a file where the directory should be")
    with pytest.raises(TrajectoryError, match="could not be written"):
        imported(tmp_path, index(), results())


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TRAJECTORY_DIR", str(tmp_path / "t"))
    log = tmp_path / "abc.jsonl"
    log.write_text("\n".join(map(json.dumps, [index(), results(), item(), done()])) + "\n{\x1b[2J\n")
    (tmp_path / "none.jsonl").write_text("")
    assert run(["trajectory", "import", str(log), str(tmp_path / "none.jsonl")]) == 1
    captured = capfd.readouterr()
    assert "line 5 is left out" in captured.err and "no page view" in captured.err and "\x1b" not in captured.err
    [directory] = captured.out.split()
    assert run(["trajectory", "show", directory]) == 0
    shown = capfd.readouterr().out
    assert "click[Buy Now]" in shown and "0.75" in shown
    assert run(["trajectory", "list", "--json"]) == 0
    [listed] = json.loads(capfd.readouterr().out)
    assert (listed["source"], listed["reward"], listed["instruction"]) == ("gymnasium", 0.75, "a red shirt")
    assert run(["trajectory", "import", str(log)]) == 0
