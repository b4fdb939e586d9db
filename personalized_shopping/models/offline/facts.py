"""Answer a question about a fact of a product from what its pages say, word for word."""

import re
from collections.abc import Iterator

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.wording import quoted, title_of
from personalized_shopping.shared_libraries.requests.text import stem, stems, words
from personalized_shopping.shared_libraries.requests.vocabulary import FILLERS, STOP_WORDS

ANSWERED_WITH = 3
LINE_CHARS = 240
_ENOUGH = 1.0
_KIND_WEIGHT = 1.5
_NEAR_WEIGHT = 0.8

_TIME = r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|lifetime|nights?)\b"
_WEIGHT = r"\b(?:pounds?|lbs?|kg|kilos?|ounces?|oz|grams?|tons?)\b"
_LENGTH = r"\b(?:inch(?:es)?|feet|foot|ft|cm|mm|meters?|yards?)\b|\d\"|\bx \d"
_QUESTIONS: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(evidence, re.IGNORECASE), near)
    for asked, evidence, near in (
        (r"\bhow (?:long|many (?:hours|days|weeks|months|years))\b.*\b(?:last|charge|battery|run|play|take|keep|"
         r"work|go|hold)",
         _TIME, "battery last charge recharge run runtime playtime charging play life full"),
        (r"\bhow (?:fast|quick(?:ly)?|soon)\b|"
         r"\bhow often\b", _TIME + r"|\bfast|\bquick", "charge charging full recharge"),
        (r"\b(?:warranty|guarantee)", _TIME, "warranty guarantee warrantie"),
        (r"\b(?:how much (?:weight|load)|how many (?:pounds|kilos|kg)|weight (?:limit|capacity)|"
         r"max(?:imum)? (?:load|weight))|"
         r"\bhow (?:heavy|big)\b.*\b(?:person|load|guy)|\b(?:hold|carry|support|bear)\b",
         _WEIGHT, "hold support capacity load rated bear weight carrie carry sturdy max up"),
        (r"\bhow heavy\b|\bweigh\b", _WEIGHT, "weigh weight light lightweight heavy"),
        (r"\bhow (?:big|large|tall|wide|long|high|deep|thick)\b|\b(?:dimensions?|measure(?:ments?)?)\b", _LENGTH,
         "tall wide high long deep measure dimension size thick length width height"),
        (r"\bhow (?:loud|noisy|quiet)\b", r"\bdb\b|\bdecibels?\b|\bquiet|\bloud|\bsilent|\bnois",
         "noise quiet loud silent"),
        (r"\bhow (?:hot|warm|cold)\b", r"\bdegrees?\b|°", "warm hot cold cool insulated temperature"),
        (r"\bhow many\b", r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|dozen)\b",
         "pack set count"),
        (r"\bmachine\b.*\bwash|\bwash(?:ed|able|ing)?\b|\bclean(?:ed|ing)?\b|\bdishwasher",
         r"\bwash|\bclean|\bdishwasher|\bwipe", "wash machine hand dry tumble cold clean wipe dishwasher laundry"),
        (r"\bwaterproof|\bwater[- ]resist|\brain\b|\bwet\b|\bshower\b|\bpool\b|\bswim",
         r"\bwaterproof|\bwater|\brain|\bip[x\d]\d|\bsplash", "water waterproof resistant rain splash proof"),
        (r"\bmade (?:of|from|out)|\bmaterial|\bfabric|\bwhat is it of\b",
         r"\bmade|\bmaterial|\bfabric|%|\bcotton|\bwool|\bleather|\bsteel|\bwood|\bplastic|\bpolyester|\blinen",
         "made material fabric frame body shell upper construction"),
        (r"\bwhere\b.*\b(?:made|from|come)|\borigin", r"\bmade in\b|\bimported\b|\borigin|\bsourced|\bfrom\b",
         "made imported origin sourced grown"),
        (r"\ballerg|\bnuts?\b|\bgluten|\bvegan|\bdairy|\bingredient|\bcontain|\bcaffeine|\bsugar",
         r"\bcontains?\b|\bfree\b|\ballerg|\bvegan|\bgluten|\bingredients?|\bmay contain|\bsugar|\bcaffeine",
         "contain free allergen ingredient gluten nut dairy vegan sugar caffeine facility"),
        (r"\b(?:fit|size|sizing)\b", r"\bfits?\b|\bsize|\bsmall|\blarge|\btrue to\b|\btight|\bloose",
         "fit size run true order"),
        (r"\bassembl|\bput (?:it )?together|"
         r"\binstall", r"\bassembl|\binstall|\btools?\b|\bscrew", "assembly assemble tool install minute"),
    )
)  # fmt: skip
_ASKS = re.compile(
    r"\?\s*$|^(?:(?:and|but|so|also|ok(?:ay)?|well|just|one (?:more )?(?:thing|question)|before i (?:decide|"
    r"buy\w*|order)[^:,]*|"
    r"tell me|do you know|can you (?:tell me|say|check)|could you (?:tell me|check)|i (?:want|need|'d like|"
    r"would like) to know|"
    r"i wonder|please (?:check|tell me)|what i want to know is)\b[\s,:-]*)+"
    r"(?:how|what|is|are|does|do|will|can|has|have|if|whether|which|who|where|when)\b|^(?:how|does|is it|are they)\b",
    re.IGNORECASE,
)
_SEARCHING = re.compile(
    r"\b(?:do you (?:have|sell|carry|stock)|have you (?:got )?|are there|is there (?:a|an|any)|can you (?:find|"
    r"show|get)|"
    r"looking for|what about|how about|come in|comes in|available in|get (?:it|them|this) in|anything else|"
    r"what else|find me|show me|in stock)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SILENT = STOP_WORDS | FILLERS | {"before", "decide", "much", "many", "long", "tell", "know", "question", "wonder"}


def asks_fact(text: str) -> bool:
    """Whether a message asks something about a product rather than for products."""
    return bool(question_in(text))


def question_in(text: str) -> str:
    """Return the sentence of a message that asks something; empty where none does."""
    sentences = _SENTENCE.split(text.strip())
    return next((one for one in sentences if _ASKS.search(one) and not _SEARCHING.search(one)), "")


def answer(known: Knowledge, question: str) -> str:
    """Return the sentences of a product's pages that answer a question, each with the page that says it; or say that
    none does.
    """
    title = title_of(known.card)
    found = best_sentences(known, question)
    if not found:
        return (
            f"I have read the pages of **{title}**, and they do not answer that. "
            "Ask me something else about it, or say “buy it” or “go back”."
        )
    lines = [f"This is what the pages of **{title}** say about that:", ""]
    lines += [f"- {page}: “{quoted(sentence, LINE_CHARS)}”" for page, sentence in found]
    return "\n".join([*lines, "", "You can ask me more about it, or say “buy it” or “go back”."])


def best_sentences(known: Knowledge, question: str) -> list[tuple[str, str]]:
    """Return the sentences that speak of what a question asks, best first, with the page that each stands on."""
    asked = {stem(word) for word in words(question) if word not in _SILENT}
    asked -= set(stems(known.card.title)) & {stem(word) for word in known.card.title.lower().split()[:2]}
    evidence = [(pattern, set(near.split())) for about, pattern, near in _QUESTIONS if about.search(question)][:2]
    scored: list[tuple[float, int, str, str]] = []
    for place, (page, sentence) in enumerate(_sentences(known)):
        said = set(stems(sentence))
        common = len([word for word in asked if _spoken(word, said)])
        score = float(common)
        for pattern, near in evidence:
            if pattern.search(sentence) and (near & said or common):
                score += _KIND_WEIGHT + _NEAR_WEIGHT * len(near & said)
        if score >= _ENOUGH:
            scored.append((-score, place, page, sentence))
    scored.sort()
    return [(page, sentence) for _, _, page, sentence in scored[:ANSWERED_WITH]]


def _spoken(word: str, said: set[str]) -> bool:
    """Whether a word stands in a sentence, in this form or one that begins alike: `wash` and `washable`."""
    return word in said or (len(word) > 3 and any(other.startswith(word[: max(4, len(word) - 2)]) for other in said))


def _sentences(known: Knowledge) -> Iterator[tuple[str, str]]:
    for feature in known.features:
        yield "Features", feature
    for block in known.description:
        for sentence in _SENTENCE.split(block):
            yield "Description", sentence
    for review in known.reviews:
        for sentence in _SENTENCE.split(f"{review.title}. {review.body}" if review.title else review.body):
            yield "A review", sentence
