"""A browser without scripts: reads a page, presses its buttons, follows where they lead."""

from bs4 import BeautifulSoup, Tag
from flask.testing import FlaskClient

from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import text_to_clickable


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def press(client: FlaskClient, html: str, label: str) -> str:
    """Press what a label stands for, as a browser with scripts would, and return the page that follows."""
    element = text_to_clickable(html)[label]
    if element.name == "a":
        return follow(client, str(element["href"]))
    if element.name == "input":
        return follow(client, str(element["data-url"]))
    form = element.find_parent("form")
    assert isinstance(form, Tag)
    fields = {str(field["name"]): str(field["value"]) for field in form.find_all("input")}
    return follow(client, str(form["action"]), str(form["method"]), fields)


def follow(client: FlaskClient, address: str, method: str = "get", fields: dict[str, str] | None = None) -> str:
    answer = client.open(
        address,
        method=method,
        data=fields if method == "post" else None,
        query_string=fields if method == "get" and fields else None,
        follow_redirects=True,
    )
    assert answer.status_code == 200, answer.text
    return answer.text


def own_session(client: FlaskClient) -> str:
    """Come in through the front door and return the id of the session that the site made."""
    location = client.get("/").headers["Location"]
    assert client.get(location).status_code == 200
    return location.rpartition("/")[2]


def first_item(client: FlaskClient, session_id: str, query: str = "shirt") -> str:
    """Return the address of the first product that a search finds."""
    page = soup(follow(client, f"/{session_id}", "post", {"search_query": query}))
    link = page.select_one("a.product-link")
    assert link is not None
    return str(link["href"])


def buy_form(html: str) -> tuple[str, dict[str, str]]:
    """Return the address and the fields of a product page's form that buys."""
    button = soup(html).select_one("button.purchase")
    form = button.find_parent("form") if button else None
    assert isinstance(form, Tag) and form["method"] == "post"
    return str(form["action"]), {str(field["name"]): str(field["value"]) for field in form.find_all("input")}
