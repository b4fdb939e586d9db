"""The session logs: WebShop's lines, readable whatever a product or a shopper says."""

import json
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site import user_log
from tests.web_agent_site.site.browser import buy_form, first_item, follow, own_session, press, soup
from tests.web_agent_site.site.conftest import MakeSite


def lines(directory: Path, session_id: str) -> list[dict[str, Any]]:
    path = directory / "user_session_logs" / "mturk" / f"{session_id}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_the_published_lines(make_site: MakeSite, site_server: SimServer, tmp_path: Path) -> None:
    client = make_site(allow_chosen_ids=True, log_dir=tmp_path).test_client()
    follow(client, "/fixed_2")
    follow(client, first_item(client, "fixed_2", "cotton shirt"))
    item = first_item(client, "fixed_2", "cotton shirt")
    html = press(client, press(client, follow(client, item), "features"), "< prev")
    receipt = soup(press(client, html, "buy now"))
    follow(client, buy_form(html)[0])
    found = lines(tmp_path, "fixed_2")
    pages = ["index", *["search_results", "item_page"] * 2, "item_sub_page", "item_page", "done"]
    assert [line["page"] for line in found] == pages
    assert all(line["goal"] == site_server.goals[2] for line in found)
    assert all(line["url"].startswith("http://localhost/") for line in found)
    assert set(found[0]) == {"page", "url", "goal"}
    asin = item.split("/")[3]
    content = found[1]["content"]
    assert (content["keywords"], content["page"]) == (["cotton", "shirt"], 1)
    assert len(content["search_result_asins"]) == 10 and asin in content["search_result_asins"]
    assert found[2]["content"] == {"keywords": "['cotton', 'shirt']", "page": "1", "asin": asin, "options": {}}
    assert found[-1]["content"] == {"asin": asin, "options": {}, "price": site_server.product_prices[asin]}
    assert str(found[-1]["reward"]) == receipt.select_one("#reward pre").get_text()
    assert found[-1]["reward_info"] == json.loads(receipt.select_one("#reward_info pre").get_text())


def test_lines_of_odd_words_are_single_lines(make_site: MakeSite, tmp_path: Path) -> None:
    client = make_site(allow_chosen_ids=True, log_dir=tmp_path).test_client()
    words = 'a\r\n{"page": "done"}\u2028\x1b[2J\x00 =1+1'
    follow(client, "/ABC", "post", {"search_query": words})
    (line,) = lines(tmp_path, "ABC")
    assert " ".join(line["content"]["keywords"]) == words.lower()


def test_sessions_add_to_their_own_file(make_site: MakeSite, tmp_path: Path) -> None:
    for _ in range(2):
        client = make_site(allow_chosen_ids=True, log_dir=tmp_path).test_client()
        follow(client, "/ABC")
        client.head("/ABC")
        client.get("/favicon.ico", buffered=True)
        client.get("/no.such.page")
        client.get("/../../x")
    own = own_session(client)
    assert {path.name for path in (tmp_path / "user_session_logs" / "mturk").iterdir()} == {"ABC.jsonl", f"{own}.jsonl"}
    assert len(lines(tmp_path, "ABC")) == 2


def test_a_disk_that_refuses_stops_nobody(
    make_site: MakeSite, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_site(allow_chosen_ids=True, log_dir=tmp_path).test_client()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("")
    (tmp_path / "user_session_logs" / "mturk" / "ABC.jsonl").symlink_to(elsewhere)
    follow(client, "/ABC")
    assert elsewhere.read_text() == "" and "session log" in caplog.text
    monkeypatch.setattr(user_log, "SITE_MAX_LOG_BYTES", 1)
    follow(client, "/DEF")
    follow(client, "/DEF")
    assert len(lines(tmp_path, "DEF")) == 1
