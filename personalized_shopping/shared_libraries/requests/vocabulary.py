"""The words that the offline shopper knows: everyday English, and nothing about any catalogue."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip

ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6, "seventh": 7, "7th": 7, "eighth": 8, "8th": 8, "ninth": 9, "9th": 9, "tenth": 10, "10th": 10,
    "last": -1,
}  # fmt: skip

COLOURS = _words(
    "red blue green yellow orange purple violet pink black white gray grey brown beige ivory cream tan khaki navy "
    "teal turquoise aqua cyan indigo lavender lilac magenta fuchsia maroon burgundy crimson scarlet coral salmon "
    "peach gold golden silver bronze copper champagne charcoal olive mint lime emerald sage mustard plum mauve rose "
    "rust wine camel chocolate coffee taupe espresso walnut multicolor multicolored multicolour rainbow clear "
    "transparent leopard camo camouflage blonde brunette apricot denim heather"
)
"""Words that can name a colour. Some name other things too (rose, coffee): where that matters, context decides."""

SHADES = _words("dark light bright deep pale hot sky royal baby army forest neon matte wine rose off")
"""Words that belong to the colour after them: `dark blue`, `rose gold`."""

EDIBLE = _words("chocolate coffee cream espresso walnut salmon lime mint plum peach apricot mustard")
"""Colours that stay food beside a shade: `dark chocolate`."""

AMBIGUOUS_COLOURS = _words(
    "rose chocolate coffee cream gold silver clear orange peach mint lime wine plum champagne copper coral olive "
    "walnut leopard denim rust espresso camel apricot salmon sage mustard bronze tan heather"
)
"""Colours that are as often a material, a food or a scent; a plain mention of them is no demand for a colour."""

SIZES = {
    "xxs": "xx-small", "xs": "x-small", "s": "small", "m": "medium", "l": "large", "xl": "x-large", "xxl": "xx-large",
    "2xl": "xx-large", "xxxl": "3x-large", "3xl": "3x-large", "4xl": "4x-large", "5xl": "5x-large", "6xl": "6x-large",
    "small": "small", "medium": "medium", "large": "large", "x-small": "x-small", "x-large": "x-large",
    "xx-large": "xx-large", "2x-large": "xx-large", "xxx-large": "3x-large", "3x-large": "3x-large",
    "4x-large": "4x-large", "5x-large": "5x-large", "6x-large": "6x-large", "7x-large": "7x-large",
    "xx-small": "xx-small", "extra-small": "x-small", "extra-large": "x-large", "xlarge": "x-large",
    "xxlarge": "xx-large", "twin": "twin", "twin-xl": "twin xl", "queen": "queen", "king": "king", "full": "full",
}  # fmt: skip
"""Size words and the form that shops write them in."""

PLAIN_SIZES = frozenset({"s", "m", "l", "full", "king", "queen", "twin"})
"""Sizes that need the word `size` beside them to be read as one: `m` alone is a letter, `king` a person."""

MEASURES = _words(
    "inch inches in ft foot feet cm mm m meter meters metre metres yard yards oz ounce ounces lb lbs pound pounds kg "
    "g gram grams mg ml l liter liters litre litres gb tb mb mp w watt watts v volt volts mah hz mhz ghz year years "
    "yr month months week weeks day days hour hours minute minutes min degrees percent piece pieces pcs pc pack packs "
    "count ct star stars people person persons calories cal carbs tier tiers shelf shelves"
)
"""Units: a number before one of them is a measure and never a price."""

CURRENCY = _words("dollar dollars buck bucks usd")

STOP_WORDS = _words(
    "a an the and or but so of to in on at by for from with without into onto as than then that this these those "
    "which who whose what where when how is are was were be been being am has have having had do does did can could "
    "will would shall should may might must it its it's they them their there he she his her hers him we us our you "
    "your i my mine me im i'm id i'd ive i've thats that's if also too very really just only not no any some such one "
    "ones both each about please pls kindly sure make makes made"
)
"""Words that carry no wish of their own."""

FILLERS = _words(
    "hmm hm um uh oops wow lol asap urgently "
    "looking look lookin locking looing want wants wanted wanting need needs needed needing like likes liked "
    "interested interesting interest searching search seeking seek shopping shop find finding found get getting got "
    "buy buying bought purchase purchasing help give recommend recommendation suggest suggestion trying try hoping "
    "hope wish prefer preferred preferably preferable choose chose select comes come coming available possible hello "
    "hi hey there thanks thank thankyou thx good something anything thing things item items product products kind "
    "kinds type types sort sorts pair pairs let lets let's add another other ideally maybe perhaps well okay ok yes "
    "yeah oh today now quick ly website store online know see if sell carry im iam i'll gonna wanna gotta go going "
    "requirement required important remember ensure option options color colour colored coloured colors colours size "
    "sized sizes flavor flavour flavored flavoured scent scented priced price prices pricing cost costs costing "
    "budget cheap cheaper cheapest affordable inexpensive discounted dollars dollar usd bucks"
)
"""Words of asking rather than of the thing asked for."""

CHEAP_WORDS = _words("cheap cheapest affordable inexpensive discounted low-cost budget-friendly bargain")

CLAUSE_STARTS = _words(
    "with for that which in under below from without having has is are made comes and or by to at on it its they but "
    "who whose where should must can thats that's theyll"
)
"""Words after which a request stops naming the thing and starts describing it."""

TRAILING_QUALIFIERS = _words("pack packs count piece pieces set sets pcs size sized color colour")
"""Words that end a phrase without being the thing: `coffee, 3 pack`."""

QUALIFIERS = _words(
    "free fit high low waist soft easy wrapped duty washable quality lasting long short heavy light friendly organic "
    "natural slim loose wide round small large medium big tall good nice new ready based certified fresh fast "
    "lightweight waterproof wireless portable adjustable comfortable gmo rise install clean assemble use prepare "
    "carry apply vegan keto casual"
)
"""Words that describe: a comma or an `and` after one of them does not end the naming of the thing."""

INGREDIENTS = _words(
    "artificial preservatives preservative sugar alcohol gluten dairy msg sulfate sulfates paraben parabens bpa lead "
    "caffeine fragrance nuts soy additives gmo sugar-free tested"
)
"""What `no` and `without` praise a product for: `no sugar` is looked for, not ruled out."""

NOT_EXCLUDED = _words(
    "be is are have sure only just too over under more less been to that it want need like exceed cost contain"
)
"""Words after `not` that rule nothing out: `not only`, `not sure`."""

PUNCTUATION = frozenset(",.;!?()")

CONTAINERS = _words(
    "pair pairs pack packs set sets box boxes bottle bottles bag bags case cases couple dozen bunch kind type sort "
    "piece pieces lot variety can cans jar jars roll rolls tube tubes"
)
"""`a pair of shoes` asks for shoes."""


KINDS_OF = {
    "shirt": _words("tee t-shirt tshirt polo blouse henley flannel"),
    "top": _words("tee t-shirt tshirt blouse tank shirt tunic camisole"),
    "shoe": _words("sneaker boot sandal loafer pump heel flat clog moccasin slipper trainer oxford espadrille"),
    "sneaker": _words("trainer shoe"),
    "pants": _words("jean trouser legging chino slack jogger sweatpant"),
    "trouser": _words("pants chino slack"),
    "coat": _words("jacket parka trenchcoat overcoat"),
    "jacket": _words("coat parka windbreaker blazer"),
    "sweater": _words("pullover cardigan jumper"),
    "bag": _words("backpack tote purse handbag duffel satchel pouch"),
    "headphone": _words("earbud headset earphone"),
    "earphone": _words("earbud headphone headset"),
    "couch": _words("sofa loveseat"),
    "sofa": _words("couch loveseat"),
    "drape": _words("curtain"),
    "curtain": _words("drape"),
    "rug": _words("carpet mat"),
    "carpet": _words("rug"),
    "lamp": _words("light sconce chandelier lantern"),
    "light": _words("lamp sconce chandelier lantern"),
    "cup": _words("mug tumbler"),
    "mug": _words("cup tumbler"),
    "snack": _words("chip cracker popcorn jerky cookie pretzel"),
    "candy": _words("chocolate gummy toffee caramel lollipop"),
    "perfume": _words("cologne fragrance parfum"),
    "notebook": _words("journal laptop"),
    "laptop": _words("notebook chromebook"),
    "television": _words("tv"),
    "tv": _words("television"),
    "phone": _words("smartphone cellphone"),
}
"""Everyday kinds and other names of a thing, as stems: someone who asks for a shirt is well served with a polo."""


WEARERS = {
    "men": _words("men man male men's man's gentlemen"),
    "women": _words("women woman female lady women's woman's ladie"),
    "children": _words("kid kids child children boy girl toddler baby infant"),
}
"""For whom clothes are made, as stems."""


def singular(word: str) -> str:
    """Return a rough singular, enough to see that `shirts` and `shirt` are one word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
