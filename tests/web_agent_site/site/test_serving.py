"""The site's server: bounded, impatient and taciturn."""

import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from personalized_shopping.errors import SettingError
from personalized_shopping.shared_libraries.web_agent_site.site import serving
from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer
from tests.web_agent_site.site.conftest import MakeSite

Start = Callable[[], SiteServer]


@pytest.fixture
def start(make_site: MakeSite) -> Iterator[Start]:
    running: list[tuple[SiteServer, threading.Thread]] = []

    def begin() -> SiteServer:
        server = SiteServer(make_site(allow_chosen_ids=True), "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return server

    yield begin
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


def read(server: SiteServer, path: str = "/ABC") -> bytes:
    with urllib.request.urlopen(server.address + path, timeout=60) as answer:
        assert answer.headers["Server"] == "personalized-shopping"
        return answer.read()


def test_silent_connections_are_closed_and_their_places_given_back(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.2)
    monkeypatch.setattr(serving, "SITE_MAX_CONNECTIONS", 2)
    server = start()
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(4)]
    assert b"instruction-text" in read(server)
    for connection in silent:
        assert connection.recv(100) == b""
        connection.close()


def test_half_a_form_is_no_form(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.2)
    server = start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(b"POST /ABC HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n")
        connection.sendall(b"Content-Type: application/x-www-form-urlencoded\r\n\r\nsearch_query=x")
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "request_line", [b"\xff\x00", b"GET", b"GET " + b"/x" * 40_000 + b" HTTP/1.1", b"GET http://[ HTTP/1.1"]
)
def test_what_is_no_request(start: Start, request_line: bytes) -> None:
    server = start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request_line + b"\r\n\r\n")
        answer = connection.recv(10_000)
    assert b" 5" not in answer[:12] and b"Traceback" not in answer
    assert read(server)


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host", "::ffff:zz"])
def test_where_it_cannot_listen(make_site: MakeSite, host: str) -> None:
    with pytest.raises(SettingError, match="--host"):
        SiteServer(make_site(), host, 0)
