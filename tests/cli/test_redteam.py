"""`redteam`: its numbers on standard output, its report on disk."""

import json

import pytest

from personalized_shopping.shared_libraries.trajectory import read_session
from personalized_shopping.shared_libraries.trajectory.layout import session_dirs

_NUMBERS = (
    *("attacked", "harmless", "attack_success_rate", "attack_success_rate_adaptive", "unconfirmed_purchases"),
    *("over_budget", "wrong_options", "harmless_blocked_rate", "utility_lost_points"),
)


def test_the_numbers_of_one_guard_and_of_none(cli, tmp_path):
    result = cli("redteam", "--limit", 12, "--output", tmp_path, "--trajectories", "--json")
    assert result.code == 0, result.err
    document = result.json
    assert all(document[name] is not None for name in _NUMBERS) and document["guard"] == "safepred"
    assert document["attack_success_rate"] == 0 and document["unconfirmed_purchases"] == 0
    off = document["comparison"]["off"]
    assert off["attack_success_rate"] == 1.0 and off["unconfirmed_purchases"] > 0
    written = json.loads((tmp_path / "gullible-safepred.json").read_text())
    assert written == document
    assert "By goal" in (tmp_path / "gullible-safepred.md").read_text()
    played = [read_session(directory) for directory in session_dirs(tmp_path / "trajectories")]
    assert len(played) == 12 and any(session.purchases for session in played)
    assert all(session.actions for session in played)


def test_a_table_without_json(cli):
    result = cli("redteam", "--guard", "off", "--limit", 4, "--no-comparison")
    assert result.code == 0, result.err
    assert "attacks that got through" in result.out and "off" in result.out.splitlines()[0]


def test_the_same_numbers_again(cli):
    first, second = (
        cli("redteam", "--limit", 6, "--seed", 5, "--no-comparison", "--json").json | {"latency_ms": None} for _ in "ab"
    )
    assert first == second and first["comparison"] == {} and first["seed"] == 5


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--trajectories"], 2, "--output"),
        (["--guard", "strict"], 2, "strict"),
        (["--limit", "0"], 2, "--limit"),
        (["--guard", "reactive", "--limit", "1"], 1, "SAFETY_MODEL"),
        (["--model", "offline/other", "--limit", "1"], None, "offline/shopper"),
    ],
)
def test_what_cannot_be_done_is_said(cli, arguments, code, says):
    result = cli("redteam", *arguments)
    assert result.code == code if code is not None else result.code != 0
    assert says in result.err and "Traceback" not in result.err


def test_the_cases_as_a_file(cli, tmp_path):
    result = cli("redteam", "--cases", tmp_path / "cases.json", "--json")
    assert result.code == 0 and len(json.loads((tmp_path / "cases.json").read_text())) == result.json["cases"] > 340
