"""Which requests are let in, and what every answer carries."""

import asyncio
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalized_shopping.chat import Chat
from personalized_shopping.chat.limits import MAX_BODY_BYTES, MAX_MESSAGE_CHARS
from personalized_shopping.chat.secret_key import secret_key
from personalized_shopping.chat.security import COOKIE, Identity, host_is_ours
from personalized_shopping.errors import SettingError
from tests.chat.helpers import HERE, SECRET, Person

SEND = ("messages", {"text": "hello"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Chat-Token": ""}, 403),
        ({"X-Chat-Token": "0" * 64}, 403),
        ({"X-Chat-Token": "ÿ"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:9999"}, 403),
        ({"Origin": "http://[::1"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Origin": HERE, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json; charset=utf-8"}, 200),
    ],
)
async def test_only_our_own_page_may_post(headers: dict[str, str], status: int, person: Person) -> None:
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    for path, body in (SEND, ("answers", {"question_id": "x", "confirmed": True}), ("stop", {}), ("new", {})):
        known = {b"X-Chat-Token": person.token.encode(), b"Content-Type": b"application/json"}
        answer = await person.client.post(f"/chat/{path}", content=_json(body), headers=known | raw)
        if status != 200:
            assert answer.status_code == status and answer.json()["error"], path
        elif path == "messages":
            assert answer.status_code == 200


def _json(body: object) -> bytes:
    return httpx.Request("POST", HERE, json=body).content


@pytest.mark.parametrize(
    "cookie",
    [None, "", "x", "0" * 32 + "-" + "1" * 32, "0" * 32 + "-" + "1" * 32 + ".AAAA", "..", "ÿ"],
)
async def test_a_cookie_that_was_not_made_here_is_nobodys(cookie: str | None, chat: Chat) -> None:
    async with Person(chat) as someone:
        headers = {} if cookie is None else {b"Cookie": f"{COOKIE}={cookie}".encode("latin-1")}
        assert (await someone.client.get("/chat/history", headers=headers)).status_code == 403
        posted = await someone.client.post("/chat/messages", json=SEND[1], headers=headers)
        assert posted.status_code == 403
        page = await someone.client.get("/chat", headers=headers)
        assert page.status_code == 200 and COOKIE in page.headers["set-cookie"]


async def test_the_cookie_is_confined_and_stays(person: Person, chat: Chat) -> None:
    async with Person(chat) as newcomer:
        made = (await newcomer.client.get("/chat")).headers["set-cookie"].lower()
        assert "httponly" in made and "samesite=lax" in made and "secure" not in made
        assert "set-cookie" not in (await newcomer.client.get("/chat")).headers
        secure = await newcomer.client.get("https://localhost/chat", headers={"Cookie": ""})
        assert "secure" in secure.headers["set-cookie"].lower()


def test_identities() -> None:
    identity, other = Identity(SECRET), Identity(SECRET + "!")
    who = identity.new()
    assert len(who.user_id) == 32 and who.user_id != identity.new().user_id
    cookie = identity.cookie(who)
    assert identity.read(cookie) == who and other.read(cookie) is None
    again = who.anew()
    assert again.user_id == who.user_id and again.session_id != who.session_id
    assert identity.knows_token(who, identity.token(who))
    for wrong in (identity.token(again), other.token(who), "", "\ud800"):
        assert not identity.knows_token(who, wrong)


@pytest.mark.parametrize(
    ("host", "passes"),
    [
        ("localhost", True),
        ("LOCALHOST.:1", True),
        ("127.0.0.1:65000", True),
        ("127.8.9.1", True),
        ("[::1]:8080", True),
        ("shop.example", True),
        ("SHOP.example:443", True),
        ("a.run.app", True),
        ("run.app", False),
        ("evilrun.app", False),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("shop.example,evil.example", False),
        ("localhost:80:80", False),
        ("evil.example@localhost", False),
        ("0.0.0.0", False),
        ("", False),
    ],
)
async def test_the_host_check(host: str, passes: bool, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "shop.example, .run.app,")
    async with Person(chat) as someone:
        for path in ("/chat", "/chat/static/chat.css", "/chat/nope"):
            answer = await someone.client.get(path, headers={"Host": host, "Accept": "text/html"})
            assert (answer.status_code == 400) is not passes
            if not passes:
                assert "ALLOWED_HOSTS" in answer.text and "set-cookie" not in answer.headers


def test_two_host_headers_are_none() -> None:
    assert not host_is_ours(["localhost", "localhost"], ()) and not host_is_ours([], ())


async def test_every_answer_is_confined(person: Person) -> None:
    await person.say("a denim jacket for women")
    paths = ["", "/", "/history", "/nope", "/static/chat.js", "/static/nope", "/pages/99", "/trajectory", "/messages"]
    for path in paths:
        answer = await person.client.get(f"/chat{path}", headers={"Accept": "text/html"})
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin", path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert answer.status_code < 500
    policy = (await person.client.get("/chat")).headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "frame-ancestors 'self'" in (await person.client.get("/chat/pages/1")).headers["content-security-policy"]


async def test_errors_are_pages_for_people_and_json_for_scripts(person: Person) -> None:
    page = await person.client.get("/chat/<b>nope</b>", headers={"Accept": "text/html,*/*"})
    assert page.status_code == 404 and page.headers["content-type"].startswith("text/html")
    assert "<b>" not in page.text and 'href="/chat"' in page.text
    told = await person.client.get("/chat/nope")
    assert told.json() == {"error": "There is no such page in the chat."}
    wrong = await person.client.put("/chat/messages")
    assert wrong.status_code == 405 and wrong.headers["allow"] == "POST"
    slash = await person.client.get("/chat/")
    assert slash.status_code == 308 and slash.headers["location"] == "../chat"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"null", 400),
        (b'{"text": 5}', 400),
        (b'{"text": "a", "more": 1}', 400),
        (b'{"text": "  \\u0000 "}', 400),
        (b'{"text": "\\ud800"}', 400),
        (b'{"text": "\xff"}', 400),
        (b"[" * 60_000, 400),
        (b'{"text": "' + b"a" * (MAX_MESSAGE_CHARS + 1) + b'"}', 413),
        (b'{"text": "' + b"a" * MAX_BODY_BYTES + b'"}', 413),
    ],
    ids=range(11),
)
async def test_bodies_that_are_refused(body: bytes, status: int, person: Person) -> None:
    headers = {"X-Chat-Token": person.token, "Content-Type": "application/json"}
    answer = await person.client.post("/chat/messages", content=body, headers=headers)
    assert answer.status_code == status and answer.json()["error"]


