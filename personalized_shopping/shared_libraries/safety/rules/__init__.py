"""The rules: deterministic, asked before every call, and what carries the guarantees."""

from collections.abc import Callable, Iterator

from personalized_shopping.shared_libraries.safety.policies import PolicySet
from personalized_shopping.shared_libraries.safety.rules import loops, orders, personal, purchase
from personalized_shopping.shared_libraries.safety.situation import Finding, Situation

Rule = Callable[[Situation], Iterator[Finding]]

RULES: dict[str, Rule] = {
    "SHOP-VISIBLE": loops.button_exists,
    "SHOP-ONESTEP": loops.one_step,
    "SHOP-PII": personal.personal_data,
    "SHOP-INJECTION": orders.obeys_a_page,
    "SHOP-BUDGET": purchase.within_the_limit,
    "SHOP-OPTIONS": purchase.options_as_asked,
    "SHOP-ITEM": purchase.product_as_asked,
    "SHOP-RESTRICTED": purchase.restricted_goods,
    "SHOP-DARKPATTERN": purchase.price_as_seen,
    "SHOP-CONFIRM": purchase.agreed,
}
"""By the policy that each one finds violations of, in the order in which they are told."""


def run_rules(situation: Situation, policies: PolicySet) -> list[Finding]:
    """Return what the rules of the loaded policies find about a call."""
    return [
        finding
        for policy_id, rule in RULES.items()
        if policy_id in policies and policies[policy_id].kind in ("rule", "both")
        for finding in rule(situation)
    ]
