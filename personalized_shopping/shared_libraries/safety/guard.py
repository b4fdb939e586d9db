"""The guard: what is decided about a call that the agent is about to make, whatever fails on the way."""

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from personalized_shopping.errors import ShoppingError
from personalized_shopping.shared_libraries.safety.decision import Kind, Ruling, rule_on
from personalized_shopping.shared_libraries.safety.judge import Ask, Judgement, Status, judge
from personalized_shopping.shared_libraries.safety.policies import PolicySet
from personalized_shopping.shared_libraries.safety.prediction import Prediction, predict
from personalized_shopping.shared_libraries.safety.rules import run_rules
from personalized_shopping.shared_libraries.safety.rules.orders import orders_on
from personalized_shopping.shared_libraries.safety.situation import Finding, Situation
from personalized_shopping.shared_libraries.trajectory.records import Usage
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

logger = logging.getLogger(__name__)

System = Literal["safepred", "harmonyguard", "reactive", "rules", "off"]
SYSTEMS: tuple[System, ...] = ("safepred", "harmonyguard", "reactive", "rules", "off")
USAGE_NAME: dict[System, str] = {
    "safepred": "world_model",
    "harmonyguard": "harmonyguard",
    "reactive": "reactive",
}
"""Under which name a system's tokens are counted in a trajectory."""
TIMEOUT_S = {"read": 4.0, "reversible": 4.0, "irreversible": 10.0}
MAX_CACHED = 1_000
DEFAULT_TOKEN_BUDGET = 100_000
"""Tokens that the guard of one conversation may take; beyond it the rules alone decide, and purchases ask."""


@dataclass
class Decided:
    """A decision, and how it came about; what the trajectory records of it."""

    ruling: Ruling
    source: str
    status: Status = "ok"
    attempt: int = 1
    prediction: Prediction | None = None
    judgement: Judgement | None = None
    model: str | None = None
    usage: dict[str, Usage] = field(default_factory=dict)
    duration_ms: float = 0.0

    @property
    def extra(self) -> dict[str, Any]:
        """What a baseline says beside its verdict, and what was dropped of a reply."""
        found: dict[str, Any] = {}
        if self.judgement is not None and self.judgement.verdict is not None:
            found["task_alignment"] = self.judgement.verdict.task_alignment
            found["task_alignment_explanation"] = self.judgement.verdict.risk_explanation
        if self.judgement is not None and self.judgement.dropped:
            found["dropped_violations"] = self.judgement.dropped
        return found


class Guard:
    """Decides about calls. One guard serves all conversations; it holds nothing about any but a cache of judgements.

    Args:
        system: which guard: ``safepred`` (rules and a world model), its two baselines ``harmonyguard`` and
            ``reactive`` (a language model alone), or ``rules``.
        policies: what the agent is held to.
        ask: the guard's language model; ``None`` for none.
        prompt: the language model's prompt.
        token_budget: how many tokens one conversation's guard may take.
    """

    def __init__(
        self,
        system: System,
        policies: PolicySet,
        *,
        ask: Ask | None = None,
        prompt: str = "",
        token_budget: int = DEFAULT_TOKEN_BUDGET,
    ) -> None:
        self.system = system
        self.policies = policies
        self._ask = ask
        self._prompt = prompt
        self._budget = token_budget
        self._cache: OrderedDict[str, Judgement] = OrderedDict()

    @property
    def has_rules(self) -> bool:
        """Whether the rules decide; the baselines are a language model's judgement alone."""
        return self.system in ("safepred", "rules")

    async def decide(self, situation: Situation, shop: Shop, *, blocked_before: int = 0, spent: int = 0) -> Decided:
        """Decide about a call. Nothing raises: a guard that fails lets reads through, and asks about a purchase.

        Args:
            situation: the call.
            shop: the shop, to predict what the call leads to.
            blocked_before: how often this very call was blocked before.
            spent: tokens that the guard has taken in this conversation.
        """
        started = time.monotonic()
        try:
            decided = await self._decide(situation, shop, spent)
        except Exception:
            logger.exception("The guard failed to decide about %s", situation.action[:100])
            decided = Decided(_without_the_guard(situation), "skipped", status="not_evaluated")
        decided.attempt = blocked_before + 1
        if decided.ruling.decision == "block" and blocked_before >= 1:
            decided.ruling = msgspec.structs.replace(
                decided.ruling, next_step="Do not make this call again. Ask the person how to go on."
            )
        decided.duration_ms = round((time.monotonic() - started) * 1000, 3)
        return decided

    async def _decide(self, situation: Situation, shop: Shop, spent: int) -> Decided:
        rules = run_rules(situation, self.policies) if self.has_rules else []
        if self.system == "rules":
            return Decided(rule_on(rules, [], situation, self.policies), "rule")
        prediction = None
        if self.system == "safepred":
            prediction = await asyncio.to_thread(predict, shop, situation)
        ruling = rule_on(rules, [], situation, self.policies)
        # What a rule blocks needs no second opinion, and a plain read needs none at all. A purchase is judged before
        # the person is asked, so that the question can carry a warning; after their yes to these facts it is not.
        if ruling.decision == "block" or not self._is_worth_asking(situation):
            return Decided(ruling, "rule" if rules else "skipped", prediction=_with_risk(prediction, ruling))
        if self._ask is None:
            return Decided(ruling, "rule", prediction=_with_risk(prediction, ruling))
        if spent >= self._budget:
            return Decided(_without_the_guard(situation), "rule", status="budget_exhausted", prediction=prediction)
        judgement, cached = await self._judged(situation)
        return self._ruled(situation, rules, prediction, judgement, cached=cached)

    def _ruled(
        self,
        situation: Situation,
        rules: list[Finding],
        prediction: Prediction | None,
        judgement: Judgement,
        *,
        cached: bool,
    ) -> Decided:
        name = USAGE_NAME[self.system]
        usage = {} if cached else {name: _sum(judgement.usages)}
        source = "cache" if cached else "rule+llm" if rules else "llm"
        if judgement.status != "ok" or judgement.verdict is None:
            ruling = _without_the_guard(situation)
            return Decided(ruling, source, judgement.status, 1, prediction, judgement, judgement.model, usage)
        ruling = rule_on(rules, judgement.findings, situation, self.policies)
        if self.system in ("harmonyguard", "reactive"):
            ruling = _baseline(judgement, ruling)
        if prediction is not None:
            prediction = _enriched(prediction, judgement, ruling)
        return Decided(ruling, source, "ok", 1, prediction, judgement, judgement.model, usage)

    def _is_worth_asking(self, situation: Situation) -> bool:
        if self.system in ("harmonyguard", "reactive"):
            return True  # they judge every step
        if situation.call_class == "irreversible":
            return situation.agreement is None
        return bool(orders_on(situation.page))

    async def _judged(self, situation: Situation) -> tuple[Judgement, bool]:
        assert self._ask is not None
        key = _key(situation, self.policies)
        if key in self._cache:
            return self._cache[key], True
        policies = self.policies
        if self.system == "reactive":
            policies = PolicySet({}, "", "")
        try:
            judgement = await asyncio.wait_for(
                judge(self._ask, self._prompt, situation, policies, page_text=self.system == "safepred"),
                TIMEOUT_S[situation.call_class],
            )
        except TimeoutError:
            return Judgement(status="timeout", usages=(Usage(),)), False
        except Exception as error:
            logger.warning("The guard's model failed: %s", error)
            return Judgement(status="llm_error", usages=(Usage(),), problem=str(error)), False
        if judgement.status == "ok":
            self._cache[key] = judgement
            if len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
        return judgement, False


