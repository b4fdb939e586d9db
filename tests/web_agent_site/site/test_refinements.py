"""Filters and orders: what they keep, and that they travel with the shopper."""

from dataclasses import dataclass

import pytest
from flask.testing import FlaskClient

from personalized_shopping.config import PAGE_SIZE
from personalized_shopping.shared_libraries.catalog.schema import ProductCard
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site import views
from personalized_shopping.shared_libraries.web_agent_site.site.refinements import (
    ORDERS,
    PRICES,
    UNREFINED,
    Refinement,
    read_refinement,
    refine,
)
from tests.web_agent_site.site.browser import follow, press, soup

CARDS = [
    ProductCard("B1", "a", "$30.0", None, (30.0,), 4.5),
    ProductCard("B2", "b", "$60.0 to $5.0", None, (60.0, 5.0), "N.A."),
    ProductCard("B3", "c", "$100.0", None, (), 3.0),
    ProductCard("B4", "d", "$25.0", None, (25.0,), 4.5),
]


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (UNREFINED, "B1 B2 B3 B4"),
        (Refinement(order="price_low"), "B2 B4 B1 B3"),
        (Refinement(order="price_high"), "B3 B1 B4 B2"),
        (Refinement(order="rating"), "B1 B4 B3 B2"),
        (Refinement(price="0-25"), "B2"),
        (Refinement(price="25-50"), "B1 B4"),
        (Refinement(price="100-"), "B3"),
        (Refinement(rating="4"), "B1 B4"),
        (Refinement("price_low", "25-50", "3"), "B4 B1"),
    ],
)
def test_what_is_kept(wanted: Refinement, kept: str) -> None:
    assert " ".join(card.asin for card in refine(CARDS, wanted)) == kept
    assert read_refinement(dict(pair.split("=") for pair in wanted.query().split("&") if pair)) == wanted


def test_what_is_unknown_is_ignored() -> None:
    assert read_refinement({"order": "x", "price": "\x00", "rating": "5", "other": "1"}) == UNREFINED
    assert UNREFINED.query() == ""


@dataclass
class Shown:
    asins: list[str]
    total: int


def shown(html: str) -> Shown:
    page = soup(html)
    total = page.select_one("#page-number").get_text().split("results: ")[1].rstrip(")")
    return Shown([link.get_text() for link in page.select("a.product-link")], int(total))


def test_they_travel_along(client: FlaskClient, site_server: SimServer) -> None:
    address = "/search_results/ABC/cotton+black/1?order=price_low&price=0-25"
    html = follow(client, address)
    first = shown(html)
    cards = site_server.catalog.cards(first.asins)
    prices = [min(card.pricing) for card in cards]
    assert prices == sorted(prices) and max(prices) < 25 and first.total > PAGE_SIZE
    second = press(client, html, "next >")
    assert shown(second).total == first.total and not set(shown(second).asins) & set(first.asins)
    item = press(client, second, shown(second).asins[0].lower())
    back = press(client, press(client, press(client, item, "reviews"), "< prev"), "< prev")
    assert shown(back) == shown(second)
    unrefined = soup(html).select_one('.filters a[href*="order=price_low"][href$="order=price_low"]')
    assert shown(follow(client, str(unrefined["href"]))).total > first.total


def test_every_link_leads_to_its_results(client: FlaskClient) -> None:
    links = soup(follow(client, "/search_results/ABC/cotton/1")).select(".filters a")
    assert len(links) == len(ORDERS) + len(PRICES) + 1 + 3
    for link in links:
        page = soup(follow(client, str(link["href"])))
        assert link.get_text() in [found.get_text() for found in page.select(".filters [aria-current]")]


def test_long_lists_are_refined_in_part(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "SITE_MAX_REFINED", 12)
    department = soup(follow(client, "/ABC")).select_one(".departments a")
    html = follow(client, str(department["href"]))
    assert shown(html).total > 12
    refined = follow(client, f"{department['href']}?order=rating")
    assert shown(refined).total == 12
    assert soup(refined).select_one(".filters .note") and not soup(html).select_one(".filters .note")
