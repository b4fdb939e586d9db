"""Pages that everybody can use: names, labels, order, and colours that can be told apart."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from flask.testing import FlaskClient

from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from tests.web_agent_site.site.browser import buy_form, follow, press, soup

STATIC = Path(__file__).parents[3] / "personalized_shopping/shared_libraries/web_agent_site/static"
TEXT_PAIRS = [
    ("text", "ground"),
    ("text", "card"),
    ("text", "pale"),
    ("text", "tint"),
    ("muted", "ground"),
    ("muted", "card"),
    ("muted", "tint"),
    ("accent", "ground"),
    ("accent", "card"),
    ("accent", "tint"),
    ("accent", "pale"),
    ("on-accent", "accent"),
    ("on-buy", "buy"),
    ("on-buy", "buy-down"),
    ("price", "card"),
    ("price", "ground"),
]
EDGE_PAIRS = [("edge", "card"), ("edge", "ground"), ("star", "card"), ("accent", "card")]


def colours(scheme: str) -> dict[str, str]:
    css = (STATIC / "site.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?)\}", css, re.S)
    )
    return light if scheme == "light" else light | dark


def luminance(colour: str) -> float:
    """Return a colour's relative luminance (WCAG 2.2)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(scheme: str) -> None:
    found = colours(scheme)
    assert contrast("#ffffff", "#000000") == 21.0
    for text, ground in TEXT_PAIRS:
        assert contrast(found[text], found[ground]) >= 4.5, (text, ground)
    for edge, ground in EDGE_PAIRS:
        assert contrast(found[edge], found[ground]) >= 3, (edge, ground)


def test_colours_are_named_in_one_place() -> None:
    css = (STATIC / "site.css").read_text(encoding="utf-8")
    rules = re.sub(r":root \{.*?\}", "", css, flags=re.S)
    assert not set(re.findall(r"#[0-9a-f]{3,8}\b(?=[;, ])", rules)) - {"#fff"}
    assert "http" not in css and "@import" not in css


@pytest.fixture
def pages(client: FlaskClient, site_server: SimServer) -> dict[str, BeautifulSoup]:
    """Return one page of every kind."""
    product = next(p for p in site_server.catalog.iter_products() if p.options and p.reviews)
    item = follow(client, f"/item_page/ABC/{product.asin}/shirt/1/%7B%7D")
    found = {
        "search": follow(client, "/ABC"),
        "results": follow(client, "/search_results/ABC/cotton+black+red/2"),
        "item": item,
    }
    found["filtered"] = follow(client, "/search_results/ABC/cotton/1?price=0-25&order=rating")
    for name in ("description", "features", "reviews", "attributes"):
        found[name] = press(client, item, name)
    found["question"] = follow(client, buy_form(item)[0])
    found["done"] = press(client, item, "buy now")
    found["empty"] = follow(client, "/search_results/ABC/zzzz/1")
    found["error"] = client.get("/no/such/page").text
    return {name: soup(html) for name, html in found.items()}


def name_of(element: Tag) -> str:
    images = " ".join(str(image.get("alt", "")) for image in element.find_all("img"))
    return f"{element.get('aria-label', '')} {element.get_text()} {images}".strip()


def test_everything_has_a_name(pages: dict[str, BeautifulSoup]) -> None:
    for kind, page in pages.items():
        assert page.html["lang"] == "en" and page.title.get_text().strip(), kind
        assert page.find("meta", {"name": "viewport"})
        assert len(page.find_all("main")) == 1
        for element in page.find_all(["a", "button"]):
            assert name_of(element), (kind, element)
        for image in page.find_all("img"):
            assert image.has_attr("alt"), (kind, image)
        for field in page.find_all("input"):
            if field["type"] != "hidden":
                labels = page.find_all("label", {"for": field["id"]})
                assert field.get("aria-label") or len(labels) == 1, (kind, field)
        for part in page.find_all(["nav", "aside"]):
            assert part.get("aria-label"), (kind, part)
        ids = [element["id"] for element in page.find_all(id=True)]
        assert len(ids) == len(set(ids)), kind


def test_the_order_of_the_page_is_the_order_of_the_focus(pages: dict[str, BeautifulSoup]) -> None:
    for kind, page in pages.items():
        assert not page.find_all(tabindex=True) and not page.find_all(autofocus=True), kind
        if kind != "error":
            first = page.find(["a", "button", "input"])
            assert first["class"] == ["skip-link"] and page.find(id=str(first["href"])[1:]) is page.main
        assert page.find("h1") or page.find(attrs={"aria-level": "1"}), kind
    item = [
        str(element.get("name") or name_of(element)) for element in pages["item"].main.find_all(["button", "input"])
    ]
    assert item[:2] == ["Back to Search", "< Prev"] and item[-1] == "Buy Now"


def test_what_is_current_is_said(pages: dict[str, BeautifulSoup]) -> None:
    assert [e.get_text() for e in pages["reviews"].select(".tabs [aria-current]")] == ["Reviews"]
    assert [e.get_text() for e in pages["results"].select(".pages [aria-current]")] == ["Page 2"]
    chosen = [e.get_text() for e in pages["filtered"].select(".filters [aria-current]")]
    assert chosen == ["Highest rated", "Under $25", "Any rating"]
    groups = pages["item"].select("[role=radiogroup]")
    assert groups and all(group["aria-label"] for group in groups)
    assert "Rated" in pages["item"].select_one(".stars[role=img]")["aria-label"]
