"""`settings` and `.env.example` say what config.py says."""

from pathlib import Path

import pytest

from personalized_shopping.cli.settings import env_file
from personalized_shopping.config import SETTINGS, check_settings, choices
from personalized_shopping.shared_libraries.safety.guard import SYSTEMS

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_names_every_variable_and_sets_none():
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == env_file() + "\n", (
        "refresh it: personalized-shopping settings --env > .env.example"
    )
    assert all(not line or line.startswith("#") for line in env_file().splitlines())


def test_the_table_shows_every_setting(cli):
    outcome = cli("settings")
    assert outcome.code == 0
    for setting in SETTINGS:
        assert setting.name in outcome.out
        assert setting.meaning in outcome.out


def test_no_secret_is_shown(cli, monkeypatch):
    for setting in SETTINGS:
        if setting.secret:
            monkeypatch.setenv(setting.name, "s3cr3t-value")
    for arguments in ([], ["--json"], ["--markdown"], ["--env"]):
        assert "s3cr3t-value" not in cli("settings", *arguments).out
    shown = {entry["name"]: entry for entry in cli("settings", "--json").json}
    assert shown["GOOGLE_API_KEY"]["value"] == "(set)"
    assert shown["GOOGLE_API_KEY"]["set"] is True


def test_markdown_has_a_row_for_each(cli):
    rows = cli("settings", "--markdown").out.splitlines()
    assert len(rows) == len(SETTINGS) + 2
    assert all(row.startswith("| ") and row.endswith(" |") for row in rows)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SAFETY_SYSTEM", "foo", "safepred, harmonyguard"),
        ("SKILLS_MODE", "foo", "tools, toolset, off"),
        ("NOUN_TAGGER", "x", "builtin"),
        ("NUM_PRODUCTS", "abc", "50000"),
        ("SAFETY_TOKEN_BUDGET", "x", "whole number"),
        ("TRAJECTORY_KEEP_DAYS", "0", "whole number"),
        ("TRAJECTORY_REQUIRED", "perhaps", "neither on nor off"),
    ],
)
def test_a_wrong_setting_is_told_before_the_agent_starts(cli, monkeypatch, name, value, says):
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("SKILL_RUNTIME", "java")
    outcome = cli("chat", "hello")
    assert outcome.code == 2
    assert name in outcome.err and says in outcome.err and "SKILL_RUNTIME is 'java'" in outcome.err


def test_the_guards_systems_are_those_of_the_setting():
    assert choices("SAFETY_SYSTEM") == SYSTEMS


def test_every_default_can_be_used(monkeypatch):
    for known in SETTINGS:
        monkeypatch.delenv(known.name, raising=False)
    check_settings()
