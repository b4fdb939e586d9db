"""How people say the things that a shopper has to tell apart, as patterns."""

import re
from typing import Literal

from personalized_shopping.shared_libraries.requests.vocabulary import NUMBER_WORDS, ORDINALS

Topic = Literal["description", "features", "reviews", "price", "rating", "options", "fact", "all"]

_POLITE = r"(?:please |can you |could you |can we |let'?s |ok(?:ay)?,? |yes,? |then )*"
_END = r"[\s!.,?…]*$"
_NTH = "|".join(ORDINALS)
_POINTED = (
    rf"(?:it|this|that|them|the\b[^.,;]*\bone|one of|the (?:{_NTH})|(?:number|no\.?|#)\s*\d+|(?:\d+(?:st|nd|rd|th)))\b"
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _whole(*patterns: str) -> re.Pattern[str]:
    """Match a message that says one of these and nothing else."""
    return re.compile(rf"^(?:{'|'.join(patterns)}){_END}", re.IGNORECASE)


GREET = _whole(
    r"(?:(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day))(?: there| again)?[\s!.,]*)+"
    r"(?:how are you(?: doing)?(?: today)?)?"
)
WHO = _any(
    r"\b(?:who|what) are you\b",
    r"\bwhat'?s your name\b",
    r"\bare you (?:a |an )?(?:human|robot|bot|ai|real|person|machine)\b",
    r"\bintroduce yourself\b",
)
HELP = _any(
    rf"^(?:please )?help(?: me)?(?: please)?{_END}",
    r"\bwhat can (?:you|i) (?:do|ask|say)",
    r"\bhow (?:does this|do you) work",
    r"\bhow do i (?:use|buy|order|shop)",
)
THANKS = _whole(
    r"(?:(?:ok(?:ay)?|great|perfect|cool|nice|no)[\s,.!]*)?(?:thanks?|thank you|thx|ty|cheers|much appreciated)\b"
    r"[^?]{0,40}"
)
BYE = _whole(
    r"(?:ok(?:ay)?[\s,.!]*)?(?:bye|goodbye|good bye|see you|that'?s all|that is all|i'?m done|exit|quit)"
    r"(?: for now| then| later| thanks)*"
)
OUTSIDE = _any(
    r"\b(?:weather|forecast|temperature outside|news|joke|poem|song lyrics|capital of|president|prime minister)\b",
    r"\b(?:stock market|football score|translate|recipe for|meaning of life|what time is it|what day is it)\b",
    r"\b(?:write|tell) (?:me )?(?:a|an|some) (?:code|program|essay|poem|story|email|joke)\b",
    r"\bpython (?:code|script|program)\b|\b(?:solve|calculate)\b|\bhow old are you\b",
    r"\bwho (?:is|was|won|invented|wrote)\b",
    r"\b(?:track|where is|where'?s|cancel|return|refund)\b.{0,12}\b(?:order|package|parcel|purchase)\b",
    r"^\s*(?:what(?:'s| is) )?\d+(?:\.\d+)?\s*[-+*/x]\s*\d+(?:\.\d+)?\s*=?\s*\??$",
)
SHOPPING = _any(r"\b(?:buy|looking for|find me|need|want|shop|under \$?\d|price)\b")
RESTART = _whole(
    _POLITE + r"(?:start (?:over|again|afresh|new)|restart|reset|new search|begin again|"
    r"forget (?:it|that|all that|everything))(?: please)?"
)
BACK = _any(
    rf"^{_POLITE}(?:go back|back|previous|return)"
    rf"(?: please| to (?:the )?(?:list|results|search|search results|previous page|others|options))*{_END}",
    rf"\b(?:back to|show me) (?:the |my )?(?:list|results|search results)(?: again)?{_END}",
)
MORE = _whole(
    _POLITE + r"(?:(?:show|give|find|see)(?: me)? )?(?:some |any )?"
    r"(?:more|others|other ones|something else|anything else|more results|more options|other options|different ones|"
    r"next page|next|alternatives|what else)(?: please| options| results| like (?:this|that|these|those))*",
    r"what else (?:do you have|is there)",
    r"(?:no[\s,.]+)?(?:i )?(?:don'?t|do not) (?:really )?(?:like|want) (?:any of )?(?:these|them|those)",
    r"(?:no[\s,.]+)?(?:none|neither) of (?:these|those|them)(?: (?:is|are|will|would|fits?|suits?)\b.{0,20})?",
    r"(?:do you have |have you got )?(?:any|anything) (?:others?|more|else)",
)
CHEAPER = _any(
    r"\b(?:cheaper|less expensive|lower[- ]priced?|more affordable|too expensive|too pricey|too much money)\b",
    r"\b(?:costs? too much|lower price|better price|cheapest)\b",
)
CHEAPEST_ONE = _any(
    r"\b(?:the |that )(?:cheapest|least expensive|lowest[- ]priced?)(?: one| of (?:them|these|those))?\b",
    r"\b(?:the|that) (?:cheaper|less expensive|more affordable|lower[- ]priced?) (?:one|of|pair|product|item|model)\b",
    r"\b(?:costs?|costing|is|are|priced) (?:the )?(?:least|less|lowest|lower|cheapest|cheaper)\b(?! than)",
    r"\bwith the (?:lower|lowest|better|best|smaller|smallest) price\b|\b(?:whichever|the one that) (?:is|"
    r"costs) (?:cheap|less)",
)
BEST_ONE = _any(
    r"\b(?:the |that )(?:best|better|top|highest|higher)[- ](?:rated|reviewed|liked)(?: one)?\b",
    r"\bwith the (?:better|best|higher|highest|most|top) (?:rating|ratings|reviews?|score|stars?)\b",
    r"\b(?:which|ones?|these|them|those)\b[^.,;!?]{0,20}\b(?:has|have|got|gets?) the "
    r"(?:best|better|highest|higher|top) (?:ratings?|reviews?|score)\b",
    r"\b(?:has|have|got|gets?) the most stars\b",
    r"\b(?:is|are|has been) (?:rated|reviewed) (?:better|best|higher|highest)\b|\bpeople (?:like|rate) (?:best|"
    r"better|most|more)\b",
)
COMPARE = _any(
    r"\b(?:compare|comparison|differences?|versus|vs\.?|which (?:one )?is better|which (?:one )?(?:would|do|should))\b"
)
YES = _whole(
    r"(?:yes|yeah|yep|yup|ya|sure|ok|okay|k|absolutely|definitely|of course|certainly|please do|do it|go ahead|"
    r"go for it|sounds good|that works|correct|right|confirm(?:ed)?|let'?s do it|perfect|great|fine)"
    r"(?:[\s,.!]+(?:please|yes|sure|thanks|thank you|do it|do that|go ahead|that'?s fine|sounds good|i do|confirm))*"
)
NO = _whole(
    r"(?:no|nope|nah|not now|not yet|no thanks|no thank you|never ?mind|cancel|stop|don'?t|do not|don'?t buy(?: it)?|"
    r"do not buy(?: it)?|not really|i'?d rather not|maybe later|wait)"
    r"(?:[\s,.!]+(?:thanks|thank you|please|not now|not yet|don'?t|it|buy it|cancel|stop|leave it))*"
)
BUY_THIS = _any(
    rf"\b(?:buy|purchase|order|get|take|(?<!you )have)\s+{_POINTED}",
    r"\b(?:i'?ll|i will|let'?s|i want to|i'?d like to) (?:take|buy|order|get|have|purchase) (?:it|this|that|number|#)",
    r"\bcheck ?out\b",
    r"\badd (?:it|this|that) to (?:my |the )?(?:cart|basket)|\bplace (?:the|my|an) order\b",
)
BUY_BARE = _whole(_POLITE + r"(?:buy|purchase|order|buy now|buy please|sold)(?: now| please)*")
BUY_FIRST = _any(
    r"^(?:please |ok(?:ay)?,? |i'?ll |i will |i want to |i'?d like to |let'?s )*(?:buy|purchase|order|take)\b"
)
ANYTHING = _whole(
    r"(?:(?:i )?(?:don'?t|do not) (?:care|mind)|any(?:thing)?(?: (?:one|colou?r|size|flavou?r|scent|style|of them|"
    r"is fine|will do|works))?|"
    r"whatever|(?:you|your) (?:choose|choice|pick|decide)|surprise me|no preference|doesn'?t matter|does not matter|"
    r"the default|either)\b.{0,30}"
)
TOPICS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    (
        "reviews",
        _any(
            r"\breviews?\b|\b(?:people|customers?|buyers|others) (?:say|think)|\bcomplain(?:s|ts)?\b",
            r"\bis it (?:any )?good\b",
            r"\bdo (?:people|customers|buyers)\b",
        ),
    ),
    (
        "description",
        _any(
            r"\bdescri(?:be|ption)",
        ),
    ),
    (
        "features",
        _any(r"\bfeatures?\b|\bspec(?:s|ifications?)?\b|\bmade (?:of|from)\b.*\?|\bmaterials?\b.*\?|\bbullet"),
    ),
    ("rating", _any(r"\brat(?:ing|ed)\b|\bhow many stars\b|\bstars\b.*\?")),
    (
        "options",
        _any(
            r"\b(?:what|which|other|available) (?:colou?r|size|option|flavou?r|style|variant|scent|pack)s?\b",
            r"\boptions\b",
        ),
    ),
    (
        "all",
        _any(
            r"\btell me (?:more )?about|\bmore (?:about|details|info(?:rmation)?)\b|\bdetails\b|\bwhat is it like",
        ),
    ),
    (
        "price",
        _any(
            r"\bhow much(?: (?:is|are|does it cost|do they cost|would|for|money)\b|[\s?!.]*$)|\bwhat(?:'s| is|"
            r" does) (?:the |its |it )?(?:price|cost)"
        ),
    ),
)
REFINE = _any(
    r"^(?:(?:ok(?:ay)?|no|yes|but|and|maybe|please|actually|what about|how about|"
    r"do you have (?:it|them|any|one|something)|have you got (?:it|them|any)|does it come|any|anything|"
    r"something|ones?|make it|show (?:me )?(?:it|them|ones?)|the same|same|it should be|it must be|only|rather|instead|"
    r"i (?:want|need|prefer|would like|'d like|would prefer) (?:it|them|one|something))\b[\s,]*)*"
    r"(?:(?:in|with|without|size|under|below|less than|between|made (?:of|from)|not|over|above|at most|up to|around|"
    r"max)\b|for (?:men|women|kids|boys|girls|him|her|children|babies|toddlers)\b)"
)
COMES_IN = _any(
    r"\b(?:does|do|can|could|will) (?:it|they|this|that|these|those|i|you|we)\b.{0,25}\bin\b",
    r"\b(?:is|are) (?:it|they|this|that|there)\b.{0,25}\b(?:in|available)\b",
)
"""Asking whether a product comes in something: `does it come in green?`, `can I get it in a 12?`."""
OF_THE_SAME = _any(
    r"^(?:(?:no|but|yes|well|so|actually|and)[\s,]+)*(?:it|they|this|these|that|those)(?:'s|'ve)?\s+"
    r"(?:(?:really|just|all) )?(?:has got|have got|got|has|have|needs?|must|should|ought|can only|may only)\s+"
    r"(?:to\s+)?(?:be|have|come|fit)\b",
)
"""Saying more about what was asked for before: `they have to be green`, `it should come with a lid`."""
TURNING_WORD = _any(r"\b(?:in|with|without|size|under|below|less|between|for|made|not|over|above|at|up|around|max)\b")
SOME_OTHER = _any(r"^(?:something|anything|ones?|any)\b")
AUTONOMOUS = _any(
    r"\b(?:buy|order|purchase|choose|decide)\b.{0,40}\b(?:without asking|on your own|by yourself|for me right away)",
    r"\b(?:do not|don'?t|no need to) ask\b|\bwithout (?:asking|confirming)",
)
UNASKED = _any(
    r"\b(?:choose|pick|select|take|decide on) (?:what(?:ever)?|the one that|one that) (?:fits|suits|is best)\b"
    r"[^.!?]{0,40}\b(?:without (?:asking|confirming)(?: me)?(?: (?:back|again))?|on your own|by yourself)[.!]?",
    r"(?:\b(?:and |then )?(?:buy|order|purchase|choose|decide)(?: it| one)? )?"
    r"\b(?:without (?:asking|confirming)(?: me)?|on your own|by yourself|for me right away|"
    r"(?:do not|don'?t|no need to) ask(?: me)?)",
)
"""The part of a message that asks for the errand without questions; the rest says what for."""
THEN_TAKE = _any(
    r"(?:[.,;!]|\b(?:and|then))\s+(?:then |please ){0,2}(?:buy|order|purchase|take|get|add)(?: me)?"
    rf" the (?:{_NTH}|(?P<cheap>cheapest|least expensive)|best|best[- ]rated|top)"
    r"(?: one| result| of (?:them|these|those))?"
    rf"(?: (?:to|in) (?:my |the )?(?:cart|basket))?(?: please)?{_END}"
)
"""What to do with the results, said before there are any: `..., and buy the first one`."""
GIFT = _any(
    r"(?<!not )\b(?:an?|some) (?:(?:nice|good|great|small|little|birthday|christmas|xmas|anniversary|wedding|"
    r"graduation|housewarming) )?(?:present|gift) for (?:my|our|a|an|the) \w+(?: \w+)?[\s,.;]{1,3}(?:who|he|she|they)"
    r" (?:really |absolutely |also )?(?:likes?|loves?|enjoys?|adores?|is into|are into)\b"
)
"""Whom it is for and that they like something; what they like follows."""
ORDINAL = _any(rf"\b(?P<nth>{_NTH})\b(?!\s+(?:time|aid|thing))")
NUMBERED = _any(
    r"\b(?:number|no\.?|option|item|product|result|choice)\s*#?\s*(?P<number>\d{1,2}|"
    + "|".join(NUMBER_WORDS)
    + r")\b",
    r"#\s*(?P<hash>\d{1,2})\b",
    r"^\s*(?P<bare>\d{1,2})\s*[.!?)]*\s*$",
)
POINTING = _any(r"\b(?:the|that|this)\b")
NAMED = _any(r"\b(?:the|that|this)\s+(?P<name>.+)$")
FIRST_FEW = _any(r"\b(?P<end>first|top|last)\s+(?P<count>\d|two|three|four|five)\b")
NUMBERS = _any(r"\b\d{1,2}\b")
ALL_OF = _any(r"\b(?:all|three|every)\b")
NOT_OPTIONS = _any(r"\b(?:find|search|looking for|show me)\b")
POINTING_WORDS = _any(
    rf"\b(?:the\s+)?(?:{_NTH})(?:\s+one)?\b",
    r"\b(?:number|no\.?|#)\s*\d+\b",
    r"\b(?:buy|purchase|order|take|get)\s+(?:it|this|that)\b",
)
