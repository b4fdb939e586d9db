"""The pages as artifacts: complete, well-formed, and nothing in them that acts."""

import re
from xml.etree import ElementTree

import pytest

from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard, Review
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.artifacts import page_html
from personalized_shopping.tools.drawing import draw_page, embedded_image
from personalized_shopping.tools.drawing.measure import line_count, row_count
from tests.agent.helpers import DENIM, NASTY, ODD, Chat, click, products, search

SVG = "{http://www.w3.org/2000/svg}"
XHTML = "{http://www.w3.org/1999/xhtml}"
PICTURE = "data:image/png;base64,iVBORw0KGgo="


def nasty_product(**more: object) -> Product:
    """Return a product every text of which is hostile, half a surrogate pair included."""
    bad = NASTY + "\ud83d"
    fields: dict[str, object] = {
        "asin": bad,
        "title": bad,
        "description": bad,
        "bullets": (bad, None, ""),
        "category": bad,
        "query": bad,
        "product_category": bad,
        "pricing": (),
        "price": bad,
        "options": {bad: (bad, "x" * 500), "size": tuple(str(n) for n in range(90))},
        "option_images": {},
        "attributes": (bad,),
        "images": (f"javascript:{bad}",),
        "rating": 99.0,
        "reviews": (Review(bad, bad, bad), Review("", 5, "")),
    }
    return Product(**(fields | more))  # type: ignore[arg-type]


KINDS = ("search", "results", "item", "description", "features", "reviews", "attributes", "done")


def card(product: Product) -> ProductCard:
    return ProductCard(product.asin, product.title, product.price, product.main_image, product.pricing, product.rating)


def nasty_page(kind: str) -> Page:
    product = None if kind in ("search", "results") else nasty_product()
    cards = tuple(card(record.product) for record in products()) if kind == "results" else ()
    return Page(
        kind=kind,  # type: ignore[arg-type]
        instruction=NASTY,
        keywords=(NASTY, "\ud83d"),
        total_results=9,
        products=cards,
        product=product,
        options={"size": "77"} if product else {},
        show_attributes=True,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawing_is_well_formed_and_inert_whatever_the_product_says(kind: str) -> None:
    drawing = draw_page(nasty_page(kind))
    root = ElementTree.fromstring(drawing.encode("utf-8"))
    assert root.tag == f"{SVG}svg"
    tags = {element.tag for element in root.iter()}
    assert tags <= {f"{SVG}svg", f"{SVG}foreignObject"} | {
        f"{XHTML}{tag}" for tag in ("div", "span", "b", "h2", "img", "style")
    }
    for element in root.iter():
        assert set(element.attrib) <= {"class", "style", "dir", "src", "alt", "width", "height", "viewBox", "x", "y"}
        assert element.get("src", "data:image/").startswith("data:image/")
    assert "url(" not in drawing and "@import" not in drawing
    assert "<script" not in drawing


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_page_has_no_script_and_asks_nobody(kind: str) -> None:
    html = page_html(nasty_page(kind))
    html.encode("utf-8")
    assert "<script" not in html
    assert "{{ 7*7 }}" in html or kind == "search"
    assert not re.findall(r"""(?:src|href|action)\s*=\s*["']?(?!#|data:image/)[^"'#\s>]""", html)
    assert "alert('x')" not in html, "quotes of product text are escaped"


def test_the_drawing_shows_what_the_page_says() -> None:
    denim = products()[0].product
    item = draw_page(Page(kind="item", product=denim, options={"color": "dark blue"}))
    assert denim.title in item and "$49.90" in item and "Buy Now" in item
    assert '<div dir="auto" class="value on">dark blue</div>' in item
    assert '<div dir="auto" class="value">light blue</div>' in item
    reviews = draw_page(Page(kind="reviews", product=denim))
    assert "My size exactly." in reviews and "★★★★★" in reviews
    features = draw_page(Page(kind="features", product=denim))
    assert "First point" in features and "Second point" in features
    assert "no description" in draw_page(Page(kind="description", product=nasty_product(description=None)))
    assert "Score" not in draw_page(Page(kind="done", product=denim))


def test_a_chosen_value_is_drawn_however_many_there_are() -> None:
    page = Page(kind="item", product=nasty_product(), options={"size": "77"})
    assert '<div dir="auto" class="value on">77</div>' in draw_page(page)


def test_only_images_that_the_page_carries_are_shown() -> None:
    assert embedded_image(PICTURE) == PICTURE
    for address in (None, "", "https://example.invalid/a.png", "data:text/html,<b>", "javascript:1", PICTURE * 20_000):
        assert embedded_image(address) == ""
    carried = draw_page(Page(kind="item", product=nasty_product(images=(PICTURE,))))
    assert PICTURE in carried
    elsewhere = draw_page(Page(kind="item", product=nasty_product(images=("https://example.invalid/a.png",))))
    assert "example.invalid" not in elsewhere and "photo tile" in elsewhere


def test_room_for_text_is_never_too_small() -> None:
    assert line_count("", 10) == 1
    assert line_count("a" * 25, 10) == 3
    assert line_count("a\nb", 10) == 2
    assert line_count("连" * 10, 10) == 2
    assert row_count([50, 50, 50], 100, 0) == 2
    assert row_count([500], 100, 8) == 1


@pytest.mark.usefixtures("shop")
async def test_every_page_of_a_conversation_is_saved_and_the_drawing_last() -> None:
    chat = Chat(search("denim"), click(DENIM), click("not there"))
    await chat.say()
    saved = [list(event.actions.artifact_delta) for event in chat.events if event.get_function_responses()]
    assert saved == [["page.html", "page.svg"], ["page.html", "page.svg"], []]
    part = await chat.artifacts.load_artifact(
        app_name="personalized_shopping", user_id="someone", session_id="s", filename="page.svg"
    )
    assert part is not None and part.inline_data.mime_type == "image/svg+xml"
    assert b"denim jacket for women" in part.inline_data.data


@pytest.mark.usefixtures("shop")
async def test_no_artifact_names_a_foreign_address() -> None:
    chat = Chat(search("odd"), click(ODD))
    await chat.say()
    for name in ("page.html", "page.svg"):
        assert b"example.invalid" not in await chat.artifact(name)
