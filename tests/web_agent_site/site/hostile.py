"""A shop whose products try everything: script in every field, addresses that are none."""

from collections.abc import Iterator
from typing import Any

from personalized_shopping.shared_libraries.catalog.schema import HumanInstruction, Product, Review, SourceRecord

MARK = "window.stolen=1"
ATTACKS = (
    f"<script>{MARK}</script>",
    f'"><img src=x onerror="{MARK}">',
    f"'><svg onload='{MARK}'>",
    f"javascript:{MARK}",
    f"</title></style></textarea></script><script>{MARK}</script>",
    f"<!--><script>{MARK}</script>-->",
    f'" autofocus onfocus={MARK} x="',
    f"{{{{ self.__init__.__globals__ }}}}<iframe srcdoc='<script>{MARK}</script>'>",
    f"&lt;script&gt;{MARK}&lt;/script&gt;",
    f"]]><script>{MARK}</script>",
    f"\u2028<a href='javascript:{MARK}'>x</a>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={MARK}>",
    f"=cmd|'/c {MARK}'!A1",
)
IMAGES = (
    f"javascript:{MARK}",
    f"data:text/html,<script>{MARK}</script>",
    f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{MARK}'/>",
    f'https://example.test/x.png" onerror="{MARK}',
    "http://example.test/tracked.png",
    "//example.test/x.png",
    "file:///etc/passwd",
    "\tjavascript:alert(1)",
)


def hostile_product(number: int) -> Product:
    """Return a product with one attack in every text, and an image address that is none."""
    attack = ATTACKS[number % len(ATTACKS)]
    image = IMAGES[number % len(IMAGES)]
    low = attack.lower()
    return Product(
        asin=f"B{number:09}",
        title=f"shirt {attack}",
        description=attack,
        bullets=(attack, None),
        category=attack,
        query=attack,
        product_category=f"{attack} › {attack}",
        pricing=(9.99,),
        price=f"$9.99{attack}",
        options={"color": (low, "red"), low: ("one", low)},
        option_images={low: image, "red": None},
        attributes=(attack,),
        images=(image,),
        rating=attack if number % 2 else 4.5,
        reviews=(Review(attack, 4, attack), Review(attack, attack, attack)),
        instruction_text=attack,
        instruction_attributes=(attack,),
        human_instructions=(HumanInstruction(attack, (attack,), (attack,)),),
    )


class HostileSource:
    """The hostile products, as a source of a catalogue."""

    description: dict[str, Any] = {"kind": "hostile"}  # noqa: RUF012 (never changed)

    def __iter__(self) -> Iterator[SourceRecord]:
        """Yield every product once."""
        for number in range(len(ATTACKS) * 2):
            yield SourceRecord(number, hostile_product(number), {})
