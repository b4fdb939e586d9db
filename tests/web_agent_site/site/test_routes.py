"""What each route gives a browser and a script that was written for WebShop."""

import hashlib
import json

import pytest
from flask.testing import FlaskClient

from personalized_shopping.config import SITE_MAX_PURCHASES
from personalized_shopping.errors import GoalError
from personalized_shopping.shared_libraries.web_agent_site.app import create_site
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles
from tests.web_agent_site.site.browser import buy_form, first_item, follow, own_session, press, soup
from tests.web_agent_site.site.conftest import MakeSite


def test_the_front_door_leads_to_a_session_that_stays(make_site: MakeSite) -> None:
    client = make_site().test_client()
    session_id = own_session(client)
    assert len(session_id) == 32 and set(session_id) <= set("0123456789abcdef")
    assert client.get("/").headers["Location"] == f"/{session_id}"
    again = make_site().test_client()
    again.set_cookie("webshop_session", client.get_cookie("webshop_session").value)
    assert instruction(follow(again, f"/{session_id}")) == instruction(follow(client, f"/{session_id}"))


def instruction(html: str) -> str:
    return soup(html).select_one("#instruction-text h4").get_text()


def test_a_numbered_session_has_that_goal(client: FlaskClient, site_server: SimServer) -> None:
    assert site_server.goals[12]["instruction_text"] in follow(client, "/fixed_12")
    count = len(site_server.goals)
    for name in (f"fixed_{count}", "fixed_99999999999999999999", "fixed_", "fixed", "fixed_x", "fixed_-1"):
        answer = client.get(f"/{name}")
        assert answer.status_code == 404, name
    assert f"from 0 to {count - 1}" in client.get(f"/fixed_{count}").text


@pytest.mark.parametrize(
    "query", ["Red shoes", "a/b", "/", "//", "?", "#x", "100%", "a+b", "..", "\\", "[", "['x']", "é 日本"]
)
def test_every_query_finds_its_way(client: FlaskClient, query: str) -> None:
    answer = client.post("/ABC", data={"search_query": query})
    assert answer.status_code == 303
    page = soup(follow(client, answer.headers["Location"]))
    next_page = next(form for form in page.find_all("form") if form.get_text() == "Next >")
    assert "Page 2 (" in follow(client, str(next_page["action"]))
    assert client.get("/ABC", query_string={"search_query": query}).headers["Location"] == answer.headers["Location"]


def test_the_forms_of_keywords_mean_the_same(client: FlaskClient) -> None:
    listed = follow(client, "/search_results/ABC/%5B'cotton',%20'shirt'%5D/1")
    for keywords in ("cotton+shirt", "cotton%20shirt", "cotton%2Bshirt", '%5B"cotton","shirt"%5D'):
        assert follow(client, f"/search_results/ABC/{keywords}/1") == listed
    assert "Total results: 0" in follow(client, "/search_results/ABC//1")
    assert client.get("/ABC?search_query=%20").status_code == 200


def test_buying(make_site: MakeSite, site_server: SimServer) -> None:
    client = make_site(allow_chosen_ids=True).test_client()
    goal = site_server.goal_table[4]
    html = follow(client, f"/search_results/fixed_4/{goal.name.replace('/', ' ')}/1")
    html = press(client, html, goal.asin.lower())
    for name, values in site_server.catalog.product(goal.asin).options.items():
        wanted = goal.goal_options.get(name) if isinstance(goal.goal_options, dict) else None
        value = wanted or next((value for value in values if f"{name}: {value}" in goal.goal_options), values[0])
        html = press(client, html, value)
    receipt = soup(press(client, html, "buy now"))
    assert receipt.select_one("#reward pre").get_text() == "1.0"
    assert receipt.select_one("#mturk_code pre").get_text() == hashlib.sha1(b"fixed_4").hexdigest()[:10].upper()
    assert receipt.select_one("#asin pre").get_text() == receipt.select_one("#goal-asin pre").get_text() == goal.asin
    assert json.loads(receipt.select_one("#goal pre").get_text())["instruction_text"] == goal.instruction_text
    assert json.loads(receipt.select_one("#reward_info pre").get_text())["r_type"] == 1.0


def test_only_the_form_buys_and_only_once(make_site: MakeSite) -> None:
    client = make_site().test_client()
    session_id = own_session(client)
    address, fields = buy_form(follow(client, first_item(client, session_id)))
    question = follow(client, address)
    assert "Buy this?" in question and not soup(question).select(".btn, #reward")
    first = client.post(address, data=fields)
    assert first.status_code == 303
    receipt = follow(client, first.headers["Location"])
    assert soup(receipt).select_one("#reward pre")
    assert client.post(address, data=fields).headers["Location"] == first.headers["Location"]
    other, _ = buy_form(follow(client, first_item(client, session_id, "lamp")))
    assert "Buy this?" in follow(client, other)
    assert follow(client, address) == receipt


def test_a_session_buys_so_often_and_no_more(client: FlaskClient, site_server: SimServer) -> None:
    for row in range(SITE_MAX_PURCHASES + 1):
        address, fields = buy_form(follow(client, f"/item_page/ABC/{site_server.catalog.asin_at(row)}/x/1/%7B%7D"))
        answer = client.post(address, data=fields)
        assert answer.status_code == (303 if row < SITE_MAX_PURCHASES else 409)


