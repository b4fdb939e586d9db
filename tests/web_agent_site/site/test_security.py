"""Whose session it is, whose form it is, and what every answer carries."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from personalized_shopping.config import SITE_MAX_BODY_BYTES
from personalized_shopping.errors import SettingError
from personalized_shopping.shared_libraries.web_agent_site.site.identity import load_secret, own_ids
from tests.web_agent_site.site.browser import buy_form, first_item, follow, own_session
from tests.web_agent_site.site.conftest import MakeSite


@pytest.mark.parametrize(
    "path", ["/", "/ABC", "/static/site.css", "/nothing/here", "/favicon.ico", "/search_results/ABC/x/0"]
)
def test_every_answer_is_confined(client: FlaskClient, path: str) -> None:
    headers = client.get(path, buffered=True).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert "Strict-Transport-Security" not in headers
    if not path.startswith(("/static", "/favicon")):
        assert headers["Cache-Control"] == "no-store"


def test_no_page_needs_script_or_style_of_its_own(client: FlaskClient) -> None:
    item = first_item(client, "ABC")
    for path in ("/ABC", "/search_results/ABC/shirt/1", item, "/nothing/here", item.replace("/item_page", "/x")):
        text = client.get(path).text
        assert "<style" not in text and " style=" not in text and "javascript:" not in text
        assert text.count("<script") == text.count('<script src="/static/')


def test_a_session_belongs_to_its_browser(make_site: MakeSite) -> None:
    site = make_site()
    mine, other = site.test_client(), site.test_client()
    session_id = own_session(mine)
    own_session(other)
    address, fields = buy_form(follow(mine, first_item(mine, session_id)))
    for client in (other, site.test_client()):
        for path in (f"/{session_id}", f"/search_results/{session_id}/x/1", address):
            assert client.get(path).status_code == 404
        assert client.post(address, data=fields).status_code == 404
    for name in ("/ABC", "/fixed_1", "/" + "0" * 32):
        assert mine.get(name).status_code == 404


def test_a_forged_cookie_is_none(make_site: MakeSite) -> None:
    site = make_site()
    client = site.test_client()
    session_id = own_session(client)
    value = client.get_cookie("webshop_session").value
    for forged in (value[:-2] + "xx", "", "x" * 4_000, f'{{"ids": ["{session_id}"]}}', value.split(".")[0]):
        client.set_cookie("webshop_session", forged)
        assert client.get(f"/{session_id}").status_code == 404
    with make_site(secret_key="another").test_client() as elsewhere:
        elsewhere.set_cookie("webshop_session", value)
        assert elsewhere.get(f"/{session_id}").status_code == 404
        assert own_ids() == []


def test_the_cookie_is_for_the_server_alone(make_site: MakeSite) -> None:
    cookie = make_site().test_client().get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Secure" not in cookie
    cookie = make_site().test_client().get("/", base_url="https://localhost").headers["Set-Cookie"]
    assert "Secure" in cookie
    answer = make_site(https_only=True).test_client().get("/")
    assert answer.headers["Set-Cookie"].startswith("__Host-webshop_session=")
    assert "Secure" in answer.headers["Set-Cookie"] and "Path=/" in answer.headers["Set-Cookie"]
    assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_only_own_forms_buy(make_site: MakeSite) -> None:
    client = make_site(allow_chosen_ids=True).test_client()
    session_id = own_session(client)
    address, fields = buy_form(follow(client, first_item(client, session_id)))
    _, others = buy_form(follow(client, first_item(client, "ABC")))
    token = fields["csrf_token"]
    for sent in ({}, {"csrf_token": ""}, {"csrf_token": "x" * 64}, others, {"csrf_token": token[:-1] + "\u00e9"}):
        assert client.post(address, data=sent).status_code == 403
    assert client.post(address, query_string=fields).status_code == 403
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:81"},
        {"Origin": "http://[x"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert client.post(address, data=fields, headers=headers).status_code == 403
    assert "Buy this?" in follow(client, address)
    good = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.post(address, data=fields, headers=good).status_code == 303


def test_a_new_session_is_begun_by_an_own_form(make_site: MakeSite) -> None:
    client = make_site().test_client()
    session_id = own_session(client)
    _, fields = buy_form(follow(client, first_item(client, session_id)))
    assert client.post(f"/start_again/{session_id}").status_code == 403
    location = client.post(f"/start_again/{session_id}", data=fields).headers["Location"]
    assert location != f"/{session_id}" and client.get(location).status_code == 200
    assert client.get(f"/{session_id}").status_code == 200
    assert client.get("/").headers["Location"] == location


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]", "[::1]:3000", "Shop.Example:81"]
)
def test_hosts_that_are_ours(make_site: MakeSite, host: str) -> None:
    client = make_site(allow_chosen_ids=True, allowed_hosts=["shop.example"]).test_client()
    assert client.get("/ABC", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil@localhost:x",
        "a b",
        "[::2]",
        "[::1",
        "0",
    ],
)
def test_hosts_that_are_not(make_site: MakeSite, host: str) -> None:
    client = make_site(allow_chosen_ids=True, allowed_hosts=["shop.example"]).test_client()
    for path in ("/ABC", "/static/site.css", "/nothing/here"):
        assert client.get(path, headers={"Host": host}).status_code == 400


def test_bodies_are_bounded(client: FlaskClient) -> None:
    big = "x" * (SITE_MAX_BODY_BYTES + 1)
    assert client.post("/ABC", data={"search_query": big}).status_code == 413
    assert client.post("/ABC", data=big, content_type="multipart/form-data; boundary=x").status_code == 413
    parts = {f"field{n}": "x" for n in range(100)}
    assert client.post("/ABC", data=parts, content_type="multipart/form-data").status_code == 413
    assert client.post("/ABC", data=b"\xff\xfe=%ff&search_query=%ff%fe").status_code < 500


def test_the_key_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "key"
    key = load_secret(path)
    assert len(key) == 64 and load_secret(path) == key
    assert path.stat().st_mode & 0o077 == 0
    assert [file.name for file in path.parent.iterdir()] == ["key"]
    path.write_text("")
    with pytest.raises(SettingError, match="Delete it"):
        load_secret(path)
