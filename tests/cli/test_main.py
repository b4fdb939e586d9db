"""The command itself: help, exit codes, and errors as one line."""

import os
import subprocess
import sys

import pytest

from personalized_shopping.cli.exit_codes import MEANING, ExitCode, code_of
from personalized_shopping.cli.main import VERBS, shopping
from personalized_shopping.errors import (
    CatalogNotFound,
    EngineUnavailable,
    IndexMismatch,
    RecordError,
    SettingError,
    ShoppingError,
)


def test_help_lists_every_verb_and_every_exit_code(cli):
    outcome = cli("--help")
    assert outcome.code == 0
    for verb, (_, line) in VERBS.items():
        assert verb in outcome.out
        assert line in outcome.out
    for code, meaning in MEANING.items():
        assert f"{int(code):>3}  {meaning}" in outcome.out


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_explains_itself(cli, verb):
    outcome = cli(verb, "--help")
    assert outcome.code == 0
    assert outcome.out.startswith(f"Usage: personalized-shopping {verb}")
    assert len(outcome.out.splitlines()) > 5
    assert "\\b" not in outcome.out and "Examples: " not in outcome.out


def test_no_verb_shows_the_help_and_is_a_usage_error(cli):
    outcome = cli()
    assert outcome.code == ExitCode.USAGE
    assert "Verbs:" in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sell"], "there is no verb 'sell'"),
        (["search"], "QUERY"),
        (["search", "   "], "QUERY is empty"),
        (["search", "x", "--top", "0"], "--top"),
        (["search", "x", "--engine", "google"], "google"),
        (["catalog", "build"], "SOURCE"),
        (["catalog", "build", "x.json", "--size", "many"], "'many' is no size"),
        (["catalog", "build", "x.json", "--size", "0"], "'0' is no size"),
        (["catalog", "validate", "x.json", "--map", "title"], "--map wants OURS=THEIRS"),
        (["install", "everything"], "everything"),
        (["convert", "--sizes", "7"], "--sizes knows 100, 1k, 10k, 50k"),
        (["convert", "--reference"], "add --engine lucene"),
        (["chat", ""], "QUERY is empty"),
        (["chat", "--json"], "--json needs a QUERY"),
        (["web", "--port", "70000"], "--port"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(cli, arguments, words):
    outcome = cli(*arguments)
    assert outcome.code == ExitCode.USAGE
    assert words in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == "" or (outcome.json["exit_code"] == 2 and "--json" in arguments)
    assert "Traceback" not in outcome.err


def test_an_error_is_json_too_when_json_is_asked_for(cli, monkeypatch):
    monkeypatch.setenv("CATALOG_PATH", "/does/not/exist")
    outcome = cli("search", "shirt", "--json")
    assert outcome.code == ExitCode.MISSING
    assert outcome.json == {"error": outcome.json["error"], "kind": "CatalogNotFound", "exit_code": 3}
    assert "catalog build" in outcome.json["error"]
    assert outcome.err.startswith("Error: ")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SettingError("x"), ExitCode.USAGE),
        (CatalogNotFound("x"), ExitCode.MISSING),
        (IndexMismatch("x"), ExitCode.MISSING),
        (EngineUnavailable("x"), ExitCode.MISSING),
        (RecordError("x"), ExitCode.FAILED),
        (ShoppingError("x"), ExitCode.FAILED),
    ],
)
def test_each_error_has_its_exit_code(error, code):
    assert code_of(error) is code


def test_a_traceback_only_with_debug(cli, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(shopping, "main", fail)
    plain, debug = cli("settings"), cli("settings", "--debug")
    assert plain.code == debug.code == ExitCode.UNEXPECTED
    assert plain.err == "Error: ZeroDivisionError: a bug (--debug shows where)\n"
    assert "Traceback" in debug.err


def test_ctrl_c_is_quiet(cli, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(shopping, "main", interrupt)
    outcome = cli("settings")
    assert outcome.code == ExitCode.INTERRUPTED
    assert outcome.err == "Interrupted.\n"


def test_what_follows_two_dashes_is_the_persons_text(cli):
    outcome = cli("search", "--json", "--", "--debug", "--json", "shirt")
    assert outcome.code == 0
    assert outcome.json["query"] == "--debug --json shirt"


def test_a_reader_that_leaves_early_hears_no_complaint():
    script = "import sys; from personalized_shopping.cli.main import run; sys.exit(run(['settings', '--json']))"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    assert (process.wait(), errors) == (1, "")


def test_the_dotenv_of_the_directory_counts_and_the_environment_wins(cli, monkeypatch, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / ".env").write_text("SEARCH_ENGINE=lucene\nMODEL_NAME=offline/shopper\n")
    monkeypatch.chdir(tmp_path / "deep")
    monkeypatch.delenv("ADK_DISABLE_LOAD_DOTENV")
    monkeypatch.setenv("MODEL_NAME", "gemini-x")
    monkeypatch.setattr(os, "environ", os.environ.copy())  # what the file sets is forgotten after the test
    values = {entry["name"]: entry["value"] for entry in cli("settings", "--json").json}
    assert values["SEARCH_ENGINE"] == "lucene"
    assert values["MODEL_NAME"] == "gemini-x"


def test_help_imports_no_heavy_package():
    script = (
        "import sys; from personalized_shopping.cli.main import run; run(['--help']);"
        "print([m for m in ('google.adk', 'numpy', 'flask', 'gymnasium') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_the_module_runs_as_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "personalized_shopping.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("personalized-shopping 0.")
