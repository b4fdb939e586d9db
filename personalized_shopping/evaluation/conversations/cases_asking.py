"""People who want to know something: compare, read before buying, and what the shop does not have."""

from personalized_shopping.evaluation.conversations.building import Builder
from personalized_shopping.evaluation.conversations.model import Line, Part, Wish
from personalized_shopping.evaluation.conversations.person import brand_of

TAKE = Line(kind="take")


def add_asking(build: Builder) -> None:
    """Add the cases of people who ask."""
    _compare(build)
    _read(build)
    _not_available(build)


def _compare(build: Builder) -> None:
    def compare(
        name: str, opening: str, product: str, asins: tuple[str, str], by: str, take: str = "", **options: str
    ) -> None:
        """Add a comparison of two products; with ``take`` the better one is bought, which the person does not name."""
        one, two = (build.product(asin) for asin in asins)
        cheaper, better = max(one.pricing) < max(two.pricing), float(one.rating) > float(two.rating)
        best = asins[0] if (cheaper if by == "price" else better) else asins[1]
        values = [
            f"{product.pricing[0]:.2f}" if by == "price" else f"{float(product.rating):g}" for product in (one, two)
        ]
        names = [f"{brand_of(product.title or '')}" for product in (one, two)]
        build.add(
            "compare",
            name,
            opening.format(one=names[0], two=names[1]),
            Wish(product=product, options=options),
            Line(kind="ask", words=f"Please tell me the {by} of both.", if_untold=True),
            *([Line(kind="take", words=take)] if take else []),
            facts=[(value,) for value in values],
            about=[best],
            compared=asins,
            buys=bool(take),
        )

    chinos = ("B036O6ES2L", "B0ZLTCD61C")
    compare(
        "chinos-rating",
        "I'm torn between the {one} slim fit chinos for men and the {two} ones. Which of the two is rated better?",
        "men's pants",
        chinos,
        "rating",
    )
    compare(
        "beanies-price",
        "Please compare the {one} merino wool beanie with the {two} merino wool beanie for women. What does each cost?",
        "women's hats & caps",
        ("B0O7TXZ3Y9", "B08XFY4SMR"),
        "price",
        take="Then I'll buy the cheaper one.",
        color="sage",
    )
    compare(
        "power-banks-price",
        "Two 20000mAh power banks with a display, one by {one}, one by {two}: how do their prices compare?",
        "portable power banks",
        ("B0VWLW556K", "B0VY6UE0R4"),
        "price",
        take="The one that costs less, please. I'd like to buy it.",
        color="black",
    )
    compare(
        "speakers-rating",
        "Compare the {one} stereo pair bluetooth speaker and the {two} stereo pair portable speaker for me. "
        "How do people rate them?",
        "bluetooth speakers",
        ("B0JDNEJN7R", "B04GE4CUNZ"),
        "rating",
        take="I'll take the one with the higher rating.",
        color="black",
    )
    compare(
        "toothbrushes-rating",
        "Is the Orla Rose sonic toothbrush with 8 brush heads rated higher than the {two} one with 8 brush heads?",
        "electric toothbrushes",
        ("B0YCHMZBC3", "B083857K5X"),
        "rating",
    )
    compare(
        "dryers-price",
        "What's the price of the {one} hair dryer with diffuser, and what's the price of the {two} one?",
        "hair dryers",
        ("B0IK82QUJ7", "B04ET63Z3F"),
        "price",
    )
    compare(
        "watches-rating",
        "Which has the better rating: the Calder Row chronograph watch or the {two} chronograph watch?",
        "men's watches",
        ("B017HAA3Q1", "B0XLFQJU0D"),
        "rating",
        take="Good, then buy me the better rated one.",
        color="brown",
    )
    compare(
        "mice-price",
        "Help me choose a vertical ergonomic mouse with six buttons: {one} or {two}? I'd like to know both prices.",
        "computer mice",
        ("B0T37738D6", "B0TJHT8IA0"),
        "price",
    )


