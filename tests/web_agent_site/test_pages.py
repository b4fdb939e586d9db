"""Pages as data and their renderings, over random walks and over hostile products."""

import random
from dataclasses import dataclass

import msgspec
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.shared_libraries.catalog import Product, ProductCard, Review
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import (
    render_html,
    render_rich_text,
    render_text,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import (
    convert_html_to_text,
    text_to_clickable,
)

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }} {% raw %}",
    "</pre></div><h1>x",
    "&lt;b&gt; &amp;amp;",
    "a\u202eb\x00c",
    "<!-- x -->",
]
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30),
    st.sampled_from(["", " ", "\n", " \n ", "\t", "buy now", "description", "search", "< prev"]),
)
IMAGES = ["javascript:alert(1)", 'https://x/"onerror=1', "data:image/png;base64,"]
REVIEWS = st.builds(Review, TEXTS, st.integers(0, 5), TEXTS)
NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "Zs", "P"]), min_size=1, max_size=10)


@st.composite
def products(draw: st.DrawFn) -> Product:
    options = draw(st.dictionaries(NAMES, st.lists(TEXTS.map(str.lower), max_size=3).map(tuple), max_size=2))
    return Product(
        asin="B000000001",
        title=draw(TEXTS),
        description=draw(st.none() | TEXTS),
        bullets=tuple(draw(st.lists(st.none() | TEXTS, max_size=3))),
        category=draw(TEXTS),
        query=draw(TEXTS),
        product_category=draw(TEXTS),
        pricing=(9.99,),
        price="$9.99",
        options=options,
        option_images={},
        attributes=tuple(draw(st.lists(TEXTS, max_size=2))),
        images=(
            draw(
                st.none() | st.sampled_from(["javascript:alert(1)", 'https://x/"onerror=1', "data:image/png;base64,"])
            ),
        ),
        reviews=tuple(
            Review(draw(TEXTS), draw(st.integers(0, 5)), draw(TEXTS)) for _ in range(draw(st.integers(0, 2)))
        ),
    )


KINDS = ("item", "description", "features", "reviews", "attributes", "done", "results", "search")


@settings(max_examples=150, deadline=None)
@given(products(), st.sampled_from(KINDS), TEXTS, st.booleans())
def test_a_parser_reads_the_same_text_from_html(product: Product, kind: str, instruction: str, scored: bool) -> None:
    card = ProductCard(product.asin, product.title, product.price, product.images[0])
    chosen = {name: values[0] for name, values in product.options.items() if values}
    page = Page(
        kind=kind,
        instruction=instruction,
        keywords=("a", "b"),
        products=(card,),
        total_results=1,
        product=product,
        options=chosen,
        show_attributes=True,
        reward=0.5 if scored else None,
    )
    html = render_html(page, QueryStringLinks("s"))
    url = "http://x/" + "".join(f'"{value}"' for value in chosen.values())
    assert convert_html_to_text(html, simple=True) == render_text(page)
    assert convert_html_to_text(html, url=url) == render_rich_text(page, url)
    soup = BeautifulSoup(html, "html.parser")
    assert not soup.find_all("script") and not soup.find_all(onerror=True)
    assert all(image["src"].startswith(("https://", "data:image/")) for image in soup.find_all("img"))


def test_random_walks(demo_shop: Shop) -> None:
    rng = random.Random(3)
    kinds = set()
    for seed in range(25):
        session = demo_shop.start(instruction="Find me a shirt", seed=seed)
        for _ in range(25):
            page = demo_shop.page(session)
            kinds.add(page.kind)
            html = render_html(page, QueryStringLinks("s"))
            assert convert_html_to_text(html, simple=True) == render_text(page)
            assert list(text_to_clickable(html)) == list(page.clickables)
            assert ShopSession.from_json(session.to_json()) == session
            labels = list(page.clickables)
            if page.kind in ("search", "done") or rng.random() < 0.1:
                action = Search(rng.choice(["cotton shirt", "lamp", "tea", "<r>", "<c> fashion", "<a> easy clean"]))
            else:
                action = Click(rng.choice(labels))
            step = demo_shop.step(session, action, page)
            assert step.is_valid and step.page == demo_shop.page(step.session)
            session = step.session
    assert kinds == set(KINDS)


@dataclass
class Place:
    shop: Shop
    session: ShopSession

    def click(self, label: str) -> "Place":
        step = self.shop.step(self.session, Click(label))
        assert step.is_valid, step.error
        return Place(self.shop, step.session)


def test_options_and_ways_back(demo_shop: Shop) -> None:
    searched = demo_shop.step(demo_shop.start(), Search("shirt"))
    product = next(card for card in searched.page.products if demo_shop.catalog.product(card.asin).options)
    name, values = next(iter(demo_shop.catalog.product(product.asin).options.items()))
    item = Place(demo_shop, searched.session).click(product.asin).click(values[0])
    assert item.session.options == {name: values[0]}
    assert item.click("Features").click("< Prev").session.options == {name: values[0]}
    back = item.click("< Prev").session
    assert (back.kind, back.options, back.visited) == ("results", {}, (product.asin,))
    assert item.click("Back to Search").session.visited == ()


def test_option_values_that_are_named_like_buttons(demo_shop: Shop) -> None:
    product = demo_shop.catalog.product_at(0)
    odd = msgspec.structs.replace(product, options={"color": ("buy now", "description", "red")})
    page = Page(kind="item", product=odd, keywords=("x",))
    assert page.clickables["buy now"].kind == "option"
    assert list(page.clickables).count("description") == 1


def test_messages_name_the_buttons(demo_shop: Shop) -> None:
    step = demo_shop.step(demo_shop.step(demo_shop.start(), Search("shirt")).session, Click("Buy Noww"))
    assert not step.is_valid
    assert step.error is not None and "Back to Search" in step.error and "Next >" in step.error


def test_customers_see_neither_code_nor_score(demo_shop: Shop) -> None:
    place = Place(demo_shop, demo_shop.step(demo_shop.start(), Search("shirt")).session)
    bought = place.click(demo_shop.page(place.session).products[0].asin).click("buy now")
    text = render_text(demo_shop.page(bought.session))
    assert text.startswith("Thank you for shopping with us!")
    assert "MTurk" not in text and "score" not in text and "Target" not in text


def test_actions_of_the_wrong_type(demo_shop: Shop) -> None:
    with pytest.raises(TypeError, match="Search or a Click"):
        demo_shop.step(demo_shop.start(), "search[x]")  # type: ignore[arg-type]
