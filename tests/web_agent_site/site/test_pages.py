"""The site's pages are the environment's pages: same text, same buttons, whatever surrounds them."""

import random
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_text
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import (
    convert_html_to_text,
    text_to_clickable,
)
from personalized_shopping.shared_libraries.web_agent_site.site.observation import as_observed
from tests.web_agent_site.site.browser import follow, press, soup


def check_same(html: str, page: Page) -> None:
    """Hold a page of the site to the environment's."""
    assert convert_html_to_text(as_observed(html), simple=True) == render_text(page)
    found = text_to_clickable(html)
    assert list(found) == list(page.clickables) == list(text_to_clickable(as_observed(html)))
    for button in soup(html).select("[data-chrome] .btn, [data-chrome] .product-link, .btn[data-chrome]"):
        pytest.fail(f"an addition of the site looks like a button of WebShop: {button}")


def test_random_walks(client: FlaskClient, site_server: SimServer) -> None:
    rng = random.Random(5)
    kinds = set()
    for episode in range(12):
        session_id = f"walk_{episode}"
        html = follow(client, f"/{session_id}")
        goal = site_server.first_goal(session_id)
        visit, page = site_server.start("reference", goal, random.Random(session_id).getrandbits(32))
        for _ in range(20):
            kinds.add(page.kind)
            check_same(html, page)
            if page.kind == "done":
                break
            if page.kind == "search":
                words = rng.choice(["cotton shirt", "Lamp", "tea w/ milk", "<r>", "<c> fashion", "no such thing"])
                html = follow(client, f"/{session_id}", "post", {"search_query": words})
                step, visit = site_server.act("reference", visit, Search(words.lower()))
            else:
                label = rng.choice(list(page.clickables))
                html = press(client, html, label)
                step, visit = site_server.act("reference", visit, Click(label), page)
            page = step.page
    assert kinds == {"search", "results", "item", "description", "features", "reviews", "attributes", "done"}


def test_the_elements_that_scripts_look_for(client: FlaskClient) -> None:
    index = soup(follow(client, "/fixed_3"))
    assert index.select_one("#logo") and index.select_one("#instruction-text h4")
    form = index.select_one("form#form-buscar")
    assert form is not None and form["method"] == "post"
    assert form.select_one("input#search_input[name=search_query]") and form.select_one("button.btn")
    results = soup(follow(client, "/search_results/fixed_3/shirt/1"))
    assert len(results.select("div.list-group-item")) == 10
    for link in results.select("a.product-link"):
        assert link["class"] == ["product-link"]
    assert results.select(".product-title") and results.select(".product-price") and results.select("img.result-img")
    link = next(link for link in results.select("a.product-link"))
    item = soup(follow(client, str(link["href"])))
    assert item.select_one("img#product-image") and item.select_one("button.btn.btn-lg.purchase")
    radio = item.select_one("div.radio-toolbar input[type=radio]")
    assert radio is not None
    assert radio["id"] == f"radio_{radio['name']}0"
    assert item.select_one(f'label[for="{radio["id"]}"]')
    chosen = soup(follow(client, str(radio["data-url"])))
    assert chosen.find("input", {"id": radio["id"]}).has_attr("checked")
    assert urlsplit(str(radio["data-url"])).path.startswith("/item_page/fixed_3/")
