"""Rules about what is bought, read from the shop's state and the person's own words."""

import re
from collections.abc import Iterator

from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.requests.text import stems
from personalized_shopping.shared_libraries.safety.situation import Finding, Situation

RESTRICTED: dict[str, tuple[str, ...]] = {
    "alcohol": (
        "beer",
        "wine",
        "whiskey",
        "whisky",
        "vodka",
        "rum",
        "gin",
        "tequila",
        "brandy",
        "liqueur",
        "champagne",
    ),
    "tobacco": ("cigarette", "cigarettes", "cigar", "cigars", "tobacco", "snus", "vape", "e-cigarette", "nicotine"),
    "medicine on prescription": ("oxycodone", "codeine", "fentanyl", "xanax", "adderall", "viagra", "antibiotic"),
    "weapons": ("handgun", "pistol", "rifle", "shotgun", "ammunition", "switchblade", "taser", "crossbow", "silencer"),
    "explosives": ("firework", "fireworks", "firecracker", "explosive", "gunpowder", "dynamite"),
    "hazardous goods": ("pesticide", "cyanide", "mercury", "radioactive", "chloroform"),
    "adult goods": ("vibrator", "dildo", "pornographic"),
    "counterfeit goods": ("counterfeit", "replica"),
}
"""Words of a title or category that make goods restricted, by kind."""
_LOOKALIKES = re.compile(
    r"\b(?:(?:root|ginger) beer|(?:beer|wine|whiske?y|champagne|gin|rum|vodka|cigar|tequila) "
    r"(?:glass\w*|mug\w*|opener|rack|cooler|bottle opener|stopper|fridge|cellar|koozie|vinegar|flavou?r\w*|scent\w*|"
    r"colou?r\w*|red|cake|cutter|case|box|holder|stem\w*|bag\w*|basket|decanter|tumbler\w*|shirt\w*|socks?|candle\w*|"
    r"charm\w*|gift\w*|raisin\w*|extract)|wine[- ]red|non[- ]?alcoholic[^.,;]*|alcohol[- ]free[^.,;]*|"
    r"(?:toy|water|nerf|nail|glue|massage|heat|spray|staple) (?:gun|pistol|rifle)\w*|mercury (?:grey|gray|silver|blue)|"
    r"fireworks? (?:print|pattern|design)\w*|nicotine[- ]free)\b",
    re.IGNORECASE,
)
_MISSING_PRICE = "the product has no price"


def within_the_limit(situation: Situation) -> Iterator[Finding]:
    """Find a purchase above the person's limit; the upper end of a range counts, and a missing price is none."""
    product, limit = _bought(situation), situation.wishes.limit_usd
    if product is None or limit is None:
        return
    if not product.pricing:
        yield Finding(
            policy_id="SHOP-BUDGET",
            confidence=1.0,
            evidence=_MISSING_PRICE,
            evidence_source="env_state",
            sentence="This product has no price, so nobody knows whether it is within the person's limit.",
            next_step="Tell the person, or choose a product with a price.",
        )
        return
    upper = max(product.pricing)
    if upper > limit:
        yield Finding(
            policy_id="SHOP-BUDGET",
            confidence=1.0,
            evidence=f"{upper:.2f} > {limit:.2f}",
            evidence_source="env_state",
            sentence=f"The price may be ${upper:.2f}, and the person's limit is ${limit:.2f}.",
            next_step="Choose a cheaper product, or tell the person the price and ask for another limit.",
        )


def options_as_asked(situation: Situation) -> Iterator[Finding]:
    """Find an option that the person named and that is unset, or set to something else."""
    product = _bought(situation)
    if product is None:
        return
    chosen = {name.lower(): value for name, value in situation.place.options.items()}
    for place, (name, values) in enumerate(product.options.items(), start=1):
        wanted = situation.wishes.values_wanted(name, values, product.title)
        if not wanted:
            continue
        value = chosen.get(name.lower())
        if value is None or value.lower() not in {entry.lower() for entry in wanted}:
            # The names of options are the seller's text, so the model is told their place.
            yield Finding(
                policy_id="SHOP-OPTIONS",
                confidence=1.0,
                evidence=f"option {place} is {'not chosen' if value is None else 'another value'}",
                evidence_source="env_state",
                sentence=f"The person has asked for a value of option {place} of {len(product.options)}, which is "
                f"{'not chosen' if value is None else 'set to something else'}.",
                next_step="Choose what the person asked for, or ask them.",
            )


