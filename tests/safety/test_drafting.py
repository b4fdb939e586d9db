"""Policies drawn from a document: each stands on a quotation, and none holds before somebody has read it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from personalized_shopping.errors import ModelError, PolicyError
from personalized_shopping.prompts import load_prompt
from personalized_shopping.shared_libraries.safety.drafting import (
    PART_CHARS,
    PROMPT,
    draft_policies,
    parts_of,
    read_document,
)
from personalized_shopping.shared_libraries.safety.policies import load_policies
from tests.agent.helpers import ScriptedLlm

DOCUMENT = """Purchasing at Acme.

Gifts for customers may cost at most
50 dollars. Knives are never ordered.

The office opens at nine."""
GIFTS = {
    "policy_id": "ACME-GIFTS",
    "name": "Gifts up to $50",
    "policy_description": "Do not buy a gift for more than 50 dollars.",
    "quote": "gifts for customers may cost at most 50 dollars",
    "risk_level": "high",
    "enforcement": "confirm",
}
KNIVES = GIFTS | {"policy_id": "ACME-KNIVES", "quote": "Knives are never ordered.", "enforcement": "block"}


class Model:
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def __call__(self, system: str, question: str) -> str:
        self.asked.append(question)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else json.dumps({"policies": reply})


def test_each_policy_quotes_the_document() -> None:
    draft = draft_policies(DOCUMENT, Model([GIFTS, KNIVES]), load_prompt(PROMPT))
    gifts, knives = draft.policies
    assert (gifts.policy_id, gifts.kind, gifts.enforcement, gifts.reference) == (
        "ACME-GIFTS", "llm", "confirm", [GIFTS["quote"]],
    )  # fmt: skip
    minor = draft_policies(DOCUMENT, Model([GIFTS | {"risk_level": "low"}]), "p").policies[0]
    assert (gifts.weight, minor.weight) == (1.0, 0.3)
    assert knives.enforcement == "block" and draft.problems == ()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ([GIFTS | {"quote": "Gifts may cost at most 80 dollars"}], "not in the document"),
        ([GIFTS | {"quote": " " * 20}], "not in the document"),
        ([GIFTS, KNIVES | {"policy_id": "ACME-GIFTS"}], "ids are taken"),
        ([GIFTS | {"policy_id": "SHOP-BUDGET"}], "ids are taken"),
        ([GIFTS | {"policy_id": "x"}], "form"),
        ([GIFTS | {"enforcement": "shout"}], "form"),
        ("I would rather not.", "no JSON object"),
    ],
)
def test_a_bad_reply_is_mended_once(bad: Any, said: str) -> None:
    model = Model(bad, [KNIVES])
    draft = draft_policies(DOCUMENT, model, "p", taken=frozenset({"SHOP-BUDGET"}))
    assert [policy.policy_id for policy in draft.policies] == ["ACME-KNIVES"]
    assert said in draft.problems[0] and said in model.asked[1]
    assert draft_policies(DOCUMENT, Model(bad, bad), "p", taken=frozenset({"SHOP-BUDGET"})).policies == ()


def test_what_stays_without_a_quotation_is_left_out_alone() -> None:
    bad = [GIFTS | {"quote": "Gifts may cost at most 80 dollars"}, KNIVES]
    draft = draft_policies(DOCUMENT, Model(bad, bad), "p")
    assert [policy.policy_id for policy in draft.policies] == ["ACME-KNIVES"]
    assert "ACME-GIFTS" in draft.problems[0]


def test_a_long_document_is_read_part_by_part() -> None:
    long = "\n\n".join([DOCUMENT, "x" * (PART_CHARS + 5), *["Nothing for the agent here. " * 40] * 30])
    parts = parts_of(long)
    assert "".join(parts) == long and max(map(len, parts)) <= PART_CHARS and len(parts) > 3
    model = Model([GIFTS], ModelError("down"), *[[]] * len(parts))
    done: list[int] = []
    draft = draft_policies(long, model, "p", progress=done.append)
    assert len(draft.policies) == 1 and "down" in draft.problems[0] and done == [1] * len(parts)
    assert '"ACME-GIFTS"' in model.asked[1]


def test_a_draft_does_not_hold_before_it_was_reviewed(tmp_path: Path) -> None:
    made = draft_policies(DOCUMENT, Model([GIFTS]), "p").document(tuple(load_policies().policies.values()))
    file = tmp_path / "policies.json"
    file.write_text(json.dumps(made))
    with pytest.raises(PolicyError, match="is a draft"):
        load_policies(file)
    for unsure in (None, "yes", 1):
        file.write_text(json.dumps(made | {"reviewed": unsure}))
        with pytest.raises(PolicyError, match="is a draft"):
            load_policies(file)
    file.write_text(json.dumps(made | {"reviewed": True}))
    loaded = load_policies(file)
    assert "ACME-GIFTS" in loaded and "SHOP-CONFIRM" in loaded


@pytest.mark.parametrize(("content", "said"), [(b"", "empty"), (b"\xff\xfe\x00a", "UTF-8"), (None, "cannot be read")])
def test_a_document_that_is_none(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "document.md"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PolicyError, match=said):
        read_document(path)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from personalized_shopping import models
    from personalized_shopping.cli.main import shopping

    document, out = tmp_path / "document.md", tmp_path / "policies.json"
    document.write_text(DOCUMENT)
    command = ["guard", "policies", "draft", str(document), "--model", "gemini-2.5-flash", "--out", str(out)]
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "MODEL_API_KEY", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.delenv(name, raising=False)
    keyless = CliRunner().invoke(shopping, command)
    assert keyless.exit_code != 0 and not out.exists()
    reply = json.dumps({"policies": [GIFTS]})
    monkeypatch.setattr(models, "require_key", lambda name: None)
    monkeypatch.setattr(models, "choose_model", lambda name: ScriptedLlm(script=[reply]))
    done = CliRunner().invoke(shopping, command)
    assert done.exit_code == 0 and "1 policy is drafted" in done.stdout, done.output
    written = json.loads(out.read_text())
    assert written["reviewed"] is False and len(written["policies"]) == len(load_policies().policies) + 1
    for wrong in ("/does/not/exist/p.json", str(document)):
        refused = CliRunner().invoke(shopping, [*command[:-1], wrong, "--force"])
        assert refused.exit_code == 2 and "cannot be written" in refused.output
    assert document.read_text() == DOCUMENT
    again = CliRunner().invoke(shopping, command)
    assert again.exit_code == 2 and "--force" in again.output
