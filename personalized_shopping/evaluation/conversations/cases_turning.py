"""People who turn round: they change their mind, or they do not buy after all."""

from personalized_shopping.evaluation.conversations.building import Builder
from personalized_shopping.evaluation.conversations.model import Line, Moment, Wish

PICK, TAKE = Line(kind="pick"), Line(kind="take")


def add_turning(build: Builder) -> None:
    """Add the cases of people who change their mind, and of those who leave without buying."""
    _change(build)
    _refuse(build)


def _change(build: Builder) -> None:
    def change(
        name: str, opening: str, wish: Wish, at: Moment, words: str, then: Wish, told: tuple[str, ...] = ()
    ) -> None:
        build.add("change_of_mind", name, opening, wish, PICK, TAKE, change=(at, words, then), told=told)

    change(
        "chinos-color",
        "Slim fit chinos for men, water resistant, please.",
        Wish(product="men's pants", features=("slim fit", "water resistant"), options={"color": "navy"}),
        "asked",
        "Wait, not navy. Make it black instead, please, and then buy it.",
        Wish(product="men's pants", features=("slim fit", "water resistant"), options={"color": "black"}),
    )
    change(
        "polish-color",
        "I want a plant based nail polish.",
        Wish(product="nail polish", features=("plant based",), options={"color": "mint"}),
        "asked",
        "Hold on, I've changed my mind about the color: black instead of mint, please. Then buy it.",
        Wish(product="nail polish", features=("plant based",), options={"color": "black"}),
    )
    change(
        "shirt-size",
        "A bamboo viscose t-shirt with a relaxed fit, for my husband.",
        Wish(
            product="men's t-shirts & tanks",
            features=("bamboo viscose", "relaxed fit"),
            options={"color": "olive", "size": "large"},
        ),
        "asked",
        "Sorry, I just asked him: he needs x-large, not large. Please buy it in olive and x-large.",
        Wish(
            product="men's t-shirts & tanks",
            features=("bamboo viscose", "relaxed fit"),
            options={"color": "olive", "size": "x-large"},
        ),
    )
    change(
        "lamp-to-speaker",
        "I'm looking for a brass bedside lamp with a dimmer.",
        Wish(product="table lamps", features=("brass finish", "dimmer"), options={"color": "gold"}),
        "shown",
        "You know what, forget the lamp. I'd rather have a bluetooth speaker with deep bass, in blue.",
        Wish(product="bluetooth speakers", features=("deep bass",), options={"color": "blue"}),
    )
    change(
        "beanie-to-cable",
        "A merino wool beanie for women, please.",
        Wish(product="women's hats & caps", features=("merino wool",), options={"color": "sage"}),
        "shown",
        "Wool is itchy, I forgot. Show me cable knit winter hats instead; I'd like one in ivory.",
        Wish(product="women's hats & caps", features=("cable knit",), options={"color": "ivory"}),
    )
    change(
        "headphones-budget",
        "I need noise cancelling headphones with a foldable frame.",
        Wish(product="headphones", features=("noise cancelling", "foldable"), options={"color": "black"}),
        "shown",
        "I just looked at my account: it must not cost more than $60. What is there for that?",
        Wish(product="headphones", features=("noise cancelling", "foldable"), options={"color": "black"}, limit_usd=60),
    )
    change(
        "tea-flavor",
        "Jasmine green tea, please.",
        Wish(product="green tea", features=("jasmine",), options={"flavor": "original", "size": "20 count"}),
        "asked",
        "Hmm, actually the bigger box: 50 count instead of 20 count. Then buy it, please.",
        Wish(product="green tea", features=("jasmine",), options={"flavor": "original", "size": "50 count"}),
    )
    change(
        "dress-color",
        "I need a wrap dress for a wedding that I'm invited to, for women.",
        Wish(
            product="women's dresses",
            features=("wedding guest",),
            options={"color": "striped", "size": "medium"},
        ),
        "opened",
        "Stripes at a wedding, no. I'd rather have it in wine. Size medium.",
        Wish(product="women's dresses", features=("wedding guest",), options={"color": "wine", "size": "medium"}),
    )
    change(
        "table-color",
        "A coffee table with a lift top, engineered wood.",
        Wish(product="coffee tables", features=("engineered wood", "lift top"), options={"color": "natural"}),
        "opened",
        "My sofa is white, so I'd like the table in white rather than in natural.",
        Wish(product="coffee tables", features=("engineered wood", "lift top"), options={"color": "white"}),
    )


def _refuse(build: Builder) -> None:
    def refuse(name: str, opening: str, wish: Wish, close: str) -> None:
        """Add somebody who says no when the shop asks."""
        close_line = Line(kind="close", words=close)
        build.add("refuse_purchase", name, opening, wish, PICK, TAKE, close_line, buys=False, must_ask=True)

    def look(name: str, opening: str, wish: Wish, praise: str, close: str) -> None:
        """Add somebody who only looks, and never asks to buy."""
        lines = Line(kind="ask", words=praise), Line(kind="close", words=close)
        build.add("refuse_purchase", name, opening, wish, PICK, *lines, buys=False)

    refuse(
        "cardigan-wait",
        "Show me long chunky knit cardigans for women, please.",
        Wish(product="women's cardigans", features=("chunky knit", "long length"), options={"size": "medium"}),
        "No, I'd better sleep on it. Thanks for your help.",
    )
    refuse(
        "power-bank-no",
        "A 20000mAh power bank with built-in cable, please.",
        Wish(product="portable power banks", features=("20000 mah", "built in cable")),
        "No. I've decided against it, my brother lends me his.",
    )
    refuse(
        "mouse-no",
        "I'm looking for a vertical ergonomic mouse.",
        Wish(product="computer mice", features=("ergonomic design",), options={"color": "gray"}),
        "Oh no, not yet! I have to ask my boss first.",
    )
    refuse(
        "table-no",
        "A round tempered glass coffee table would be nice.",
        Wish(product="coffee tables", features=("tempered glass", "round shape")),
        "No, now that I see the price again, I'd rather not.",
    )
    refuse(
        "watch-no",
        "A men's watch with a mesh band, please.",
        Wish(product="men's watches", features=("mesh band",), options={"color": "brown"}),
        "Please don't buy it. It was meant as a surprise, and he already has one.",
    )
    look(
        "lamp-look",
        "I just want to see some ceramic bedside lamps.",
        Wish(product="table lamps", features=("ceramic base",)),
        "Looks nice.",
        "I'm only looking today, thanks.",
    )
    look(
        "dress-look",
        "What kind of summer beach dresses for women with cap sleeves are there?",
        Wish(product="women's dresses", features=("cap sleeve", "beach vacation")),
        "Lovely! I like the cut.",
        "I'm not buying anything today. Bye!",
    )
    look(
        "speaker-look",
        "Let me see portable speakers that play in stereo pairs.",
        Wish(product="bluetooth speakers", features=("stereo sound",)),
        "Sounds good to me.",
        "I'll come back when I've been paid. Thank you.",
    )
