"""From findings to a decision: risk is a number, and the class of the call decides how much of it is too much."""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from personalized_shopping.shared_libraries.safety.policies import Enforcement, PolicySet
from personalized_shopping.shared_libraries.safety.situation import CallClass, Finding, Situation

Kind = Literal["allow", "block", "confirm", "allow_logged"]
_STRICTEST_FIRST: tuple[tuple[Enforcement, Kind], ...] = (("block", "block"), ("confirm", "confirm"))
THRESHOLDS: dict[CallClass, float] = {"read": 0.8, "reversible": 0.6, "irreversible": 0.4}
"""Risk (0 to 1) from which the world model's findings count against a call. A rule's findings always count."""


class Ruling(Struct, frozen=True, kw_only=True):
    """What is decided about a call, and what the model is told: an id, one sentence and a next step."""

    decision: Kind
    risk_score: float
    threshold: float
    violated_policy_ids: list[str] = []
    """Every policy that something was found about."""
    deciding_policy_ids: list[str] = []
    """Those of them that led to the decision."""
    risk_explanation: str = ""
    sentence: str = ""
    next_step: str = ""
    warnings: list[str] = []
    """What the person should know when they are asked."""

    @property
    def lets_through(self) -> bool:
        """Whether the call is made."""
        return self.decision in ("allow", "allow_logged")

    def answer(self) -> dict[str, Any]:
        """Return what the model gets instead of the tool's answer."""
        policies = ", ".join(self.deciding_policy_ids or self.violated_policy_ids)
        return {
            "status": "blocked_by_policy",
            "policy": policies,
            "error": f"{policies}: {self.sentence}",
            "next_step": self.next_step,
        }


def risk_of(findings: Sequence[Finding], policies: PolicySet) -> float:
    """Return the risk of a call: the largest weight x confidence of what was found."""
    return max((policies[finding.policy_id].weight * finding.confidence for finding in findings), default=0.0)


def rule_on(rules: Sequence[Finding], judged: Sequence[Finding], situation: Situation, policies: PolicySet) -> Ruling:
    """Decide about a call.

    A rule's finding leads to its enforcement. The world model's findings do so where their risk reaches the threshold
    of the call's class; below it, and where a policy only warns, the call is made and logged. What only needs the
    person's yes is settled by a yes to exactly these facts.
    """
    threshold = THRESHOLDS[situation.call_class]
    found = [*rules, *judged]
    heavy = [finding for finding in judged if risk_of([finding], policies) >= threshold]
    answer = situation.agreement
    agreed = answer is not None and answer.confirmed and answer.same_facts
    decision: Kind = "allow_logged" if found else "allow"
    deciding: list[Finding] = []
    for enforcement, kind in _STRICTEST_FIRST:
        if enforcement == "confirm" and agreed:
            continue
        deciding = [finding for finding in (*rules, *heavy) if _enforcement(finding, policies) == enforcement]
        if deciding:
            decision = kind
            break
    told = deciding or found
    return Ruling(
        decision=decision,
        risk_score=round(risk_of(found, policies), 4),
        threshold=threshold,
        violated_policy_ids=list(dict.fromkeys(finding.policy_id for finding in found)),
        deciding_policy_ids=list(dict.fromkeys(finding.policy_id for finding in deciding)),
        risk_explanation="; ".join(f"{finding.policy_id}: {finding.evidence}" for finding in found)[:1_000],
        sentence=told[0].sentence if told else "",
        next_step=told[0].next_step if told else "",
        warnings=[finding.sentence for finding in deciding if finding.policy_id != "SHOP-CONFIRM"],
    )


def _enforcement(finding: Finding, policies: PolicySet) -> Enforcement:
    return finding.enforcement or policies[finding.policy_id].enforcement
