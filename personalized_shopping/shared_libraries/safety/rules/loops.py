"""Rules about the order of calls: buttons that exist, nothing after a purchase, and no endless repeating."""

from collections.abc import Iterator

from personalized_shopping.shared_libraries.safety.situation import Finding, Situation

MAX_REPEATS = 3
"""How often the same call may be made on the same page."""


def button_exists(situation: Situation) -> Iterator[Finding]:
    """Find a click on something that the page does not have."""
    if situation.tool == "click" and situation.label is None:
        yield Finding(
            policy_id="SHOP-VISIBLE",
            confidence=1.0,
            evidence="there is no such button",
            evidence_source="env_state",
            sentence="The page has no such button.",
            next_step="Press one of the last answer's `buttons`, or search.",
        )


def one_step(situation: Situation) -> Iterator[Finding]:
    """Find a call after a purchase in the same turn, and the same call on the same page over and over."""
    if situation.after_purchase:
        yield Finding(
            policy_id="SHOP-ONESTEP",
            confidence=1.0,
            evidence="a purchase went before in this turn",
            evidence_source="env_state",
            sentence="A purchase went before in the same turn.",
            next_step="Wait for the person's answer, then go on.",
        )
        return
    answer = situation.agreement
    if answer is not None and answer.confirmed and answer.same_facts:
        return  # each question and its answer count as calls; who says yes after a no is not going in circles
    state = situation.state
    repeats = sum(call.action == situation.action and call.state == state for call in situation.calls)
    if repeats >= MAX_REPEATS:
        yield Finding(
            policy_id="SHOP-ONESTEP",
            confidence=1.0,
            evidence=f"made {repeats} times on this page",
            evidence_source="env_state",
            sentence=f"This call was made {repeats} times on this very page.",
            next_step="Do something else, or tell the person what is in the way.",
        )
