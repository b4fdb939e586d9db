"""People who know what they want: find, budget, options."""

from personalized_shopping.evaluation.conversations.building import Builder
from personalized_shopping.evaluation.conversations.model import Line, Part, Wish

PICK, DELEGATE, TAKE = Line(kind="pick"), Line(kind="delegate"), Line(kind="take")


def add_buying(add: Builder) -> None:
    """Add the cases of people who come to buy."""
    _find(add)
    _budget(add)
    _options(add)


def _find(build: Builder) -> None:
    def find(name: str, opening: str, wish: Wish, *lines: Line, **more: tuple[str, ...]) -> None:
        build.add("find", name, opening, wish, *(lines or (PICK, TAKE)), **more)  # type: ignore[arg-type]

    find(
        "chinos",
        "Hi! I need slim fit chinos for men that don't mind a bit of rain.",
        Wish(product="men's pants", features=("slim fit", "water resistant"), options={"color": "navy"}),
    )
    find(
        "power-bank",
        "I'm off to a festival and want a 20000mAh power bank with a display.",
        Wish(product="portable power banks", features=("20000 mah", "display"), options={"color": "pink"}),
    )
    find(
        "desk-chair",
        "My back hurts at work. Can you find me a high back desk chair with lumbar support?",
        Wish(product="office chairs", features=("high back", "lumbar support"), options={"color": "navy"}),
    )
    find(
        "toothbrush",
        "I travel a lot, so an electric toothbrush that comes with a travel case would be great.",
        Wish(product="electric toothbrushes", features=("travel case",), options={"color": "pink"}),
        DELEGATE,
        TAKE,
    )
    find(
        "beanie",
        "A merino wool beanie for my wife, please.",
        Wish(product="women's hats & caps", features=("merino wool",), options={"color": "sage"}),
        DELEGATE,
        TAKE,
    )
    find(
        "coffee-table",
        "We're furnishing a small flat and look for a coffee table with a lift top made of engineered wood.",
        Wish(product="coffee tables", features=("engineered wood", "lift top"), options={"color": "walnut"}),
    )
    find(
        "speaker",
        "Looking for a bluetooth speaker with 360 degree sound, something for the garden.",
        Wish(product="bluetooth speakers", features=("360 degree sound",), options={"color": "white"}),
        DELEGATE,
        TAKE,
    )
    find(
        "watch",
        "I want to give my dad a chronograph watch with a leather strap.",
        Wish(product="men's watches", features=("chronograph dial", "leather strap"), options={"color": "cognac"}),
    )
    find(
        "mouse",
        "Which wireless mice do you have that are slim and click silently? It's for the library.",
        Wish(product="computer mice", features=("slim body", "silent click"), options={"color": "gray"}),
    )