def test_options_without_scripts(client: FlaskClient, site_server: SimServer) -> None:
    product = next(p for p in site_server.catalog.iter_products() if len(p.options) >= 2)
    address = f"/item_page/ABC/{product.asin}/x+y/2/%7B%7D"
    form = soup(follow(client, address)).select_one("#options-form")
    chosen = {name: values[-1] for name, values in product.options.items()}
    sent = {**{str(f["name"]): str(f["value"]) for f in form.select("input[type=hidden]")}, **chosen}
    page = soup(follow(client, str(form["action"]), "get", sent))
    assert {str(r["name"]): str(r["value"]) for r in page.select("input[type=radio][checked]")} == chosen
    back = next(form for form in page.find_all("form") if form.get_text() == "< Prev")
    assert str(back["action"]).endswith("/2")


def test_an_image_of_the_chosen_value(client: FlaskClient, site_server: SimServer) -> None:
    product = next(p for p in site_server.catalog.iter_products() if len(set(p.option_images.values()) - {None}) > 1)
    value = next(v for v, image in product.option_images.items() if image and image != product.main_image)
    html = follow(client, f"/item_page/ABC/{product.asin}/x/1/%7B%7D")
    assert soup(html).select_one("#product-image")["src"] == product.main_image
    html = press(client, html, value)
    assert soup(html).select_one("#product-image")["src"] == product.option_images[value]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/search_results/ABC/x/0", 404),
        ("/search_results/ABC/x/1/", 404),
        ("/search_results/ABC", 404),
        ("/search_results/ABC/" + "x" * 2_500 + "/1", 414),
        ("/item_page/ABC/NOSUCH/x/1/{}", 404),
        ("/item_page/ABC/{asin}/x/1/{'smell': 'sweet'}", 400),
        ("/item_page/ABC/{asin}/x/1/{'color': 'no such colour'}", 400),
        ("/item_page/ABC/{asin}/x/1/{__import__('os')}", 400),
        ("/item_page/ABC/{asin}/x/one/{}", 404),
        ("/item_sub_page/ABC/{asin}/x/1/Price/{}", 404),
        ("/done/ABC/{asin}", 404),
        ("/done/ABC/NOSUCH/{}", 404),
        ("/a.b", 404),
        ("/search_results", 404),
        ("/" + "x" * 65, 404),
        ("/static/../app.py", 404),
        ("/static/no.css", 404),
        ("/ABC/def", 404),
    ],
)
def test_bad_addresses(client: FlaskClient, site_server: SimServer, address: str, status: int) -> None:
    answer = client.get(address.replace("{asin}", site_server.catalog.asin_at(0)))
    assert answer.status_code == status
    assert soup(answer.text).select_one("h1") and soup(answer.text).find("a", href="/")
    assert "Traceback" not in answer.text


def test_other_methods(client: FlaskClient) -> None:
    assert client.put("/ABC").status_code == 405
    assert "GET" in client.delete("/done/ABC/x/{}").headers["Allow"]
    assert client.get("/start_again/ABC").status_code == 405
    assert client.head("/ABC").status_code == 200
    posted = client.post("/search_results/ABC/red+shoes/2?order=price_low")
    assert posted.status_code == 303
    assert posted.headers["Location"] == "/search_results/ABC/%5B'red',%20'shoes'%5D/2?order=price_low"


def test_the_icon_makes_no_session(make_site: MakeSite) -> None:
    site = make_site(allow_chosen_ids=True)
    client = site.test_client()
    assert client.get("/favicon.ico", buffered=True).status_code == 200
    assert client.get_cookie("webshop_session") is None


def test_below_a_path_of_another_site(make_site: MakeSite) -> None:
    client = make_site(allow_chosen_ids=True).test_client()
    page = client.get("/ABC", environ_overrides={"SCRIPT_NAME": "/shop"})
    assert soup(page.text).select_one("#form-buscar")["action"] == "/shop/ABC"
    assert client.get("/", environ_overrides={"SCRIPT_NAME": "/shop"}).headers["Location"].startswith("/shop/")


def test_a_shop_without_tasks_serves_customers(untasked_files: ShopFiles) -> None:
    with pytest.raises(GoalError, match="--synthetic"):
        create_site(untasked_files, human_goals=True)
    client = create_site(untasked_files, allow_chosen_ids=True).test_client()
    html = follow(client, first_item(client, "ABC"))
    assert instruction(html) == "Instruction:"
    receipt = soup(press(client, html, "buy now"))
    assert receipt.select_one(".card h2").get_text() == "plain shirt"
    assert not receipt.select("#reward, #mturk_code")
    assert client.get("/fixed_0").status_code == 404


def test_people_s_tasks_come_first(demo_files: ShopFiles) -> None:
    for human, kind in ((None, "human"), (True, "human"), (False, "synthetic")):
        client = create_site(demo_files, human_goals=human, allow_chosen_ids=True).test_client()
        assert demo_files.goals(kind)[3].instruction_text in soup(follow(client, "/fixed_3")).get_text()
