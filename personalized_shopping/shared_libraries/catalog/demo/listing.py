"""Makes one product's listing in WebShop's raw format: facts first, and every text from those facts."""

from typing import Any

import msgspec

from personalized_shopping.shared_libraries.catalog.demo.content import Ask, Content, Feature, Kind
from personalized_shopping.shared_libraries.catalog.demo.draw import Draw
from personalized_shopping.shared_libraries.catalog.demo.grammar import fix_articles
from personalized_shopping.shared_libraries.catalog.demo.pictures import picture, swatch

# Every ending keeps two decimals when a price is shown as a float: 12.99 and never 12.9.
_CENTS = ("99", "99", "99", "95", "49", "79", "89", "97", "29")
_NEUTRAL = "#8a9099"
_MAX_BULLETS = 6


class Offer(msgspec.Struct, frozen=True):
    """An option as this product has it: the values offered, or the one value it comes in."""

    name: str
    slot: str
    values: tuple[tuple[str, float], ...]
    fixed: bool


class Listing(msgspec.Struct, frozen=True):
    """One product: its raw fields and the facts they were written from."""

    raw: dict[str, Any]
    features: tuple[Feature, ...]
    offers: tuple[Offer, ...]

    def chosen(self, draw: Draw) -> dict[str, str]:
        """Choose a value of every option offered, by the option's slot."""
        return {offer.slot: draw.one(offer.values)[0].lower() for offer in self.offers if not offer.fixed}


def make_listing(
    kind: Kind, asin: str, brand: str, draw: Draw, words: Content, *, ask: Ask | None = None, plain: bool = False
) -> Listing:
    """Draw a product of a kind.

    Args:
        kind: what it is.
        asin: its identifier.
        brand: its brand's name, with the collection's where it has one.
        draw: where every choice comes from.
        words: the vocabulary, for colours and drawings.
        ask: a request that the product must satisfy.
        plain: make cheap pictures, for very large catalogues.

    Returns:
        The listing, whose raw fields have the shape of WebShop's files.
    """
    axes, extras = _features(kind, draw, ask)
    offers = _offers(kind, draw, ask)
    slots = {"brand": brand, "noun": draw.one(kind.nouns), **kind.words}
    for name, feature in axes.items():
        slots[name] = feature.title
        slots[name + "_l"] = feature.title.lower()
    main_image, customization = _pictured(kind, offers, draw, words, plain)
    raw = {
        "asin": asin,
        "name": _title(kind, slots, extras, offers, draw),
        "full_description": _description(kind, slots, draw),
        "small_description": _bullets(kind, axes, extras, draw),
        "pricing": _pricing(kind, offers, draw),
        "images": [main_image],
        "product_category": kind.path,
        "customization_options": customization,
        "category": kind.category,
        "query": kind.query,
    }
    return Listing(raw=raw, features=(*axes.values(), *extras), offers=offers)


def _features(kind: Kind, draw: Draw, ask: Ask | None) -> tuple[dict[str, Feature], list[Feature]]:
    attributes = ask.attributes if ask else ()
    forced = ask.forced if ask else ()

    def wanted(feature: Feature) -> bool:
        return feature.attribute in attributes or feature.title in forced

    axes = {}
    for name, values in kind.axes.items():
        axes[name] = draw.one([value for value in values if wanted(value)] or values)
    needed = [feature for feature in kind.pool if wanted(feature)]
    others = [feature for feature in kind.pool if not wanted(feature)]
    extras = [*kind.always, *needed, *draw.some(others, draw.between(2, 4) - len(needed) // 2)]
    return axes, draw.some(extras, len(extras))


def _offers(kind: Kind, draw: Draw, ask: Ask | None) -> tuple[Offer, ...]:
    offers = []
    for option in kind.options:
        named = ask is not None and "{" + option.slot + "}" in ask.text
        if named or draw.number() < option.chance:
            pick = draw.some_in_order if option.ordered else draw.some
            values = tuple(pick(option.values, draw.between(option.least, option.most)))
            offers.append(Offer(option.name, option.slot, values, fixed=False))
        else:
            offers.append(Offer(option.name, option.slot, (draw.one(option.values),), fixed=True))
    return tuple(offers)


def _title(kind: Kind, slots: dict[str, str], extras: list[Feature], offers: tuple[Offer, ...], draw: Draw) -> str:
    parts = [draw.one(kind.titles).format_map(slots)]
    parts.extend([feature.title for feature in extras if feature.title][: draw.between(0, 2)])
    parts.extend(offer.values[0][0] for offer in offers if offer.fixed)
    # An axis without a word for the title leaves a gap behind.
    return " ".join(", ".join(parts).split()).replace(" ,", ",")


def _description(kind: Kind, slots: dict[str, str], draw: Draw) -> str:
    text = draw.one(kind.descriptions).format_map(slots)
    if kind.about and draw.number() < 0.6:
        text += " " + draw.one(kind.about).format_map(slots)
    return fix_articles(text)


def _bullets(kind: Kind, axes: dict[str, Feature], extras: list[Feature], draw: Draw) -> list[str]:
    told = [draw.one(feature.bullets) for feature in (*axes.values(), *extras) if feature.bullets]
    plain = draw.some(kind.bullets, draw.between(1, 2))
    return [*told[: _MAX_BULLETS - len(plain)], *plain]


def _pricing(kind: Kind, offers: tuple[Offer, ...], draw: Draw) -> str:
    low, high = kind.price
    base = low + (high - low) * draw.number() ** 1.4
    cents = draw.one(_CENTS)
    cheapest = dearest = 1.0
    for offer in offers:
        factors = [factor for _, factor in offer.values]
        cheapest *= min(factors)
        dearest *= max(factors)
    first, last = int(base * cheapest), int(base * dearest)
    return f"${first}.{cents}" if last <= first else f"${first}.{cents} - ${last}.{cents}"


def _pictured(
    kind: Kind, offers: tuple[Offer, ...], draw: Draw, words: Content, plain: bool
) -> tuple[str, dict[str, list[dict[str, Any]]] | str]:
    drawing = words.icons[kind.icon]
    main: str | None = None
    customization: dict[str, list[dict[str, Any]]] = {}
    for offer in offers:
        values: list[dict[str, Any]] = []
        for value, _ in offer.values:
            colour = words.colours.get(value.lower())
            image = None
            if colour is not None and not (plain and main is not None):
                image = swatch(colour) if plain else picture(drawing, colour)
                main = main or image
            values.append({"value": value, "image": image})
        if not offer.fixed:
            customization[offer.name] = values
    if main is None:
        tint = words.colours[draw.one(kind.tints)] if kind.tints else _NEUTRAL
        main = swatch(tint) if plain else picture(drawing, tint)
    # WebShop's files write "" where a product has no options.
    return main, customization or ""