def _budget(build: Builder) -> None:
    def budget(name: str, opening: str, wish: Wish, *lines: Line, told: tuple[str, ...] = ()) -> None:
        build.add("budget", name, opening, wish, *(lines or (PICK, TAKE)), told=told)

    budget(
        "headphones",
        "Noise cancelling headphones that fold, please. I can spend 80 dollars, not more.",
        Wish(
            product="headphones",
            features=("noise cancelling", "foldable"),
            options={"color": "blue"},
            limit_usd=80,
        ),
        told=("limit",),
    )
    budget(
        "hair-dryer",
        "I need an 1875W hair dryer with a diffuser.",
        Wish(product="hair dryers", features=("1875 watts", "diffuser"), options={"color": "mint"}, limit_usd=80),
    )
    budget(
        "lamp",
        "Show me bedside lamps with a dimmer for less than $45, please.",
        Wish(product="table lamps", features=("dimmer",), options={"color": "gold"}, limit_usd=45),
        told=("limit",),
    )
    budget(
        "sneakers",
        "Mesh sneakers or running shoes for women, under 60 dollars.",
        Wish(
            product="women's athletic shoes",
            features=("breathable mesh",),
            options={"color": "coral", "size": "8"},
            limit_usd=60,
        ),
        told=("limit",),
    )
    budget(
        "polo",
        "A performance polo shirt for golf, and it must not be expensive.",
        Wish(
            product="men's polo shirts",
            features=("moisture wicking",),
            options={"color": "mustard", "size": "large"},
            limit_usd=25,
        ),
    )
    budget(
        "phone-case",
        "A slim protective phone case with a soft touch. I'd pay up to $16.",
        Wish(
            product="cell phone cases",
            features=("slim design", "soft touch"),
            options={"color": "white", "size": "6.1 inch"},
            limit_usd=16,
        ),
        DELEGATE,
        TAKE,
        told=("limit",),
    )
    budget(
        "chair",
        "My home office needs a mesh back chair with flip-up arms, for 125 dollars at most.",
        Wish(product="office chairs", features=("mesh back", "flip up arms"), limit_usd=125),
        DELEGATE,
        TAKE,
        told=("limit",),
    )
    budget(
        "wide-leg-jeans",
        "Do you have high rise wide leg jeans for women? I shop on a budget.",
        Wish(
            product="women's jeans",
            features=("high waist", "wide leg"),
            options={"color": "black", "size": "8"},
            limit_usd=40,
        ),
    )


def _options(build: Builder) -> None:
    def options(
        name: str,
        opening: str,
        wish: Wish,
        *lines: Line,
        told: tuple[str, ...] = (),
        parts: tuple[Part, ...] = (),
    ) -> None:
        build.add("options", name, opening, wish, *(lines or (PICK, TAKE)), told=told, parts=parts)

    options(
        "slippers",
        "House slippers for men, faux fur lined, please.",
        Wish(product="slippers", features=("faux fur",), options={"color": "camel", "size": "9.5"}),
    )
    options(
        "t-shirt",
        "I'd like a classic fit cotton t-shirt for men.",
        Wish(
            product="men's t-shirts & tanks",
            features=("cotton fabric", "classic fit"),
            options={"color": "burgundy", "size": "xx-large"},
        ),
        parts=(
            Part(about="color", value="burgundy", words="Something like wine red; burgundy if they have it."),
            Part(about="size", value="xx-large", words="I'm a big guy, so xx-large."),
        ),
    )
    options(
        "tea",
        "Green tea, the jasmine kind.",
        Wish(product="green tea", features=("jasmine",), options={"flavor": "peppermint", "size": "50 count"}),
    )
    options(
        "rug",
        "I'm after a vintage low pile rug for the bedroom.",
        Wish(
            product="area rugs",
            features=("vintage pattern", "low pile"),
            options={"color": "ivory", "size": "5 x 7 ft"},
        ),
        parts=(Part(about="size", value="5 x 7 ft", words="The 5 x 7 ft one would fit."),),
    )
    options(
        "cardigan",
        "A long chunky knit cardigan for women, size medium.",
        Wish(
            product="women's cardigans",
            features=("chunky knit", "long length"),
            options={"color": "sage", "size": "medium"},
        ),
        told=("size",),
    )
    options(
        "popcorn",
        "Movie night! I want air popped popcorn.",
        Wish(product="popcorn", features=("air popped",), options={"flavor": "white cheddar", "pack": "pack of 2"}),
        parts=(Part(about="pack", value="pack of 2", words="Two packs are enough, so the pack of 2."),),
    )
    options(
        "pillow-covers",
        "Linen pillow covers for the sofa, 20 x 20 inch.",
        Wish(
            product="throw pillow covers",
            features=("linen fabric",),
            options={"color": "sage green", "size": "20 x 20 inch"},
        ),
        DELEGATE,
        TAKE,
        told=("size",),
    )
    options(
        "bars",
        "Energy bars with plant protein, please.",
        Wish(
            product="protein bars",
            features=("plant based",),
            options={"flavor": "peanut butter", "count": "12 count"},
        ),
    )
