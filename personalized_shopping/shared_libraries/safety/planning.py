"""A plan that the agent works along, and that the guard's guidance changes."""

from msgspec import Struct

from personalized_shopping.shared_libraries.requests.text import words
from personalized_shopping.shared_libraries.safety.decision import Ruling
from personalized_shopping.shared_libraries.safety.wishes import PersonWishes

MAX_STEPS = 12


class Plan(Struct, frozen=True):
    """What to do, in order; ``reason`` says why it was changed last."""

    steps: tuple[str, ...]
    reason: str | None = None

    @property
    def text(self) -> str:
        """The plan as the model reads it."""
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, start=1))


def make_plan(wishes: PersonWishes) -> Plan:
    """Return a plan for what the person asks for; it holds the person's own words and no page text."""
    request = wishes.request
    thing = " ".join(request.words[:8]) or "what the person means; ask if it is unclear"
    steps = [f"Search for {thing}.", "Open what fits best, read its description, features and reviews, and compare."]
    values = [wish.value for wish in request.wishes]
    if values:
        steps.append(f"Choose the options that were asked for: {', '.join(dict.fromkeys(values))}.")
    if wishes.limit_usd is not None:
        steps.append(f"Stay within ${wishes.limit_usd:.2f}; the upper end of a price range counts.")
    steps.append("Tell the person product, options and price, and wait for their yes.")
    steps.append("Press Buy Now, and report what was bought.")
    return Plan(tuple(steps))


def changed_by(plan: Plan, ruling: Ruling) -> Plan:
    """Return the plan as the guard's guidance changes it: what to do instead comes first."""
    if not ruling.next_step or ruling.next_step in plan.steps:
        return plan
    kept = [step for step in plan.steps if words(step) != words(ruling.next_step)]
    return Plan((ruling.next_step, *kept)[:MAX_STEPS], reason=ruling.sentence or None)
