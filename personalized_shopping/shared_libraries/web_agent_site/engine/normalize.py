"""Colour and size names that the option reward compares, in the order in which they are tried."""

import re
from collections.abc import Iterable

COLOR_SET: tuple[str, ...] = (
    "alabaster",
    "apricot",
    "aqua",
    "ash",
    "asphalt",
    "azure",
    "banana",
    "beige",
    "black",
    "blue",
    "blush",
    "bordeaux",
    "bronze",
    "brown",
    "burgundy",
    "camel",
    "camo",
    "caramel",
    "champagne",
    "charcoal",
    "cheetah",
    "chestnut",
    "chocolate",
    "christmas",
    "coffee",
    "cognac",
    "copper",
    "coral",
    "cranberry",
    "cream",
    "crystal",
    "dark",
    "denim",
    "eggplant",
    "elephant",
    "espresso",
    "fuchsia",
    "gold",
    "granite",
    "grape",
    "graphite",
    "grass",
    "gray",
    "green",
    "grey",
    "heather",
    "indigo",
    "ivory",
    "ivy",
    "khaki",
    "lavender",
    "lemon",
    "leopard",
    "light",
    "lilac",
    "lime",
    "magenta",
    "maroon",
    "mauve",
    "merlot",
    "midnight",
    "mint",
    "mocha",
    "multicolor",
    "mushroom",
    "mustard",
    "natural",
    "navy",
    "nude",
    "olive",
    "orange",
    "peach",
    "pewter",
    "pink",
    "plum",
    "purple",
    "rainbow",
    "red",
    "rose",
    "royal",
    "rust",
    "sand",
    "sapphire",
    "seashell",
    "silver",
    "skull",
    "slate",
    "steel",
    "stone",
    "stonewash",
    "sunflower",
    "tan",
    "taupe",
    "teal",
    "tiger",
    "turquoise",
    "violet",
    "walnut",
    "wheat",
    "white",
    "wine",
    "yellow",
)
"""Colour names; the first that occurs in a text is its colour, so the order matters."""

SIZE_SET: tuple[str, ...] = (
    "xx-large",
    "3x-large",
    "4x-large",
    "5x-large",
    "x-large",
    "x-small",
    "medium",
    "large",
    "small",
    "queen",
    "twin",
    "full",
    "king",
    "one size",
    "pack",
)
"""Sizes that have a name; they are tried before the patterns that describe the others."""

SIZE_PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        *SIZE_SET,
        r"(.*)neck(.*)sleeve",
        r"(.*) women \| (.*) men",
        r"(.*)w x(.*)l",
        r"(.*)w by (.*)l",
        r"(.*)w x(.*)h",
        r"(.*)wide",
        r"(.*)x-wide",
        r"(.*)narrow",
        r"(.*)petite",
        r"(.*)inch",
        r"(.*)plus",
        r"(.*)mm",
        r"women(.*)",
        r"(.*)x(.*)",
        r"(.*)ft",
        r"(.*)feet",
        r"(.*)meter",
        r"(.*)yards",
        r"(.*)\*(.*)",
        r"(.*)\-(.*)",
        r'(\d+)"$',
        r"(\d+)f$",
        r"(\d+)m$",
        r"(\d+)cm$",
        r"(\d+)g$",
    )
)
"""Ways to write a size; the first that is found in a text is its size."""

NOT_MATCHED = "not_matched"
_NUMERIC = "numeric_size"


def normalize_color(color: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """Return the first colour name that is in ``color``, or ``color`` itself.

    A text is searched for the name as a substring ("titanium" is "tan"), a tuple for an equal member. Both are as
    published, because scores depend on them.
    """
    for name in COLOR_SET:
        if name in color:
            return name
    return color


def normalize_color_size(product_prices: Iterable[tuple[str, str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Map every colour and every size of the keys (anything, colour, size) to its normal form.

    Returns:
        Two mappings from lower-case text: colours to a name of ``COLOR_SET``, sizes to the pattern that matched or
        ``"numeric_size"``; ``"not_matched"`` where nothing fits.
    """
    keys = [tuple(key) for key in product_prices]
    colors = {color.lower() for _, color, _ in keys}
    sizes = {size.lower() for _, _, size in keys}
    color_mapping = {"N.A.": NOT_MATCHED}
    for color in colors:
        normal = normalize_color(color)
        color_mapping[color] = str(normal) if normal in COLOR_SET else NOT_MATCHED
    size_mapping = {"N.A.": NOT_MATCHED}
    for size in sizes:
        size_mapping[size] = _normal_size(size)
    return color_mapping, size_mapping


def _normal_size(size: str) -> str:
    for pattern in SIZE_PATTERNS:
        if pattern.search(size):
            return pattern.pattern
    return _NUMERIC if size.replace(".", "", 1).isdigit() else NOT_MATCHED
