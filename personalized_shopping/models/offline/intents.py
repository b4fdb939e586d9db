"""Tell what a message wants, given what was shown and talked about before it."""

from dataclasses import dataclass
from typing import Literal

from personalized_shopping.models.offline import phrases
from personalized_shopping.models.offline.phrases import Topic
from personalized_shopping.models.offline.pointing import Context, pointed_at, points_only, several
from personalized_shopping.shared_libraries.requests.options import named_values
from personalized_shopping.shared_libraries.requests.text import stem, words
from personalized_shopping.shared_libraries.requests.understanding import NO_REQUEST, Request, understand
from personalized_shopping.shared_libraries.requests.vocabulary import COLOURS, SIZES

Kind = Literal[
    "nothing", "picture", "greet", "who", "help", "thanks", "bye", "outside", "unclear",
    "find", "refine", "cheaper", "more", "open", "options", "compare", "tell", "back", "restart", "buy", "yes", "no",
]  # fmt: skip

SHORT_MESSAGE_CHARS = 200
"""Longer messages are requests, whatever else stands in them."""
SHORT_MESSAGE_WORDS = 12

_VAGUE = frozenset({"picture", "image", "photo", "similar", "same", "look", "style", "upload"})
_SMALL_TALK: tuple[tuple[Kind, str], ...] = (
    ("greet", "GREET"), ("thanks", "THANKS"), ("bye", "BYE"), ("who", "WHO"), ("help", "HELP"), ("restart", "RESTART"),
)  # fmt: skip


@dataclass(frozen=True)
class Intent:
    """What a message wants: its kind and, as the kind needs them, a request, products, a topic, option values.

    ``picks`` names option values by option, several where the words fit several; ``unmatched`` are the words that no
    option explains. ``anything`` says that the person leaves the choice open, ``autonomous`` that they want the whole
    errand done without being asked.
    """

    kind: Kind
    request: Request = NO_REQUEST
    asins: tuple[str, ...] = ()
    topic: Topic = "all"
    picks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unmatched: tuple[str, ...] = ()
    anything: bool = False
    autonomous: bool = False


def interpret(text: str, image: bool, context: Context) -> Intent:
    """Return what a message wants.

    Args:
        text: The message, cleaned.
        image: Whether a picture came with it.
        context: What stood when it arrived.
    """
    if not text:
        return Intent("picture" if image else "nothing")
    short = len(text) <= SHORT_MESSAGE_CHARS
    request = understand(phrases.UNASKED.sub(" ", text))
    if image and (request.empty or {stem(word) for word in request.words} <= _VAGUE):
        return Intent("picture")
    if short:
        for kind, name in _SMALL_TALK:
            if getattr(phrases, name).search(text):
                return Intent(kind)
        if phrases.OUTSIDE.search(text) and not phrases.SHOPPING.search(text):
            return Intent("outside")
        found = _on_the_way(text) or ((context.shown or context.chosen) and _about_shown(text, request, context))
        if found:
            return found
    return _request(text, request, context)


def _on_the_way(text: str) -> Intent | None:
    """Read the short messages that move a conversation along."""
    if phrases.YES.search(text):
        return Intent("yes")
    if phrases.NO.search(text):
        return Intent("no")
    if phrases.BACK.search(text):
        return Intent("back")
    return Intent("more") if phrases.MORE.search(text) else None


def _request(text: str, request: Request, context: Context) -> Intent:
    autonomous = bool(phrases.AUTONOMOUS.search(text))
    if not context.request.empty and _refines(text, request, context.request):
        cheaper = phrases.CHEAPER.search(text) and not request.budget.bounded
        return Intent("cheaper" if cheaper else "refine", request=request, autonomous=autonomous)
    if not request.empty and not (points_only(text) and not autonomous):
        return Intent("find", request=request, autonomous=autonomous)
    wants_purchase = phrases.BUY_BARE.search(text) or phrases.BUY_THIS.search(text)
    return Intent("buy") if wants_purchase else Intent("unclear", request=request)


def _about_shown(text: str, request: Request, context: Context) -> Intent | None:
    """Read a message as one about the products on the table; ``None`` if it is about something else."""
    wants_purchase = bool(phrases.BUY_THIS.search(text) or phrases.BUY_BARE.search(text))
    pointed = pointed_at(text, context)
    wants_purchase = wants_purchase or bool(pointed and phrases.BUY_FIRST.search(text))
    if phrases.COMPARE.search(text) and len(asins := several(text, pointed, context)) > 1:
        return Intent("compare", asins=asins)
    about = pointed[0] if pointed else context.chosen
    product = context.product(about)
    options = product.card.options if product and product.opened else ()
    meant, unmatched = named_values(phrases.POINTING_WORDS.sub(" ", text), options)
    picks = tuple((name, tuple(values)) for name, values in meant.items())
    if context.asked_options and product and phrases.ANYTHING.search(text):
        return Intent("options", asins=(product.card.asin,), anything=True)
    if wants_purchase and about:
        return Intent("buy", asins=(about,), picks=picks)
    if about and (topic := _topic(text)):
        return Intent("tell", asins=(about,), topic=topic)
    if pointed:
        return Intent("open", asins=pointed[:1])
    if product and options and _only_options(text):
        named_only = _names_options_only(request) or phrases.REFINE.search(text)
        if picks and (context.asked_options or not unmatched or named_only):
            missing = _wished_words(request) & set(unmatched)
            return Intent("options", asins=(product.card.asin,), picks=picks, unmatched=tuple(sorted(missing)))
        if context.asked_options and _names_options_only(request):
            return Intent("options", asins=(product.card.asin,), unmatched=tuple(unmatched), request=request)
    if (
        phrases.CHEAPER.search(text)
        and len(words(text)) < SHORT_MESSAGE_WORDS
        and not _new_thing(request, context.request)
    ):
        return Intent("cheaper", request=request)
    return None


def _topic(text: str) -> Topic | None:
    return next((topic for topic, pattern in phrases.TOPICS if pattern.search(text)), None)


def _only_options(text: str) -> bool:
    return len(words(text)) <= SHORT_MESSAGE_WORDS and not phrases.NOT_OPTIONS.search(text)


def _wished_words(request: Request) -> set[str]:
    return {part for wish in request.wishes for part in words(wish.value)}


def _names_options_only(request: Request) -> bool:
    """Whether a message is nothing but a colour, a size and the like."""
    wished = _wished_words(request)
    return bool(request.wishes) and not request.budget.bounded and all(word in wished for word in request.words)


def _refines(text: str, request: Request, before: Request) -> bool:
    """Whether a message changes the wish so far rather than naming a new one."""
    if (phrases.REFINE.search(text) or phrases.CHEAPER.search(text)) and not _new_thing(request, before):
        return True
    if request.empty:
        return request.budget.bounded or request.budget.cheap or bool(request.wishes) or bool(request.excluded)
    wished = _wished_words(request)
    if all(word in COLOURS or word in wished or word in SIZES for word in request.words):
        return True
    return bool(phrases.SOME_OTHER.search(text)) and len(request.words) < 4


def _new_thing(request: Request, before: Request) -> bool:
    """Whether a message names a thing of its own before any describing word: `jeans in blue`, but not `in blue`."""
    named = [word for word in request.words if word not in request.detail and word not in COLOURS]
    if not named or before.empty:
        return False
    known = {stem(word) for word in before.words}
    turning = phrases.TURNING_WORD.search(request.text)
    place = request.text.lower().find(named[0])
    return all(stem(word) not in known for word in named) and (turning is None or place < turning.start())
