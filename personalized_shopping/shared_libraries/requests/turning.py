"""Read how people turn a wish round (`black instead of mint`), and what they say that names nothing (`you choose`)."""

import re
from collections.abc import Iterable

from personalized_shopping.shared_libraries.requests.text import words
from personalized_shopping.shared_libraries.requests.vocabulary import FILLERS, MEASURES, ORDINALS, STOP_WORDS

_WORD = r"(?:[^\s.,;:!?]|[.,](?=\d))+"
_SOME = rf"(?:{_WORD}\s+){{0,5}}?{_WORD}"
_END = r"(?=\s+(?:but|please|and|then|so|i|i'd|we|make|give|get|take)\b|\s*[;:!?]|\s*[.,](?!\d)|\s*$)"
_NO_VALUE = (
    r"(?:only|just|more|less|over|under|above|below|too|so|that|very|sure|cost|costing|exceed|exceeding|be|to|want|need|"
    r"have|like|really|necessarily)\b"
)
_MORE = r"(?:less|more|lower|cheaper|fewer|other|better|higher|bigger|larger|smaller|longer|shorter|pay|spend)\b"
_UNITS = "|".join(sorted(MEASURES - {"in", "m"}, key=len, reverse=True))
_TAKEN_BACK = (
    re.compile(rf"\b(?:instead\s+of|rather\s+than|in\s+place\s+of)\s+(?P<no>{_SOME}){_END}", re.IGNORECASE),
    re.compile(rf"\brather\s+(?!{_MORE})(?:{_WORD}\s+){{1,5}}?(?P<than>than\s+(?P<no>{_SOME})){_END}", re.IGNORECASE),
    re.compile(rf"\bprefer\s+(?:{_WORD}\s+){{1,4}}?(?P<than>over\s+(?!\$?\d)(?P<no>{_SOME})){_END}", re.IGNORECASE),
    re.compile(rf"\bnot\s+(?!{_NO_VALUE})(?P<no>(?:{_WORD}\s+){{0,2}}?{_WORD})(?=,?\s+but\s)", re.IGNORECASE),
    re.compile(
        rf"\bnot\s+(?:in\s+)?(?:an?\s+|the\s+)?(?P<no>size\s+\d[\d.]*\b(?:[\s-]*(?:{_UNITS})\b)?|\d[\d.]*[\s-]*(?:{_UNITS})\b)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:chang|switch|swap)\w*\s+(?:{_WORD}\s+){{0,3}}?(?P<than>from\s+(?P<no>{_SOME}))(?=\s+to\s)",
        re.IGNORECASE,
    ),
)
"""What is taken back stands in the group `no`; `than` is what goes with it, the whole match where there is none."""

_ANSWERS = (
    "fine good great perfect lovely nice cool super excellent wonderful awesome alright right sure deal sold done "
    "agreed absolutely exactly definitely yep yup best better higher highest lower lowest least less most rated "
    "rating ratings match matches fit fits suit suits decide decided choice pick picks picked picking open take takes "
    "taking go ahead proceed think said mind order ordering ordered can't cannot couldn't don't won't i'd i'll ll "
    "that'll latter former sounds looks works whichever whatever favorite favourite hold wait sorry changed change "
    "recommended instead rather same mentioned"
)
"""Words of somebody who answers, agrees or leaves the choice to others: they name nothing that a shop could sell."""
_NAMELESS = frozenset(_ANSWERS.split()) | STOP_WORDS | FILLERS | frozenset(ORDINALS)
_CLAUSE = re.compile(r"(?:[^.,;:!?\n]|[.,:](?=\S))+")
_GAPS = re.compile(r"(?P<mark>[.,;:!?])(?:\s+[.,;:!?])+(?=\s|$)")


def split_taken_back(text: str) -> tuple[str, tuple[str, ...]]:
    """Take out of a message what it names only to take it back.

    Returns:
        The message without that, and what was taken back: `50 count`, `20 count` for `50 count instead of 20 count`.
    """
    taken: list[str] = []

    def cut(match: re.Match[str]) -> str:
        taken.append(match["no"].strip())
        groups = match.groupdict()
        return match.group().replace(groups["than"], " ") if groups.get("than") else " "

    for pattern in _TAKEN_BACK:
        text = pattern.sub(cut, text)
    return " ".join(text.split()), tuple(taken)


def names_nothing(found: Iterable[str]) -> bool:
    """Return whether all of these words are an answer's: nothing is asked for by them."""
    return all(word in _NAMELESS for word in found)


def without_answers(text: str) -> str:
    """Return a message without the clauses that name nothing: `I'll take it`, `pick the best match for me`."""

    def keep(match: re.Match[str]) -> str:
        return match.group() if not names_nothing(words(match.group())) else " "

    kept = _GAPS.sub(r"\g<mark> ", _CLAUSE.sub(keep, text))
    return " ".join(kept.split()).lstrip(" .,;:!?").rstrip(" ,;:")
