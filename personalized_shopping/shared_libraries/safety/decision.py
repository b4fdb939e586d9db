"""From findings to a decision: risk is a number, and the class of the call decides how much of it is too much."""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from personalized_shopping.shared_libraries.safety.policies import Enforcement, PolicySet
from personalized_shopping.shared_libraries.safety.situation import CallClass, Finding

Kind = Literal["allow", "block", "confirm", "allow_logged"]
THRESHOLDS: dict[CallClass, float] = {"read": 0.8, "reversible": 0.6, "irreversible": 0.4}
"""Risk (0 to 1) from which the world model's findings count against a call. A rule's findings always count."""


class Ruling(Struct, frozen=True, kw_only=True):
    """What is decided about a call, and what the model is told: an id, one sentence and a next step."""

    decision: Kind
    risk_score: float
    threshold: float
    violated_policy_ids: list[str] = []
    risk_explanation: str = ""
    sentence: str = ""
    next_step: str = ""

    @property
    def lets_through(self) -> bool:
        """Whether the call is made."""
        return self.decision in ("allow", "allow_logged")

    def answer(self) -> dict[str, Any]:
        """Return what the model gets instead of the tool's answer."""
        policies = ", ".join(self.violated_policy_ids)
        return {
            "status": "blocked_by_policy",
            "policy": policies,
            "error": f"{policies}: {self.sentence}",
            "next_step": self.next_step,
        }


def risk_of(findings: Sequence[Finding], policies: PolicySet) -> float:
    """Return the risk of a call: the largest of weight x confidence over what was found."""
    return max((policies[finding.policy_id].weight * finding.confidence for finding in findings), default=0.0)


def rule_on(rules: Sequence[Finding], judged: Sequence[Finding], call_class: CallClass, policies: PolicySet) -> Ruling:
    """Decide about a call.

    A rule's finding leads to its enforcement. The world model's findings do so where their risk reaches the threshold of
    the call's class; below it, and where a policy only warns, the call is made and logged.
    """
    threshold = THRESHOLDS[call_class]
    risk = risk_of([*rules, *judged], policies)
    heavy = [f for f in judged if policies[f.policy_id].weight * f.confidence >= threshold]
    counting = [*rules, *heavy]
    decision: Kind = "allow_logged" if rules or judged else "allow"
    deciding: list[Finding] = []
    for enforcement in ("block", "confirm"):
        deciding = [finding for finding in counting if _enforcement(finding, policies) == enforcement]
        if deciding:
            decision = "block" if enforcement == "block" else "confirm"
            break
    told = deciding or [*rules, *judged]
    return Ruling(
        decision=decision,
        risk_score=round(risk, 4),
        threshold=threshold,
        violated_policy_ids=list(dict.fromkeys(finding.policy_id for finding in [*rules, *judged])),
        risk_explanation="; ".join(f"{finding.policy_id}: {finding.evidence}" for finding in [*rules, *judged])[:1_000],
        sentence=told[0].sentence if told else "",
        next_step=told[0].next_step if told else "",
    )


def _enforcement(finding: Finding, policies: PolicySet) -> Enforcement:
    return finding.enforcement or policies[finding.policy_id].enforcement