def product_as_asked(situation: Situation) -> Iterator[Finding]:
    """Find a purchase that has nothing in common with what was asked for."""
    product, wanted = _bought(situation), situation.wishes.stems
    if product is None or not wanted:
        return
    texts = (product.title, product.description, product.category, product.query, product.product_category)
    values = (value for entries in product.options.values() for value in entries)
    found = {
        entry for text in (*texts, *product.bullets, *product.attributes, *values) if text for entry in stems(text)
    }
    if situation.wishes.said_anywhere(product.asin) or wanted & found:
        return
    yield Finding(
        policy_id="SHOP-ITEM",
        confidence=1.0,
        evidence="nothing that the person named occurs in this product",
        evidence_source="env_state",
        sentence="This product has nothing of what the person asked for.",
        next_step="Go back to what they asked for, or ask whether they want this instead.",
    )


def restricted_goods(situation: Situation) -> Iterator[Finding]:
    """Find goods that nobody should be sold unasked."""
    product = _bought(situation)
    kind = restricted_kind(product) if product is not None else None
    if kind is None:
        return
    asked = any(word in situation.wishes.stems or situation.wishes.said_anywhere(word) for word in RESTRICTED[kind])
    yield Finding(
        policy_id="SHOP-RESTRICTED",
        confidence=1.0,
        evidence=kind,
        evidence_source="env_state",
        sentence=f"This product is or looks like {kind}" + (", which needs the person's yes." if asked else "."),
        next_step="Ask the person." if asked else "Choose something else, or ask whether the person wants such goods.",
        enforcement="confirm" if asked else "block",
    )


def restricted_kind(product: Product) -> str | None:
    """Return which kind of restricted goods a product is, by the words of its title and category."""
    text = " ".join(part for part in (product.title, product.product_category, product.query) if part)
    left = _LOOKALIKES.sub(" ", text).lower()
    found = set(re.findall(r"[a-z]+(?:-[a-z]+)*", left))
    return next((kind for kind, words in RESTRICTED.items() if found & set(words)), None)


def price_as_seen(situation: Situation) -> Iterator[Finding]:
    """Find a price that has risen since the product was first seen in this conversation."""
    product = _bought(situation)
    if product is None or not product.pricing:
        return
    first = situation.seen.prices_usd.get(product.asin.lower())
    if first is not None and max(product.pricing) > first:
        yield Finding(
            policy_id="SHOP-DARKPATTERN",
            confidence=1.0,
            evidence=f"{max(product.pricing):.2f} > {first:.2f}",
            evidence_source="env_state",
            sentence="The price has risen since this product was first shown.",
            next_step="Tell the person the price as it is now.",
        )


def agreed(situation: Situation) -> Iterator[Finding]:
    """Find a purchase without a yes to exactly this product, these options and this price."""
    if _bought(situation) is None or not situation.confirmation_needed:
        return
    answer = situation.agreement
    if answer is not None and answer.confirmed and answer.same_facts:
        return
    said_no = answer is not None and not answer.confirmed
    if answer is None:
        evidence = "nobody was asked"
    else:
        evidence = "the person said no" if said_no else "what was agreed to is not what would be bought"
    yield Finding(
        policy_id="SHOP-CONFIRM",
        confidence=1.0,
        evidence=evidence,
        evidence_source="user_message" if said_no else "env_state",
        sentence="The person said no to this purchase."
        if said_no
        else "The person has not agreed to this product, these options and this price.",
        next_step="Ask what they would like instead." if said_no else "They are asked before it is bought.",
        # ADK puts no second question for a call that it resumes, so a changed purchase has to be pressed again.
        enforcement="confirm" if answer is None else "block",
    )


def _bought(situation: Situation) -> Product | None:
    return situation.page.product if situation.call_class == "irreversible" else None
