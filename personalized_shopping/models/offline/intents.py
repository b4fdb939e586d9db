"""Tell what a message wants, given what was shown and talked about before it."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from personalized_shopping.models.offline import phrases, remarks
from personalized_shopping.models.offline.choosing import best_of
from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.facts import asks_fact, question_in
from personalized_shopping.models.offline.phrases import Topic
from personalized_shopping.models.offline.pointing import Context, pointed_at, points_only, several
from personalized_shopping.shared_libraries.requests.options import Option, keys, named_values
from personalized_shopping.shared_libraries.requests.text import stem, stems, words
from personalized_shopping.shared_libraries.requests.understanding import NO_REQUEST, Request, understand
from personalized_shopping.shared_libraries.requests.vocabulary import COLOURS, SIZES
from personalized_shopping.shared_libraries.requests.wishes import Wish

Kind = Literal[
    "nothing", "picture", "greet", "who", "help", "thanks", "bye", "outside", "unclear",
    "praise", "find", "refine", "cheaper", "more", "open", "options", "compare", "tell", "back", "restart",
    "buy", "yes", "no",
]  # fmt: skip

SHORT_MESSAGE_CHARS = 200
"""Longer messages are requests, whatever else stands in them."""
SHORT_MESSAGE_WORDS = 12

_LOOKS = frozenset({"colour", "flavour"})
_ASKS_ADVICE = re.compile(r"\b(?:should|shall|would|do you think)\b[^.!]*\?\s*$", re.IGNORECASE)
_VAGUE = frozenset({"picture", "image", "photo", "similar", "same", "look", "style", "upload"})
_SMALL_TALK: tuple[tuple[Kind, str], ...] = (
    ("greet", "GREET"), ("thanks", "THANKS"), ("bye", "BYE"), ("who", "WHO"), ("help", "HELP"), ("restart", "RESTART"),
)  # fmt: skip


@dataclass(frozen=True)
class Intent:
    """What a message wants: its kind and, as the kind needs them, a request, products, a topic, option values.

    ``picks`` names option values by option, several where the words fit several; ``unmatched`` are the words that no
    option explains. ``anything`` says that the person leaves the choice open (of the options in ``free``, or of all),
    ``held`` that they do not want a purchase now, ``autonomous`` that they want the whole errand done without being
    asked. ``instead_of`` is the product that does not come as they want it, ``question`` what they ask about one.
    """

    kind: Kind
    request: Request = NO_REQUEST
    asins: tuple[str, ...] = ()
    topic: Topic = "all"
    picks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unmatched: tuple[str, ...] = ()
    anything: bool = False
    free: tuple[str, ...] = ()
    held: bool = False
    instead_of: str = ""
    question: str = ""
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
    autonomous = _autonomous(text)
    gift = phrases.GIFT.search(text)
    asked = phrases.GIFT.sub(" ", phrases.UNASKED.sub(" ", text))
    asked = phrases.THEN_TAKE.sub(lambda match: " cheapest " if match["cheap"] else " ", asked)
    request = understand(asked if autonomous else remarks.plain(asked))
    if image and (request.empty or {stem(word) for word in request.words} <= _VAGUE):
        return Intent("picture")
    if gift and not request.empty:
        return Intent("find", request=request, autonomous=autonomous)
    if short:
        for kind, name in _SMALL_TALK:
            if getattr(phrases, name).search(text):
                return Intent(kind)
        if phrases.OUTSIDE.search(text) and not phrases.SHOPPING.search(text):
            return Intent("outside")
        if not autonomous and remarks.refuses(text):
            if no := _refused(text, request, context):
                return no
            request = understand(remarks.plain(remarks.without_refusal(text)) or text)
        at_hand = bool(context.shown or context.chosen)
        found = _on_the_way(text) or (at_hand and _about_shown(text, request, context))
        if found:
            return found
    return _request(text if autonomous else remarks.plain(text), request, context)


def _autonomous(text: str) -> bool:
    """Whether an errand is wanted without questions; `do not buy it without asking` wants the opposite."""
    return bool(phrases.AUTONOMOUS.search(text)) and not remarks.FORBIDS.search(text)


def _refused(text: str, request: Request, context: Context) -> Intent | None:
    """Read a no to a purchase: what else the message turns to is done, but nothing is bought on it."""
    rest = remarks.after_refusal(text)
    if rest and rest != text:
        meant = interpret(rest, False, context)
        return replace(meant, held=True) if meant.kind not in {"buy", "yes", "unclear"} else Intent("no", held=True)
    thing = request.thing and (context.request.empty or _new_thing(request, context.request))
    if thing and not (context.shown or context.chosen):
        return None
    return Intent("no", held=True)


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
    autonomous = _autonomous(text)
    if not context.request.empty and _refines(text, request, context.request):
        cheaper = phrases.CHEAPER.search(text) and not request.budget.bounded
        meant = request if autonomous else _as_colour(request)
        return Intent("cheaper" if cheaper else "refine", request=meant, autonomous=autonomous)
    if not request.empty and not (points_only(text) and not autonomous):
        return Intent("find", request=request, autonomous=autonomous)
    wants_purchase = phrases.BUY_BARE.search(text) or phrases.BUY_THIS.search(text)
    return Intent("buy") if wants_purchase else Intent("unclear", request=request)


def _about_shown(text: str, request: Request, context: Context) -> Intent | None:
    """Read a message as one about the products on the table; ``None`` if it is about something else."""
    plain = remarks.plain(text)
    doubts = remarks.refuses(text) or bool(remarks.HESITATES.search(text))
    wants_purchase = not doubts and bool(phrases.BUY_THIS.search(plain) or phrases.BUY_BARE.search(plain))
    pointed = pointed_at(remarks.without_negated(text), context)
    wants_purchase = wants_purchase or (not doubts and bool(pointed and phrases.BUY_FIRST.search(text)))
    wants_purchase = wants_purchase or (remarks.takes(text) and bool(pointed or context.chosen or context.shown))
    left = not context.asked_options and remarks.leaves_choice(text)
    if phrases.COMPARE.search(text) and len(asins := several(text, pointed, context)) > 1:
        return Intent("compare", asins=asins)
    if left and context.shown:
        pointed = (
            best_of(
                context,
                cheaply=bool(phrases.CHEAPEST_ONE.search(text)),
                rated=bool(phrases.BEST_ONE.search(text)),
            ),
        )
    alone = context.shown[0] if len(context.shown) == 1 else None
    about = pointed[0] if pointed else context.chosen or (alone if wants_purchase or asks_fact(text) else None)
    product = context.product(about)
    options = product.card.options if product and product.opened else ()
    said, free = _left_open(text, options)
    meant, unmatched = named_values(
        phrases.POINTING_WORDS.sub(" ", remarks.without_negated(remarks.plain(said))), options
    )
    titled = set(stems(product.card.title)) if product else set()
    unmatched = [word for word in unmatched if word not in titled]
    picks = tuple((name, tuple(values)) for name, values in meant.items())
    if (context.asked_options or free) and product and said != text:
        return Intent("options", asins=(product.card.asin,), picks=picks, anything=True, free=free)
    if wants_purchase and product and (lacking := _lacking(understand(remarks.without_negated(plain)), product, picks)):
        return Intent("refine", request=lacking, instead_of=product.card.asin)
    if wants_purchase and (about or _only_wishes(text)):
        return Intent("buy", asins=(about,) if about else (), picks=picks, request=request)
    topic = _topic(text)
    if about and doubts and _ASKS_ADVICE.search(text):
        return Intent("tell", asins=(about,), topic="all")
    extreme = phrases.CHEAPEST_ONE.search(text) or phrases.BEST_ONE.search(text)
    if about and not (picks or left or extreme) and asks_fact(text) and not _topic(question_in(text)):
        return Intent("tell", asins=(about,), topic="fact", question=text)
    if about and topic:
        return Intent("tell", asins=(about,), topic=topic)
    if remarks.PRAISES.search(text):
        return Intent("praise", asins=(about,) if about else ())
    if pointed:
        return Intent("open", asins=pointed[:1])
    if product and options and _only_options(plain):
        named_only = _names_options_only(request) or phrases.REFINE.search(text)
        if picks and (context.asked_options or not unmatched or named_only):
            missing = _wished_words(request) & set(unmatched)
            return Intent("options", asins=(product.card.asin,), picks=picks, unmatched=tuple(sorted(missing)))
        if (context.asked_options or phrases.COMES_IN.search(text)) and _names_options_only(request):
            return Intent("options", asins=(product.card.asin,), unmatched=tuple(unmatched), request=request)
    if (
        phrases.CHEAPER.search(text)
        and len(words(text)) < SHORT_MESSAGE_WORDS
        and not _new_thing(request, context.request)
    ):
        return Intent("cheaper", request=request)
    return None


def _lacking(request: Request, product: Knowledge, picks: tuple[tuple[str, tuple[str, ...]], ...]) -> Request | None:
    """Return the colours and flavours that a message wants and an opened product does not come in."""
    if not product.opened:
        return None
    has = {key for _, values in picks for value in values for key in keys(value)} | set(keys(product.card.title))
    wishes = tuple(wish for wish in request.wishes if wish.kind in _LOOKS and not set(keys(wish.value)) & has)
    said = tuple(word for wish in wishes for word in words(wish.value))
    return Request(words=said, wishes=wishes, text=" ".join(said)) if wishes else None


def _only_wishes(text: str) -> bool:
    """Whether a purchase is asked for without naming a thing: `I'll take it, in blue`."""
    rest = understand(remarks.without_taking(remarks.plain(text)))
    return all(word in COLOURS or word in SIZES or word in _wished_words(rest) for word in rest.words)


def _as_colour(request: Request) -> Request:
    """Read words such as `orange` or `olive`, said alone of a thing that was named before, as its colour."""
    if request.wishes or not request.words or not all(word in COLOURS for word in request.words):
        return request
    return replace(request, wishes=(Wish("colour", " ".join(request.words)),))


def _left_open(text: str, options: tuple[Option, ...]) -> tuple[str, tuple[str, ...]]:
    """Take out what leaves options open (`any colour is fine`), and tell which ones it names."""
    kept, free = [], []
    for sentence in remarks.sentences(text):
        if phrases.ANYTHING.search(sentence):
            spoken = set(keys(sentence))
            free += [option.name for option in options if set(keys(option.name)) & spoken]
        else:
            kept.append(sentence)
    return " ".join(kept), tuple(free)


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
    told_more = phrases.REFINE.search(text)
    if phrases.OF_THE_SAME.search(text):
        return True
    if (told_more or phrases.CHEAPER.search(text)) and not _new_thing(request, before):
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
