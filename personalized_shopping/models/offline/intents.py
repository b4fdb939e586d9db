"""Tell what a message wants, given what was shown and talked about before it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.options import named_values
from personalized_shopping.models.offline.text import stem, stems, words
from personalized_shopping.models.offline.understanding import Request, understand
from personalized_shopping.models.offline.vocabulary import COLOURS, FILLERS, NUMBER_WORDS, ORDINALS, SIZES, STOP_WORDS

Kind = Literal[
    "nothing", "picture", "greet", "who", "help", "thanks", "bye", "outside", "unclear",
    "find", "refine", "cheaper", "more", "open", "options", "compare", "tell", "back", "restart", "buy", "yes", "no",
]  # fmt: skip

Topic = Literal["description", "features", "reviews", "price", "rating", "options", "all"]


@dataclass(frozen=True)
class Intent:
    """What a message wants: its kind and, as the kind needs them, a request, products, a topic, option values."""

    kind: Kind
    request: Request = Request()
    asins: tuple[str, ...] = ()
    topic: Topic = "all"
    picks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unmatched: tuple[str, ...] = ()
    autonomous: bool = False
    anything: bool = False


@dataclass(frozen=True)
class Context:
    """What stands when a message arrives: the wish so far, what was shown, what is chosen, and what was asked."""

    request: Request = Request()
    shown: tuple[str, ...] = ()
    chosen: str | None = None
    asked_to_buy: bool = False
    asked_options: bool = False
    pending: bool = False
    known: Mapping[str, Knowledge] | None = None

    def product(self, asin: str | None) -> Knowledge | None:
        """Return what is known of a product."""
        return (self.known or {}).get(asin) if asin else None


def _match(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_END = r"[\s!.,?…]*$"
_GREET = _match(rf"^(?:(?:hi|hello|hey|hiya|howdy|yo|good (?:morning|afternoon|evening|day)|greetings)(?: there| again| you)?[\s!.,]*)+(?:how are you(?: doing)?(?: today)?)?{_END}")
_WHO = _match(r"\b(?:who|what) are you\b|\bwhat'?s your name\b|\bare you (?:a |an )?(?:human|robot|bot|ai|real|person|machine)\b|\bintroduce yourself\b")
_HELP = _match(rf"^(?:please )?help(?: me)?(?: please)?{_END}|\bwhat can (?:you|i) (?:do|ask|say)|\bhow (?:does this|do you) work|\bhow do i (?:use|buy|order|shop)")
_THANKS = _match(rf"^(?:ok(?:ay)?[\s,.!]*|great[\s,.!]*|perfect[\s,.!]*|cool[\s,.!]*|no[\s,.!]*)?(?:thanks?|thank you|thx|ty|cheers|much appreciated)\b(?:[^?]{{0,40}}){_END}")
_BYE = _match(rf"^(?:ok(?:ay)?[\s,.!]*)?(?:bye|goodbye|good bye|see you|that'?s all|that is all|i'?m done|exit|quit)(?: for now| then| later| thanks)*{_END}")
_OUTSIDE = _match(
    r"\b(?:weather|forecast|temperature outside|news|joke|poem|story|song lyrics|capital of|president|prime minister|stock market|"
    r"football score|translate|recipe for|meaning of life|what time is it|what day is it|write (?:me )?(?:a|an|some) (?:code|program|essay|poem|story|email)|"
    r"python (?:code|script|program)|solve|calculate|how old are you|who (?:is|was|won|invented|wrote)|"
    r"(?:track|where is|where'?s|cancel|return|refund)\b.{0,12}\b(?:my |the |an? )?(?:order|package|parcel|purchase))\b"
)
_ARITHMETIC = _match(r"^\s*(?:what(?:'s| is) )?\d+(?:\.\d+)?\s*[-+*/x]\s*\d+(?:\.\d+)?\s*=?\s*\??$")
_RESTART = _match(rf"^(?:please |let'?s |can we |ok(?:ay)?,? )*(?:start (?:over|again|afresh|new)|restart|reset|new search|begin again|forget (?:it|that|all that|everything))(?: please)?{_END}")
_BACK = _match(rf"^(?:please |ok(?:ay)?,? |can you |let'?s )*(?:go back|back|previous|return)(?: please| to (?:the )?(?:list|results|search|search results|previous page|others|options))?{_END}|\b(?:back to|show me) (?:the |my )?(?:list|results|search results)(?: again)?{_END}")
_MORE = _match(rf"^(?:please |can you |could you )*(?:(?:show|give|find|see)(?: me)? )?(?:(?:some |any )?(?:more|others|other ones|something else|anything else|more results|more options|other options|different ones|next page|next|alternatives|what else)(?: please| options| results| like (?:this|that|these|those))*){_END}|^(?:what else (?:do you have|is there)|(?:do you have |have you got )?(?:any|anything) (?:others?|more|else)){_END}")
_CHEAPER = _match(r"\b(?:cheaper|less expensive|lower[- ]priced?|more affordable|too expensive|too pricey|too much money|costs? too much|lower price|better price|cheapest)\b")
_CHEAPEST_ONE = _match(r"\b(?:the |that )(?:cheapest|least expensive|lowest[- ]priced?)(?: one| of (?:them|these|those))?\b")
_BEST_ONE = _match(r"\bthe (?:best|top|highest)[- ]rated(?: one)?\b")
_COMPARE = _match(r"\b(?:compare|comparison|difference|differences|versus|vs\.?|which (?:one )?is better|which (?:one )?(?:would|do|should))\b")
_YES = _match(rf"^(?:yes|yeah|yep|yup|ya|sure|ok|okay|k|absolutely|definitely|of course|certainly|please do|do it|go ahead|go for it|sounds good|that works|correct|right|confirm(?:ed)?|let'?s do it|perfect|great|fine)(?:[\s,.!]+(?:please|yes|sure|thanks|thank you|do it|do that|go ahead|buy it|that'?s fine|sounds good|i do|confirm))*{_END}")
_NO = _match(rf"^(?:no|nope|nah|not now|not yet|no thanks|no thank you|never ?mind|cancel|stop|don'?t|do not|don'?t buy(?: it)?|do not buy(?: it)?|not really|i'?d rather not|maybe later|wait)(?:[\s,.!]+(?:thanks|thank you|please|not now|not yet|don'?t|it|buy it|cancel|stop|leave it))*{_END}")
_BUY_THIS = _match(
    r"\b(?:buy|purchase|order|get|take|have)\s+(?:it|this|that|them|the\b.*\bone|one of|the (?:first|second|third|fourth|fifth|last)|(?:number|no\.?|#)\s*\d+|(?:the )?(?:1st|2nd|3rd|4th|5th))\b|"
    r"\b(?:i'?ll|i will|let'?s|i want to|i'?d like to) (?:take|buy|order|get|have|purchase) (?:it|this|that|the|number|#)|\bcheck ?out\b|\badd (?:it|this|that) to (?:my |the )?(?:cart|basket)|\bplace (?:the|my|an) order\b"
)
_BUY_BARE = _match(rf"^(?:please |ok(?:ay)?,? |yes,? |then )*(?:buy|purchase|order|buy now|buy please|sold)(?: now| please)*{_END}")
_TOPICS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    ("reviews", _match(r"\breviews?\b|\bpeople (?:say|think)|\bcustomers? (?:say|think)|\b(?:what do|do) (?:people|customers|buyers)\b|\bcomplain(?:s|ts)?\b|\bis it (?:any )?good\b")),
    ("description", _match(r"\bdescri(?:be|ption)|\btell me (?:more )?about|\bmore (?:about|details|info(?:rmation)?)\b|\bdetails\b|\bwhat is it (?:made|like)")),
    ("features", _match(r"\bfeatures?\b|\bspec(?:s|ifications?)?\b|\bwhat is it made of\b|\bmaterials?\b.*\?|\bbullet")),
    ("rating", _match(r"\brat(?:ing|ed)\b|\bhow many stars\b|\bstars\b.*\?")),
    ("options", _match(r"\bwhat (?:colou?rs?|sizes?|options?|flavou?rs?|styles?|variants?|scents?|packs?)\b|\bwhich (?:colou?rs?|sizes?|options?|flavou?rs?|styles?)\b|\b(?:other|available) (?:colou?rs|sizes|options|flavou?rs)\b|\bdoes it come in\b|\bis it available in\b|\boptions\b")),
    ("price", _match(r"\bhow much\b|\bwhat(?:'s| is| does) (?:the |its |it )?(?:price|cost)|\bwhat does it cost\b")),
)  # fmt: skip
_REFINE = _match(
    r"^(?:(?:ok(?:ay)?|no|yes|but|and|maybe|please|actually|what about|how about|do you have (?:it|them|any|one|something)|have you got (?:it|them|any)|any|anything|something|ones?|make it|show (?:me )?(?:it|them|ones?)|"
    r"i (?:want|need|prefer|would like|'d like|would prefer) (?:it|them|one|something)|the same|same|it should be|it must be|only|rather|instead)\b[\s,]*)*"
    r"(?:in\b|with\b|without\b|size\b|under\b|below\b|less than\b|between\b|for (?:men|women|kids|boys|girls|him|her|children|babies|toddlers)\b|made (?:of|from)\b|not\b|over\b|above\b|at most\b|up to\b|around\b|max)"
)
_INSTEAD_THING = _match(r"^(?:something|anything|ones?|any)\b")
_AUTONOMOUS = _match(r"\b(?:(?:buy|order|purchase|choose|decide)\b.{0,40}\b(?:without asking|on your own|by yourself|for me right away)|(?:do not|don'?t|no need to) ask\b|without (?:asking|confirming))")
_ANYTHING = _match(rf"^(?:(?:i )?(?:don'?t|do not) (?:care|mind)|any(?:thing)?(?: (?:one|colou?r|size|of them|is fine|will do|works))?|whatever|(?:you|your) (?:choose|choice|pick|decide)|surprise me|no preference|doesn'?t matter|does not matter|the default|either)\b.{{0,30}}{_END}")
_NUMBERED = _match(r"\b(?:number|no\.?|option|item|product|result|choice)\s*#?\s*(?P<number>\d{1,2}|" + "|".join(NUMBER_WORDS) + r")\b|#\s*(?P<hash>\d{1,2})\b|^\s*(?P<bare>\d{1,2})\s*[.!?)]*\s*$")
_POINTING = _match(r"\b(?:the|that|this)\b")


def interpret(text: str, image: bool, context: Context) -> Intent:
    """Return what a message wants.

    Args:
        text: The message, cleaned.
        image: Whether a picture came with it.
        context: What stood when it arrived.
    """
    if not text:
        return Intent("picture" if image else "nothing")
    request = understand(text)
    if image and (request.empty or len(request.words) < 2 and _vague(request)):
        return Intent("picture")
    for kind, pattern in (("greet", _GREET), ("thanks", _THANKS), ("bye", _BYE), ("who", _WHO), ("help", _HELP),
                          ("restart", _RESTART)):  # fmt: skip
        if pattern.search(text) and len(text) < 120:
            return Intent(kind)  # type: ignore[arg-type]
    if _ARITHMETIC.search(text) or (_OUTSIDE.search(text) and not _shoppy(text)):
        return Intent("outside")
    if context.shown or context.chosen:
        found = _about_shown(text, request, context)
        if found is not None:
            return found
    if _YES.search(text):
        return Intent("yes")
    if _NO.search(text):
        return Intent("no")
    if _BACK.search(text):
        return Intent("back")
    if _MORE.search(text):
        return Intent("more")
    autonomous = bool(_AUTONOMOUS.search(text))
    if not context.request.empty and _refines(text, request, context.request):
        kind = "cheaper" if _CHEAPER.search(text) and not request.budget.bounded else "refine"
        return Intent(kind, request=request, autonomous=autonomous)  # type: ignore[arg-type]
    if request.empty:
        bought = _BUY_BARE.search(text) or _BUY_THIS.search(text)
        return Intent("buy") if bought else Intent("unclear", request=request)
    return Intent("find", request=request, autonomous=autonomous)


def _about_shown(text: str, request: Request, context: Context) -> Intent | None:
    """Read a message as one about the products on the table; ``None`` if it is about something else."""
    wants_purchase = bool(_BUY_THIS.search(text) or _BUY_BARE.search(text))
    if _YES.search(text) and not wants_purchase:
        return Intent("yes")
    if _NO.search(text):
        return Intent("no")
    if _BACK.search(text):
        return Intent("back")
    if _MORE.search(text):
        return Intent("more")
    pointed = pointed_at(text, context)
    if _COMPARE.search(text):
        several = pointed if len(pointed) > 1 else _several(text, pointed, context)
        if len(several) > 1:
            return Intent("compare", asins=several)
    about = pointed[0] if pointed else context.chosen
    product = context.product(about)
    meant, unmatched = named_values(_without_pointing(text), product.card.options) if product and product.opened else ({}, [])
    picks = tuple((name, tuple(values)) for name, values in meant.items())
    if product and context.asked_options and _ANYTHING.search(text):
        return Intent("options", asins=(product.card.asin,), anything=True)
    if wants_purchase and about:
        return Intent("buy", asins=(about,), picks=picks)
    for topic, pattern in _TOPICS:
        if about and pattern.search(text) and len(text) < 200:
            return Intent("tell", asins=(about,), topic=topic)
    if pointed:
        return Intent("open", asins=pointed[:1])
    if product and picks and (not unmatched or _only_about_options(text)):
        return Intent("options", asins=(product.card.asin,), picks=picks)
    if product and product.opened and context.asked_options and _only_about_options(text) and not _CHEAPER.search(text):
        kind_only = not request.budget.bounded and _option_kind(request, product)
        if kind_only:
            return Intent("options", asins=(product.card.asin,), unmatched=tuple(unmatched), request=request)
    if _CHEAPER.search(text) and len(words(text)) < 10 and not _new_thing(request, context.request):
        return Intent("cheaper", request=request)
    return None


def pointed_at(text: str, context: Context) -> tuple[str, ...]:
    """Return the products that a message points at, in the order of the message: by number, identifier or name."""
    found: list[tuple[int, str]] = []
    lowered = text.lower()
    for asin in dict.fromkeys([*context.shown, *(context.known or {})]):
        place = lowered.find(asin.lower())
        if place >= 0 and re.search(rf"(?<!\w){re.escape(asin.lower())}(?!\w)", lowered) and any(c.isdigit() for c in asin):
            found.append((place, asin))
    shown = context.shown
    if not found and shown:
        for match in re.finditer(r"\b(" + "|".join(ORDINALS) + r")\b(?!\s+(?:time|aid|thing))", lowered):
            if _POINTING.search(lowered) or len(words(text)) < 3:
                number = ORDINALS[match.group(1)]
                if number <= len(shown):
                    found.append((match.start(), shown[number - 1 if number > 0 else -1]))
        for match in _NUMBERED.finditer(lowered):
            said = match.group("number") or match.group("hash") or match.group("bare")
            number = NUMBER_WORDS.get(said, 0) or (int(said) if said.isdigit() else 0)
            # On an opened product with sizes, a bare number is a size.
            if match.group("bare") and context.asked_options:
                continue
            if 1 <= number <= len(shown):
                found.append((match.start(), shown[number - 1]))
    if not found and shown and (_CHEAPEST_ONE.search(text) or _BEST_ONE.search(text)):
        found.append((0, _extreme(context, cheapest=bool(_CHEAPEST_ONE.search(text)))))
    if not found and shown and (named := _by_name(text, context)):
        found.append((0, named))
    return tuple(dict.fromkeys(asin for _, asin in sorted(found)))


def _by_name(text: str, context: Context) -> str | None:
    """Find the one shown product whose title holds what `the blue shirt` says."""
    match = re.search(r"\b(?:the|that|this)\s+(?P<name>.+)$", text.lower())
    if not match or len(match["name"]) > 100:
        return None
    name = [stem(word) for word in words(re.split(r"[,.;?!]", match["name"])[0])]
    name = [word for word in name if word not in STOP_WORDS and word not in FILLERS]
    if not name:
        return None
    holding = [asin for asin in context.shown if (known := context.product(asin)) and set(name) <= set(stems(known.card.title))]
    return holding[0] if len(holding) == 1 or (holding and len(name) > 2) else None


def _several(text: str, pointed: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """Return the products of `the first two`, `all of them`, `these`; at most as many as fit a table."""
    lowered = text.lower()
    if match := re.search(r"\b(?:first|top)\s+(\d|two|three|four|five)\b", lowered):
        count = NUMBER_WORDS.get(match.group(1)) or int(match.group(1))
        return context.shown[: min(count, 4)]
    if match := re.search(r"\b(?:last)\s+(\d|two|three)\b", lowered):
        count = NUMBER_WORDS.get(match.group(1)) or int(match.group(1))
        return context.shown[-count:]
    if numbers := [int(n) for n in re.findall(r"\b\d{1,2}\b", lowered)]:
        return tuple(dict.fromkeys(context.shown[n - 1] for n in numbers if 1 <= n <= len(context.shown)))
    if pointed and context.chosen and pointed[0] != context.chosen:
        return (context.chosen, pointed[0])
    count = 3 if re.search(r"\b(?:all|three)\b", lowered) else 2
    return context.shown[:count]


def _extreme(context: Context, cheapest: bool) -> str:
    def price(asin: str) -> float:
        known = context.product(asin)
        return known.card.low_usd if known and known.card.low_usd is not None else float("inf")

    def rating(asin: str) -> float:
        known = context.product(asin)
        return -(known.card.rating or 0.0) if known else 0.0

    return min(context.shown, key=price if cheapest else rating)


def _refines(text: str, request: Request, before: Request) -> bool:
    """Whether a message changes the wish so far rather than naming a new one."""
    if _REFINE.search(text) and not _new_thing(request, before):
        return True
    if _CHEAPER.search(text) and not _new_thing(request, before):
        return True
    if request.empty:
        return request.budget.bounded or request.budget.cheap or bool(request.wishes) or bool(request.excluded)
    wished = {part for wish in request.wishes for part in words(wish.value)}
    if all(word in COLOURS or word in wished or word in SIZES for word in request.words):
        return True
    return bool(_INSTEAD_THING.search(text)) and len(request.words) < 4


def _new_thing(request: Request, before: Request) -> bool:
    """Whether a message names a thing of its own before any describing word: `jeans in blue`, but not `in blue`."""
    named = [word for word in request.words if word not in request.detail and word not in COLOURS]
    if not request.text or not named or before.empty:
        return False
    first = re.search(r"\b(?:in|with|without|size|under|below|less|between|for|made|not|over|above|at|up|around|max)\b", request.text.lower())
    place = request.text.lower().find(named[0])
    known = {stem(word) for word in before.words}
    return all(stem(word) not in known for word in named) and (first is None or place < first.start())


def _only_about_options(text: str) -> bool:
    return len(words(text)) <= 12 and not re.search(r"\b(?:find|search|looking for|show me)\b", text.lower())


def _option_kind(request: Request, product: Knowledge) -> bool:
    """Whether a message names a colour or size although the product offers no such value."""
    wished = {part for wish in request.wishes for part in words(wish.value)}
    return bool(request.wishes) and all(word in wished for word in request.words) and bool(product.card.options)


def _without_pointing(text: str) -> str:
    """Take out `the second one` so that its words are not read as option values."""
    pattern = r"\b(?:the\s+)?(?:" + "|".join(ORDINALS) + r")(?:\s+one)?\b|\b(?:number|no\.?|#)\s*\d+\b|\b(?:buy|purchase|order|take|get)\s+(?:it|this|that)\b"
    return re.sub(pattern, " ", text, flags=re.IGNORECASE)


def _vague(request: Request) -> bool:
    return bool({stem(word) for word in request.words} & {"picture", "image", "photo", "this", "similar", "same", "look", "style"})


def _shoppy(text: str) -> bool:
    return bool(re.search(r"\b(?:buy|looking for|find me|need|want|shop|under \$?\d|price)\b", text.lower()))