async def test_a_body_without_a_length_is_cut_off(person: Person) -> None:
    sent = 0

    async def endless() -> object:
        nonlocal sent
        while True:
            sent += 8_000
            yield b"a" * 8_000

    headers = {"X-Chat-Token": person.token, "Content-Type": "application/json"}
    answer = await person.client.post("/chat/messages", content=endless(), headers=headers)
    assert answer.status_code == 413 and sent < 3 * MAX_BODY_BYTES


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    path=st.one_of(
        st.sampled_from(["messages", "answers", "stop", "new", "history", "stream", "pages/1", "trajectory"]),
        st.text(max_size=30),
    ),
    method=st.sampled_from(["GET", "POST", "HEAD", "PUT", "OPTIONS"]),
    body=st.one_of(
        st.binary(max_size=200),
        st.dictionaries(
            st.sampled_from(["text", "question_id", "confirmed", "x"]),
            st.one_of(st.text(max_size=20), st.booleans(), st.none(), st.integers()),
        ).map(_json),
    ),
)
def test_nothing_that_is_sent_breaks_it(path: str, method: str, body: bytes, chat: Chat) -> None:
    async def send() -> None:
        async with Person(chat) as someone:
            await someone.open()
            headers = {"X-Chat-Token": someone.token, "Content-Type": "application/json"}
            url = httpx.URL(HERE).copy_with(raw_path=b"/chat/" + _quoted(path))
            answer = await someone.client.request(method, url, content=body, headers=headers)
            assert answer.status_code < 500, answer.text
            assert "Traceback" not in answer.text

    asyncio.run(send())


def _quoted(path: str) -> bytes:
    return "".join(f"%{byte:02x}" for byte in path.encode("utf-8", "surrogatepass")).encode()


def test_the_key_is_kept_in_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "new"))
    key = secret_key()
    [file] = (tmp_path / "new").iterdir()
    assert secret_key() == key and file.stat().st_mode & 0o077 == 0 and len(key) == 64
    file.write_text("short")
    with pytest.raises(SettingError, match="Delete it"):
        secret_key()
    monkeypatch.setenv("CHAT_SECRET_KEY", "k" * 32)
    assert secret_key() == "k" * 32
    monkeypatch.setenv("CHAT_SECRET_KEY", "k")
    with pytest.raises(SettingError, match="CHAT_SECRET_KEY"):
        secret_key()


def test_a_directory_that_cannot_be_written_costs_only_the_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "file"))
    assert secret_key() != secret_key()
    assert "CHAT_SECRET_KEY" in caplog.text
