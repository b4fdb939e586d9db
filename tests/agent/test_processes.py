"""ADK's own commands on this agent, as processes and offline."""

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.helpers import CONFIRM, DENIM
from tests.agent.processes import ROOT, Client, Install, checkout, free_port, json_events, parts, wheel

pytestmark = pytest.mark.process

ASK = "a denim jacket for women"


@pytest.fixture
def settings(shop_dir: Path, tmp_path: Path) -> dict[str, str]:
    return {"CATALOG_PATH": str(shop_dir), "DATA_DIR": str(tmp_path / "data"), "MODEL_NAME": "offline/shopper"}


@pytest.fixture(params=["checkout", "wheel"])
def install(request: pytest.FixtureRequest, settings: dict[str, str], tmp_path: Path) -> Install:
    """Return the package from the checkout, and from a wheel where ``WHEEL_PYTHON`` names its interpreter."""
    if request.param == "checkout":
        return checkout(**settings)
    python = os.environ.get("WHEEL_PYTHON")
    if not python:
        pytest.skip("WHEEL_PYTHON names no interpreter with the installed wheel")
    return wheel(python, tmp_path, **settings)


def test_a_conversation_of_four_processes_ends_in_a_purchase(install: Install, tmp_path: Path) -> None:
    stored = ["--session_service_uri", f"sqlite:///{tmp_path}/sessions.db", "--artifact_service_uri", "memory://"]

    def say(text: str) -> tuple[int, list[dict[str, object]]]:
        done = install.adk("run", *stored, "--jsonl", "--session_id", "s1", install.agent_dir, text)
        assert done.returncode in (0, 2), done.stderr
        return done.returncode, json_events(done.stdout)

    _, found = say(ASK)
    assert "$49.90" in parts(found, "text")[-1]
    _, opened = say("the first one")
    assert [response["response"]["page"] for response in parts(opened, "functionResponse")][-1] == "item"
    code, asked = say("dark blue, small, buy it")
    if code != 2:
        code, asked = say("buy it")
    assert code == 2, parts(asked, "text")
    [question] = [called for called in parts(asked, "functionCall") if called["name"] == CONFIRM]
    assert "dark blue" in question["args"]["toolConfirmation"]["hint"]
    code, bought = say("yes")
    assert code == 0
    [answer] = [response["response"] for response in parts(bought, "functionResponse") if response["name"] == "click"]
    assert answer["purchased"] is True and answer["product"]["asin"] == DENIM


def test_one_shot_prints_the_answer_alone(install: Install) -> None:
    done = install.adk("run", "--in_memory", install.agent_dir, "jackets for $49.90 or less, 'denim'")
    assert done.returncode == 0, done.stderr
    answer = [line for line in done.stdout.splitlines() if "log" not in line.lower()]
    assert sum("$" in line for line in answer) >= 2
    assert "Traceback" not in done.stderr


def test_piped_conversation(settings: dict[str, str]) -> None:
    typed = f"{ASK}\nthe first one\nexit\n"
    done = checkout(**settings).adk("run", "--in_memory", "personalized_shopping", typed=typed)
    assert done.returncode == 0, done.stderr
    assert "$49.90" in done.stdout and "First point" in done.stdout


def shop_over_http(client: Client) -> None:
    """Search, open, choose, buy; two shoppers at once, one of them streamed."""
    client.open("s1")
    client.open("s2")
    client.run("s1", ASK)
    other = client.run("s2", "red jacket for men", stream=True)
    assert any(event.get("partial") for event in other)
    opened = client.run("s1", "the first one")
    read = [response["response"] for response in parts(opened, "functionResponse")][-1]
    assert read["skill"] == "gather_product_info" and read["ok"] is True
    assert set(read["evidence"]["content"]) == {"Description", "Features", "Reviews"}
    asked = client.run("s1", "dark blue, small") + client.run("s1", "buy it")
    questions = [called for called in parts(asked, "functionCall") if called["name"] == CONFIRM]
    assert questions and DENIM in questions[-1]["args"]["toolConfirmation"]["hint"]
    yes = {"functionResponse": {"id": questions[-1]["id"], "name": CONFIRM, "response": {"confirmed": True}}}
    bought = client.run("s1", yes)
    [answer] = [response["response"] for response in parts(bought, "functionResponse") if response["name"] == "click"]
    assert answer["purchased"] is True
    assert client.session("s1")["state"]["shop"][0]["kind"] == "done"
    assert client.session("s2")["state"]["shop"][0]["kind"] == "results"
    names = client.get("/apps/personalized_shopping/users/u/sessions/s1/artifacts")
    assert sorted(names) == ["page.html", "page.svg"]
    drawing = client.get("/apps/personalized_shopping/users/u/sessions/s1/artifacts/page.svg")
    data = drawing["inlineData"]["data"].replace("-", "+").replace("_", "/")
    assert b"Thank you" in base64.b64decode(data)


