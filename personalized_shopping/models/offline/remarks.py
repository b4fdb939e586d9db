"""What a message does besides naming a thing: refuse, take, leave the choice, praise; and what it then still says."""

import re

from personalized_shopping.shared_libraries.requests.text import words
from personalized_shopping.shared_libraries.requests.vocabulary import FILLERS, STOP_WORDS

_BUYING = r"(?:buy(?:ing)?|order(?:ing)?|purchas(?:e|ing)|tak(?:e|ing)|check(?:ing)? ?out|pay(?:ing)? for)"
_NOT = (
    r"(?:don'?t|do not|never|won'?t|will not|wouldn'?t|would not|shouldn'?t|should not|can'?t|cannot|"
    r"(?:i'?m|i am|we'?re|we are|am|'m|are|is|was|better|rather|please|to) not|no longer|not(?= (?:going|to|gonna)\b))"
)
_BETWEEN = (
    r"(?:(?:want|wish|like|need|going|gonna|to|you|yet|really|be|even|ever|please|actually|just|have|dare)\s+){0,5}"
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


REFUSES = _any(
    rf"\b{_NOT}\s+{_BETWEEN}{_BUYING}\b(?! (?:long|up|care)\b)",
    rf"\bnot sure\b[^.!?]{{0,30}}\b{_BUYING}\b",
    r"^(?:(?:oh|sorry|wait|no|actually)[\s,]+)*(?:i'?ve |i have |i )?changed my mind[\s.!]*$",
    r"\bdecided (?:against|not to)\b|\b(?:i'?d|i would|would|had)? ?(?:better|rather) not\b",
    r"\b(?:sleep on|think about|think) (?:it|this|that)(?: over)?\b(?!\?)|\bhold off\b|\b(?:i'?ll|"
    r"i will) (?:pass|wait)\b",
    r"\bnot (?:yet|now|today|this time|interested|for me)\b|\bno longer (?:want|need)\b|\bno deal\b",
    r"\b(?:just|only) (?:looking|browsing|window[- ]shopping|having a look)\b(?! for)",
    r"\b(?:i'?ll|i will|may|might) (?:come|be) back\b|\b(?:some|an)other (?:time|day)\b",
    r"\b(?:cancel|leave|skip|drop|forget) (?:it|that|this|the (?:order|purchase))\b",
    r"\b(?:don'?t|do not) (?:want|need) (?:it|this|that|them|any ?(?:thing|more|of (?:it|this|"
    r"them))?)(?: any ?more)?\s*(?:[.,;!]|$)",
)
"""Saying no to a purchase, in the middle of other words too. Nothing is bought on such a message."""
FORBIDS = _any(rf"\b{_NOT}\s+{_BETWEEN}{_BUYING}\b")
"""A purchase is ruled out, or ruled out under a condition: `do not buy anything without asking`."""
HESITATES = _any(
    r"\b(?:before|if|when|whether|until|should|shall|would you|could you see yourself|do you think|why)\s+"
    rf"(?:(?:i|we|you|to|should|would|can)\s+){{0,3}}(?:{_BUYING}|decide)\b",
    r"\bnot sure\b",
)
"""Words about buying that ask for no purchase: `before I buy it`, `should I take this?`."""
_LEADS = (
    r"(?:(?:please|ok(?:ay)?|yes|good|great|fine|perfect|right|well|so|then|now|and|just|alright|all right|"
    r"go ahead and|"
    r"sure|cool|nice|thanks|in that case|i think|i guess|i'?ll|i will|we'?ll|i want to|i wanna|i'?d like to|"
    r"i would like to|"
    r"i'?d love to|let'?s|let us|let me|can you|could you|would you|you can|you may|i can|i'?m going to)[\s,!.]+)*"
)
TAKES = _any(
    rf"(?:^|[.!?;,]\s*|\band\s+){_LEADS}(?:buy|order|purchase|take|get)\s+(?:me\s+)?"
    r"(?:it|this|that|them|these|those|one of)\b",
    rf"(?:^|[.!?;,]\s*|\band\s+){_LEADS}(?:buy|order|purchase|take)\s+(?:me\s+|for me\s+)?(?:the|that|this|number|#)\b",
    r"\b(?:i'?m|i am) (?:going with|taking|buying|getting) (?:it|this|that|the)\b|\bi(?:'?ll| will) go (?:with|for)\b",
    r"\bput (?:it|that|this) in (?:my|the) (?:cart|basket)\b",
)
"""Asking for a purchase of something that was talked about."""
TAKEN_WORDS = _any(
    rf"{_LEADS}\b(?:buy|order|purchase|take|get)\b(?:\s+(?:me|for me))?(?:\s+(?:it|this|that|"
    rf"them)\b)?(?:\s+(?:for me|now))?",
    r"\bthat'?s the one\b|\bthat is the one\b",
)
LEAVES = _any(
    r"\byou(?: can| may| should| could|'?d better)? (?:choose|pick|decide|select|tell me)\b",
    r"\b(?:choose|pick|select|decide|open|take|show me|recommend)\s+(?:(?:one|it|something|just)\s+)?"
    r"(?:for me\b|(?:the |your )?(?:best|favou?rite|nicest)\b|the one (?:that |which )?(?:you|fits|suits|is best)\b)",
    r"\bwhich(?:ever)? (?:one )?you (?:think|like|prefer|would|recommend|want)\b|\bwhatever you (?:think|like|"
    r"say|recommend)\b",
    r"\byour (?:choice|pick|recommendation|call|favou?rite)\b|\bup to you\b|\bi trust you\b|\bsurprise me\b",
    r"\b(?:can'?t|cannot|can not|don'?t know how to|unable to) (?:decide|choose|pick|make up my mind)\b",
    r"\bwhat (?:do|would) you (?:recommend|suggest|choose|pick|take)\b|\b(?:help me|let you) (?:choose|pick|decide)\b",
    r"\bthe one (?:that |which )?you (?:think|like|find|recommend|would)\b",
    r"\bthe (?:best|closest) (?:match|fit|choice|option)\b|\bthe one (?:that |which )?(?:fits|suits|"
    r"matches)\b.*\bbest\b",
)
"""Leaving the choice among what was shown to the shopper."""
_JUDGING_WORDS = (
    "choose pick decide select best one match fit fits suits suit matches closest think said what costs cost least "
    "most less cheapest cheaper lowest price rated rating open just you your recommend can't cannot can not favorite "
    "favourite nicest whichever whatever trust surprise mind make up between help let don't know who better good "
    "nice right tell them those these all of according wishes needs described asked told wanted opinion call"
)
_JUDGING = frozenset(_JUDGING_WORDS.split())
PRAISES = re.compile(
    r"^(?:(?:oh|ah|wow|hmm|well|ok(?:ay)?|yes)[\s,!.]+)*(?:(?:it|this|that|they|these|those|"
    r"the \w+)\s+)?(?:really |all )?"
    r"(?:(?:looks?|sounds?|seems?|is|are|'s)\s+(?:\w+\s+)?(?:nice|good|great|lovely|pretty|beautiful|cool|fine|perfect|"
    r"neat|interesting|promising|right|amazing|fantastic)|(?:lovely|beautiful|pretty|cool|wow|neat|interesting|amazing|"
    r"gorgeous|fantastic))\b(?:\s+to me)?(?:[\s,.!]+i (?:really )?(?:like|love) (?:the|its|it|that|"
    r"how)\b[^?]*)?[\s!.,…]*$",
    re.IGNORECASE,
)
"""A kind word and nothing else: nothing is searched and nothing is bought on it."""
_TURNS_TO = _any(
    r"\binstead\b|\b(?:show|find|search|look for|make it|what about|how about|do you have|have you got|"
    r"any other|others?)\b",
    r"^\s*(?:but |then )?(?:i (?:want|need|would like|'d like|prefer)|i'd (?:like|prefer|rather have))\b",
    r"^\s*(?:in|under|below|with|without|cheaper|the (?:first|second|third|other|last))\b|\bgo back\b",
)
_CLAUSE = re.compile(r"(?<=[.!?;,])\s+(?:but\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_ASIDES = _any(
    r",?\s*\b(?:just )?(?:like|as) (?:my|our|his|her|their)(?: \w+){1,3}(?=\s*(?:[.,;!?]|$))",
    r"^(?!.*\b(?:need|want|looking for|like|find|show|buy)\b[^,]*,\s*so\b)[^,.!?]{3,60},\s*so\s+(?=(?:i|we|"
    r"an?|the|some|"
    r"something|please|maybe|it|they)\b)",
    r"\b(?:would|will) (?:be|do) (?:great|nice|lovely|perfect|good|ideal|wonderful|fine|best)\b",
    r",?\s*\b(?:rather than|instead of) (?:in )?[\w-]+(?: \w+)?(?=\s*(?:[.,;!?]|$))",
    r",?\s*\b(?:because|since|'?cause)\b[^.;!?]*",
    r",?\s*\bto (?:match|go with|suit) (?:my|our|his|her|their|the)(?: \w+){1,3}",
    r"(?:,|\band)\s*nothing else\b|\b(?:and )?no other\b(?: \w+)?",
    r"[.!?]\s+(?:do you (?:have|sell|stock) (?:that|it|this|them|any|one)(?: in stock)?|is (?:there|"
    r"that) (?:one|any|possible|available)|"
    r"can you (?:do|find) that)\s*\?",
    r"\b(?:is|are) there (?:a (?:pair|one|version)|any|one)(?= in\b)",
    r"\bis there anything else\s*\??",
)
_NEGATED = _any(
    r"\b(?:rather than|instead of|and not|but not|not|(?:can'?t|cannot|mustn'?t|must not|shouldn'?t) be|"
    r"don'?t want)\s+(?:in\s+|the\s+|a\s+|size\s+)?[\w-]+(?:\s+(?:one|ones))?"
)
_NONE_OF = _any(
    r"^\s*(?:(?:no|hmm+|sorry|well)[\s,.]+)*(?:none of (?:those|these|them)|(?:those|these|they|that|it|"
    r"this)(?:'s| are| is| do| does)?"
    r"\s?(?:n'?t|not))\b[^.!?]*[.!?]\s+"
)


def sentences(text: str) -> list[str]:
    """Cut a message into its sentences."""
    return _SENTENCE.split(text)


def refuses(text: str) -> bool:
    """Whether a message says no to a purchase, whatever else it says."""
    return bool(REFUSES.search(text))


def without_refusal(text: str) -> str:
    """Return a message without its clauses of refusing: `a red scarf, but do not buy it yet`."""
    return " ".join(one for one in _CLAUSE.split(text) if not REFUSES.search(one))


def takes(text: str) -> bool:
    """Whether a message asks for a purchase of what was talked about; never where it also says no or doubts."""
    return bool(TAKES.search(text)) and not refuses(text) and not HESITATES.search(text)


def after_refusal(text: str) -> str:
    """Return the sentences of a refusal that turn to something else; empty where it only says no."""
    rest = [one for one in _CLAUSE.split(text) if not REFUSES.search(one) and _TURNS_TO.search(one)]
    return " ".join(rest)


def without_taking(text: str) -> str:
    """Return a message without its words of buying."""
    return TAKEN_WORDS.sub(" ", re.sub(r"\b(?:good|fine|nice|great|lovely|ok)\b[,.!]?", " ", text, flags=re.IGNORECASE))


def leaves_choice(text: str) -> bool:
    """Whether a message leaves the choice to the shopper, and names nothing new to look for."""
    if not LEAVES.search(text):
        return False
    rest = [word for word in words(TAKEN_WORDS.sub(" ", text)) if word not in STOP_WORDS | FILLERS | _JUDGING]
    return len(rest) < 2


def plain(text: str) -> str:
    """Return a message without asides that no search can use: `like my team`, `because it is winter`."""
    return " ".join(_ASIDES.sub(" ", _NONE_OF.sub(" ", text)).split())


def without_negated(text: str) -> str:
    """Return a message without the values that it turns down: `white rather than grey`, `not navy`."""
    return _NEGATED.sub(" ", text)
