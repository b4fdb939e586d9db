"""`chat`: one question, one answer, alone on standard output."""

import json
import os
import subprocess
import sys

import pytest

from personalized_shopping.cli import adk
from personalized_shopping.cli.chat import _read_answer
from personalized_shopping.cli.exit_codes import ExitCode


@pytest.fixture
def fake_adk(monkeypatch, tmp_path):
    """Put a program in ADK's place that tells what it was given and prints the events that the test chose."""

    def install(events, code=0):
        script = tmp_path / "fake.py"
        lines = ["Log setup complete: /somewhere/agent.log", *(json.dumps(event) for event in events)]
        script.write_text(
            "import json, sys\n"
            f"json.dump([sys.argv[1:], sys.stdin.read()], open({str(tmp_path / 'given.json')!r}, 'w'))\n"
            f"print({chr(10).join(lines)!r})\n"
            f"sys.exit({code})\n"
        )
        monkeypatch.setattr(adk, "command", lambda *arguments: [sys.executable, str(script), *arguments])
        return lambda: json.loads((tmp_path / "given.json").read_text())

    return install


def said(text, **more):
    return {"author": "personalized_shopping_agent", "session_id": "s1", "content": {"parts": [{"text": text}]}, **more}


def called(name, **arguments):
    parts = [{"functionCall": {"name": name, "args": arguments}}]
    return {"author": "personalized_shopping_agent", "session_id": "s1", "content": {"parts": parts}}


HOSTILE = [
    "it's",
    'say "hi"',
    "$5 $(id) `id` ${HOME}",
    "--help",
    "a\nb",
    "'; exit 9 #",
    "x" * 300_000,
    "рубашка",
    "\\n %s",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_the_query_arrives_as_typed(cli, fake_adk, query):
    given = fake_adk([said("Two shirts.")])
    outcome = cli("chat", "--", query)
    assert (outcome.code, outcome.out) == (0, "Two shirts.\n"), outcome.err
    arguments, standard_input = given()
    assert standard_input == query
    assert arguments[0] == "run"
    assert arguments[-2:] == [str(adk.AGENT_DIR), ""]


def test_only_the_answer_is_on_standard_output(cli, fake_adk):
    fake_adk([called("search", keywords="shirt"), said("par", partial=True), said("Here you are.")])
    outcome = cli("chat", "a shirt")
    assert outcome.out == "Here you are.\n"
    assert "search(shirt)" in outcome.err


def test_thoughts_are_not_the_answer(cli, fake_adk):
    thought = {"session_id": "s1", "content": {"parts": [{"text": "hm", "thought": True}, {"text": "Yes."}]}}
    fake_adk([thought])
    assert cli("chat", "a shirt").out == "Yes.\n"


def test_json_is_one_document(cli, fake_adk):
    fake_adk([called("search", keywords="shirt"), said("One."), said("Two.")])
    assert cli("chat", "a shirt", "--json").json == {
        "answer": "One.\n\nTwo.",
        "session": "s1",
        "waiting": False,
        "tools": [{"name": "search", "args": {"keywords": "shirt"}}],
    }


def test_a_confirmation_is_asked_and_has_its_exit_code(cli, fake_adk):
    fake_adk([called("adk_request_confirmation", toolConfirmation={"hint": "Buy it for $9.50?"})], code=2)
    outcome = cli("chat", "buy it", "--session", "s1")
    assert outcome.code == ExitCode.WAITING
    assert outcome.out == "Buy it for $9.50?\n"
    assert "chat --session s1 yes" in outcome.err


def test_a_failed_run_is_an_error(cli, fake_adk):
    fake_adk([], code=1)
    outcome = cli("chat", "a shirt")
    assert (outcome.code, outcome.out) == (ExitCode.FAILED, "")


def test_a_models_error_is_an_error(cli, fake_adk):
    fake_adk([{"session_id": "s1", "errorCode": "429", "errorMessage": "quota is used up"}])
    outcome = cli("chat", "a shirt")
    assert outcome.code == ExitCode.FAILED
    assert "quota is used up" in outcome.err


def test_lines_that_are_no_events_are_passed_over(capsys):
    answer = _read_answer(["Log setup", "{broken\n", json.dumps(said("Hi.")) + "\n"])
    assert answer.text == "Hi."
    assert capsys.readouterr().err == "{broken\n"


@pytest.mark.process
def test_the_real_agent_answers_once(data_dir):
    query = 'a man\'s "cotton" shirt under $30'
    done = subprocess.run(
        [sys.executable, "-m", "personalized_shopping.cli", "chat", "--json", "--", query],
        env={**os.environ, "ADK_DISABLE_LOAD_DOTENV": "1", "DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["answer"].count("$") >= 2
    assert answer["tools"][0]["name"] == "search"
    assert "Log setup" not in done.stdout
    assert "offline/shopper" in done.stderr


def test_adk_asks_nothing_about_telemetry(monkeypatch):
    """On a terminal, ADK's first start asks whether it may send usage data; ours must not."""
    from google.adk.cli import cli_tools_click

    seen = []
    monkeypatch.setattr(cli_tools_click, "read_telemetry_consent", lambda: None)
    monkeypatch.setattr(cli_tools_click, "main", lambda: seen.append(cli_tools_click.read_telemetry_consent()))
    monkeypatch.setattr(sys, "argv", ["adk", "run"])
    with pytest.raises(SystemExit):
        adk.main()
    assert seen == [False]