@pytest.fixture
def memory() -> list[str]:
    return ["--session_service_uri", "memory://", "--artifact_service_uri", "memory://"]


def test_adk_web_from_the_root_lists_one_app_and_sells(settings: dict[str, str], memory: list[str]) -> None:
    port = free_port()
    arguments = ["-m", "google.adk.cli", "web", "--port", str(port), *memory]
    with checkout(**settings).serve(*arguments, port=port) as client:
        assert client.get("/list-apps") == ["personalized_shopping"]
        shop_over_http(client)
        client.open("s3")
        picture = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(b"\x89PNG").decode()}}
        seen = parts(client.run("s3", "like this", picture), "text")
        assert "picture" in " ".join(seen) or "image" in " ".join(seen)


def test_api_server_from_the_root_lists_one_app(settings: dict[str, str], memory: list[str]) -> None:
    port = free_port()
    arguments = ["-m", "google.adk.cli", "api_server", "--port", str(port), *memory]
    with checkout(**settings).serve(*arguments, port=port) as client:
        assert client.get("/list-apps") == ["personalized_shopping"]
        client.open("s1")
        assert "$49.90" in parts(client.run("s1", ASK), "text")[-1]


@pytest.fixture
def served(install: Install, tmp_path: Path) -> Iterator[Client]:
    port = free_port()
    stores = {"SESSION_SERVICE_URI": f"sqlite:///{tmp_path}/s.db", "ARTIFACT_SERVICE_URI": f"file://{tmp_path}/a"}
    with install.serve("-m", "personalized_shopping.server", port=port, PORT=str(port), **stores) as client:
        yield client


def test_our_server_sells_and_keeps_its_sessions(served: Client, tmp_path: Path) -> None:
    assert served.get("/healthz") == {"status": "ok"}
    assert served.get("/list-apps") == ["personalized_shopping"]
    shop_over_http(served)
    assert (tmp_path / "s.db").stat().st_size > 0
    assert list((tmp_path / "a").rglob("page.svg*"))


@pytest.mark.parametrize(
    ("env", "words"),
    [({"CATALOG_PATH": "/nowhere/at/all"}, "/nowhere/at/all"), ({"PORT": "eighty"}, "PORT is 'eighty'")],
    ids=["catalogue", "port"],
)
def test_a_server_that_cannot_start_says_why_in_one_line(
    env: dict[str, str], words: str, settings: dict[str, str]
) -> None:
    done = checkout(**settings).run("-m", "personalized_shopping.server", **env)
    assert done.returncode == 1
    assert words in done.stderr and "Traceback" not in done.stderr


def test_adk_eval_passes_offline(settings: dict[str, str]) -> None:
    pytest.importorskip("rouge_score", reason="google-adk[eval] is an extra")
    done = checkout(**settings | {"CATALOG_PATH": ""}).adk(
        "eval",
        "personalized_shopping",
        "eval/basic.evalset.json",
        "--config_file_path",
        "eval/test_config.json",
        "--print_detailed_results",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    cases = json.loads((ROOT / "eval/basic.evalset.json").read_text(encoding="utf-8"))["eval_cases"]
    assert f"Tests passed: {len(cases)}" in done.stdout
    assert "NOT_EVALUATED" not in done.stdout


def test_adk_test_replays_the_recorded_session(settings: dict[str, str]) -> None:
    # Where the virtual environment lies in the checkout, pytest reads our settings for ADK's tests too.
    done = checkout(**settings).adk("test", "tests/agent/replays", "--", "-W", "default")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "1 passed" in done.stdout
