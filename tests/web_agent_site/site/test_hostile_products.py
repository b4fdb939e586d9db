"""Product text is text on every page, and image addresses are images or nothing."""

import base64

import flask
import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient

from personalized_shopping.shared_libraries.web_agent_site.site.images import shown_image
from tests.web_agent_site.site.browser import buy_form, follow, press, soup
from tests.web_agent_site.site.hostile import ATTACKS, IMAGES, MARK, hostile_product


def pages_about(client: FlaskClient, number: int) -> list[str]:
    """Return every page that shows a product, and its option pages."""
    product = hostile_product(number)
    session_id = f"fixed_{number}"
    results = follow(client, f"/{session_id}", "post", {"search_query": product.title or ""})
    found = [follow(client, f"/{session_id}"), results]
    item = follow(client, f"/item_page/{session_id}/{product.asin}/shirt/1/%7B%7D")
    found.append(item)
    found.extend(press(client, item, name) for name in ("description", "features", "reviews", "attributes"))
    chosen = press(client, item, product.options["color"][0])
    found.extend([chosen, follow(client, buy_form(chosen)[0])])
    return [*found, press(client, chosen, "buy now")]


@pytest.mark.parametrize("number", range(len(ATTACKS)))
def test_product_text_is_inert(hostile_site: flask.Flask, number: int) -> None:
    for html in pages_about(hostile_site.test_client(), number):
        check_inert(soup(html))


def check_inert(page: BeautifulSoup) -> None:
    for script in page.find_all("script"):
        assert str(script["src"]).startswith("/static/") and not script.get_text()
    assert not page.find_all(["iframe", "style", "math", "object", "embed", "base"])
    for element in page.find_all(True):
        assert not [name for name in element.attrs if name.lower().startswith("on") or name.lower() == "srcdoc"]
        for name in ("href", "src", "action", "data-url", "formaction"):
            value = str(element.get(name, "/"))
            assert value.startswith(("/", "#", "https://", "data:image/")) and not value.startswith("//"), value
    for image in page.find_all("img"):
        assert MARK not in str(image["src"])


def test_an_error_page_repeats_nothing_raw(hostile_site: flask.Flask) -> None:
    client = hostile_site.test_client()
    for attack in ATTACKS:
        for path in (f"/x/{attack}", f"/item_page/ABC/{attack}/x/1/{{}}", f"/done/ABC/B000000000/{{'{attack}': 'x'}}"):
            answer = client.get(path.replace("%", "%25").replace("?", "%3F").replace("#", "%23"))
            assert 400 <= answer.status_code < 500
            check_inert(soup(answer.text))


@pytest.mark.parametrize("address", IMAGES)
def test_addresses_that_are_no_images(address: str) -> None:
    assert shown_image(address) == ""


def svg(body: str, attributes: str = "") -> str:
    source = f"<svg xmlns='http://www.w3.org/2000/svg' {attributes}>{body}</svg>"
    return "data:image/svg+xml;base64," + base64.b64encode(source.encode()).decode()


@pytest.mark.parametrize(
    ("body", "attributes"),
    [
        ("<script>1</script>", ""),
        ("<rect onclick='x()'/>", ""),
        ("", "onload='x()'"),
        ("<image href='https://example.test/x.png'/>", ""),
        ("<use href='#a'/>", ""),
        ("<a href='https://example.test'><rect/></a>", ""),
        ("<foreignObject><b xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>", ""),
        ("<style>*{}</style>", ""),
        ("<rect style='fill:url(https://example.test)'/>", ""),
        ("<rect fill='url(#x)'/>", ""),
        ("<rect xlink:href='x' xmlns:xlink='http://www.w3.org/1999/xlink'/>", ""),
        ("<animate attributeName='x'/>", ""),
        ("text", ""),
        ("<rect", ""),
        ("&amp;", ""),
        ("<!--x-->", ""),
        ("<rect fill='é'/>", ""),
        ("<rect/>" * 2_000, ""),
    ],
)
def test_drawings_that_are_more_than_shapes(body: str, attributes: str) -> None:
    assert shown_image(svg(body, attributes)) == ""


@pytest.mark.parametrize(
    "address",
    [
        "https://example.test/a-b_c/x.jpg?w=1&h=2",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:image/webp;base64,UklGRg==",
        svg(
            "<g transform='rotate(-5.5 1 2)'><path d='M0 0h1v1z' fill='#fff' stroke-width='.5'/></g>",
            "viewBox='0 0 1 1'",
        ),
        svg("<line x1='0' x2='1' stroke='rgb(1,2,3)'/>"),
    ],
)
def test_addresses_that_are_images(address: str) -> None:
    assert shown_image(address) == address
    assert shown_image(None) == shown_image("") == ""