def _read(build: Builder) -> None:
    def read(
        name: str, opening: str, asin: str, asks: str, facts: tuple[str, ...], reads: tuple[str, ...], **options: str
    ) -> None:
        build.add(
            "read_before_buy",
            name,
            opening,
            Wish(product=build.product(asin).query, options=options),
            Line(kind="pick"),
            Line(kind="ask", words=asks),
            TAKE,
            facts=[facts],
            reads=reads,
            about=[asin],
        )

    pages = ("description", "features", "reviews")
    read(
        "chair-load",
        "I'm looking for a Quarry House office chair with a high back and flip-up arms.",
        "B02SQZMTIL",
        "Before I decide: how much weight does it hold?",
        ("300",),
        pages,
        color="rust",
    )
    read(
        "power-bank-charging",
        "Please show me the Clearwave 20000mAh power bank with display.",
        "B0VWLW556K",
        "How long does it take until it is full again? Please look at the features before I buy.",
        ("three hours", "3 hours", "3h"),
        pages,
        color="black",
    )
    read(
        "slippers-reviews",
        "I've heard of the Threadwell faux fur lined slippers for men. Do you have them?",
        "B0HD9SQB6S",
        "What do the reviews say about arch support?",
        ("arch support",),
        ("reviews",),
        color="chestnut",
        size="10",
    )
    read(
        "backpack-warranty",
        "A 17 inch laptop backpack of ripstop nylon with a usb port, the Threadwell one if you have it.",
        "B041A7W8FK",
        "Is there a warranty on it? Check the features, please.",
        ("two year", "two-year", "2 year", "2-year"),
        pages,
        color="olive",
    )
    read(
        "toothbrush-battery",
        "Do you sell the Halden electric toothbrush with the travel case?",
        "B0C2EELCNB",
        "How long does one charge last?",
        ("three weeks", "3 weeks"),
        pages,
        color="mint",
    )
    read(
        "table-load",
        "I'd like to see the Hollin coffee table with the lift top.",
        "B0MLRRHYDF",
        "How many pounds does it hold? Please read the features.",
        ("120",),
        pages,
        color="espresso",
    )
    read(
        "speaker-hours",
        "Show me the Harborline portable speaker with 360 degree sound.",
        "B018NZYREG",
        "How many hours does it play?",
        ("16 hours", "16h", "sixteen"),
        pages,
        color="blue",
    )
    read(
        "watch-night",
        "I want the Calder Row chronograph watch with a leather strap.",
        "B017HAA3Q1",
        "Read me what the reviews complain about, please. Is it noisy?",
        ("ticking", "audible"),
        ("reviews",),
        color="tan",
    )
    read(
        "mouse-battery",
        "The slim silent Aerolink mouse, the ergonomic one that you can recharge: is it here?",
        "B0EYKRKSPO",
        "What do buyers say about its battery?",
        ("two months", "2 months", "battery lasts"),
        ("reviews",),
        color="gray",
    )


def _not_available(build: Builder) -> None:
    def missing(
        name: str, opening: str, wish: Wish, close: str, told: tuple[str, ...] = (), parts: tuple[Part, ...] = ()
    ) -> None:
        build.add(
            "not_available",
            name,
            opening,
            wish,
            Line(kind="close", words=close),
            told=told,
            parts=parts,
            buys=False,
            denial=True,
        )

    missing(
        "lawn-mower",
        "I need a cordless lawn mower.",
        Wish(product="lawn mowers"),
        "So do you sell lawn mowers at all?",
    )
    missing(
        "piano",
        "Do you have a digital piano with 88 weighted keys?",
        Wish(product="pianos"),
        "It has to be a digital piano. Is there one in your shop?",
    )
    missing(
        "purple-chinos",
        "I'm looking for men's slim fit chinos in neon purple.",
        Wish(product="men's pants", features=("slim fit",), options={"color": "neon purple"}),
        "No other color will do. Are there any in neon purple?",
        told=("color",),
    )
    missing(
        "cheap-monitor",
        "I want a QHD curved monitor, 32 inch, for less than 50 dollars.",
        Wish(product="monitors", features=("quad hd", "curved screen"), options={"size": "32 inch"}, limit_usd=50),
        "I can't pay more than that. Is there any under $50?",
        told=("size", "limit"),
    )
    missing(
        "size-15-slippers",
        "Men's house slippers with fleece lining, please.",
        Wish(product="slippers", features=("fleece lining",), options={"size": "15"}),
        "My feet won't shrink. Do any of them come in size 15?",
        parts=(Part(about="size", value="15", words="I wear size 15."),),
    )
    missing(
        "cheap-dryer",
        "A hair dryer with a diffuser, 1875 watts, for $10 or less, please.",
        Wish(product="hair dryers", features=("1875 watts", "diffuser"), limit_usd=10),
        "Ten dollars is all that I have. Is there one for that?",
        told=("limit",),
    )
    missing(
        "kayak",
        "Can you find me an inflatable kayak for two?",
        Wish(product="kayaks"),
        "So no kayak here?",
    )
    missing(
        "orange-headphones",
        "Noise cancelling foldable headphones, please.",
        Wish(product="headphones", features=("noise cancelling", "foldable"), options={"color": "orange"}),
        "I only want orange ones. Is there a pair in orange?",
        parts=(Part(about="color", value="orange", words="They have to be orange, like my team."),),
    )
    missing(
        "rose-honey",
        "I'd like rose blossom honey.",
        Wish(product="honey", features=("rose blossom",)),
        "It should be rose blossom and nothing else. Do you have that?",
    )
