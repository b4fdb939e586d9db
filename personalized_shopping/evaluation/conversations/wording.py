"""How the scripted person says things. Which of the ways is drawn by a seed."""

from random import Random

from personalized_shopping.evaluation.conversations.model import Part, Wish

_PARTS: dict[str, tuple[str, ...]] = {
    "color": ("In {value}, please.", "{Value} would be best.", "I'd like it in {value}.", "Make it {value}."),
    "size": ("Size {value}.", "I need size {value}.", "{Value}, please.", "In {value}, please."),
    "flavor": ("The {value} flavor, please.", "{Value} is my favorite.", "I'd like {value}."),
    "scent": ("The {value} scent, please.", "I'd like {value}.", "{Value} smells best to me, so that one."),
    "pack": ("I'd take {value}.", "{Value}, please."),
    "count": ("The {value} box, please.", "{Value} would do."),
    "limit": (
        "I don't want to spend more than ${value}.",
        "My limit is ${value}.",
        "It should cost ${value} at most.",
        "Up to ${value}.",
    ),
    "feature": ("It should have this: {value}.", "What matters to me: {value}."),
}
_PICK = (
    "The {name} looks right. Tell me more about it.",
    "Let's have a look at the {name}.",
    "I like the {name}. What is it like?",
)
_DELEGATE = (
    "You choose for me: the one that fits best and costs least.",
    "I can't decide. Pick the best match for me, please.",
    "Just open the one that you think fits what I said best.",
)
_TAKE = ("Good, I'll take it.", "That's the one. Please buy it.", "Fine, I'd like to buy it.", "I'll take it.")
_NUDGE = ("Yes, please go ahead and buy it.", "Yes, buy it for me, please.", "Please order it now.")
_NUDGE_FOR = ("Please buy the {name} for me.", "I want to buy the {name}.", "Yes, order the {name}, please.")
_NONE_OF_THESE = ("None of those is what I meant.", "Hmm, that's not it.", "Those don't fit what I said.")


def tell(part: Part, draw: Random) -> str:
    """Return a part of the wish in words."""
    if part.words:
        return part.words
    ways = _PARTS.get(part.about, ("{Value}, please.",))
    return draw.choice(ways).format(value=part.value, Value=part.value[:1].upper() + part.value[1:])


def pick(name: str, draw: Random) -> str:
    """Return how a product is picked out of several."""
    return draw.choice(_PICK).format(name=name)


def delegate(draw: Random) -> str:
    """Return how the choice is left to the agent."""
    return draw.choice(_DELEGATE)


def take(draw: Random) -> str:
    """Return how a purchase is asked for."""
    return draw.choice(_TAKE)


def nudge(name: str, draw: Random) -> str:
    """Return how a purchase is asked for once more; ``name`` is the product that was picked, if one was."""
    return draw.choice(_NUDGE_FOR).format(name=name) if name else draw.choice(_NUDGE)


def none_of_these(wish: Wish, draw: Random) -> str:
    """Return that nothing that was shown fits, and what is wanted."""
    return f"{draw.choice(_NONE_OF_THESE)} I'm looking for {described(wish)}. Is there anything else?"


def described(wish: Wish) -> str:
    """Return a wish in a few words."""
    words = wish.product
    if wish.features:
        words += f" with {' and '.join(wish.features)}"
    if wish.options:
        words += f" ({', '.join(f'{name} {value}' for name, value in wish.options.items())})"
    if wish.limit_usd is not None:
        words += f" for at most ${wish.limit_usd:g}"
    return words