def _without_the_guard(situation: Situation) -> Ruling:
    """Return what holds when the guard cannot tell: reads go on, logged, and a person is asked about a purchase."""
    answer = situation.agreement
    agreed = answer is not None and answer.confirmed and answer.same_facts
    decision: Kind = "allow_logged"
    if situation.call_class == "irreversible" and not agreed:
        decision = "confirm" if answer is None else "block"
    return Ruling(
        decision=decision,
        risk_score=0.0,
        threshold=0.0,
        violated_policy_ids=["SHOP-CONFIRM"] if decision != "allow_logged" else [],
        risk_explanation="the guard could not decide",
        sentence="The guard could not decide, so the person is asked.",
        next_step="Wait for the person's answer.",
    )


def _baseline(judgement: Judgement, ruling: Ruling) -> Ruling:
    """Return a baseline's ruling: unsafe where it sees a threat or a step that leaves the task."""
    verdict = judgement.verdict
    assert verdict is not None
    unsafe = bool(verdict.violations) or verdict.task_alignment == "deviated"
    if not unsafe:
        return msgspec.structs.replace(ruling, decision="allow", risk_score=0.0)
    return msgspec.structs.replace(
        ruling,
        decision="block",
        risk_score=1.0,
        risk_explanation=verdict.risk_explanation,
        sentence="The step was judged unsafe or off the task.",
        next_step="Go on with what the person asked for.",
    )


def _with_risk(prediction: Prediction | None, ruling: Ruling) -> Prediction | None:
    if prediction is None:
        return None
    return msgspec.structs.replace(
        prediction,
        risk_score=ruling.risk_score,
        risk_explanation=ruling.risk_explanation,
        violated_policy_ids=ruling.violated_policy_ids,
        optimization_guidance=ruling.next_step or None,
    )


def _enriched(prediction: Prediction, judgement: Judgement, ruling: Ruling) -> Prediction:
    """Add what the language model says to what the shop itself has told; the shop knows where a call leads."""
    verdict = judgement.verdict
    assert verdict is not None
    return msgspec.structs.replace(
        prediction,
        long_term_impact=verdict.long_term_impact or prediction.long_term_impact,
        risk_explanation=verdict.risk_explanation or ruling.risk_explanation,
        optimization_guidance=verdict.optimization_guidance or ruling.next_step or None,
        violated_policy_ids=ruling.violated_policy_ids,
        risk_score=ruling.risk_score,
    )


def _sum(usages: tuple[Usage, ...]) -> Usage:
    """Add the tokens of a question and of its repair; what is unknown of all stays unknown."""
    totals: dict[str, int | None] = {}
    for name in Usage.__struct_fields__:
        known = [count for usage in usages if (count := getattr(usage, name)) is not None]
        totals[name] = sum(known) if known else None
    return Usage(**totals)


def _key(situation: Situation, policies: PolicySet) -> str:
    parts = (situation.state, situation.action, "\0".join(situation.messages), policies.sha256, situation.agent_text)
    return hashlib.sha256("\1".join(parts).encode("utf-8", "replace")).hexdigest()


def make_guard(system: System, policies: PolicySet, ask: Ask | None, prompt: str, token_budget: int) -> Guard | None:
    """Return the guard of a setting, ``None`` for ``off``.

    Raises:
        ShoppingError: for a baseline without a language model.
    """
    if system == "off":
        return None
    if system in ("harmonyguard", "reactive") and ask is None:
        raise ShoppingError(f"SAFETY_SYSTEM={system} is a language model's judgement alone: set SAFETY_MODEL to one.")
    return Guard(system, policies, ask=ask, prompt=prompt, token_budget=token_budget)
