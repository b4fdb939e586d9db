"""Whatever is asked: an answer below 500, and never a trace."""

from pathlib import Path

import flask
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalized_shopping.shared_libraries.web_agent_site.app import create_site
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site.identity import form_token
from tests.web_agent_site.site.conftest import SECRET

ODD = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "..",
            ".",
            "//",
            "\\",
            "%00",
            "\x00",
            "\r\nSet-Cookie: a=b",
            "<script>alert(1)</script>",
            "['a'",
            "[" * 3_000,
            "{'a': " * 1_000,
            "{}",
            '{"color": "red"}',
            "1",
            "0",
            "-1",
            "9" * 30,
            "١",
            "fixed_1",
            "fixed_999999",
            "ABC",
            "search_results",
            "\ud800",
            "é" * 700,
        ]
    ),
)
ROUTES = ("", "search_results", "item_page", "item_sub_page", "done", "start_again", "static", "favicon.ico")


@pytest.fixture(scope="module")
def site(site_server: SimServer, tmp_path_factory: pytest.TempPathFactory) -> flask.Flask:
    """Return a site that logs, and whose sessions anyone may name."""
    log: Path = tmp_path_factory.mktemp("log")
    return create_site(server=site_server, secret_key=SECRET, allow_chosen_ids=True, log_dir=log)


def utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(ROUTES),
    st.lists(ODD, max_size=6),
    st.dictionaries(
        st.sampled_from(["search_query", "csrf_token", "choose", "order", "price", "color"]) | ODD, ODD, max_size=3
    ),
    st.sampled_from(["GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE"]),
    st.dictionaries(st.sampled_from(["Host", "Origin", "Cookie", "Range", "Accept", "Content-Type"]), ODD, max_size=2),
)
def test_any_request(
    site: flask.Flask, route: str, parts: list[str], fields: dict[str, str], method: str, headers: dict[str, str]
) -> None:
    path = "/" + "/".join([route, "ABC", *map(utf8, parts)] if route else map(utf8, parts))
    clean = {k: "".join(c for c in v if 32 <= ord(c) < 256) for k, v in headers.items()}
    sent = {utf8(k): utf8(v) for k, v in fields.items()}
    answer = site.test_client().open(
        "/",
        environ_overrides={"PATH_INFO": path.encode().decode("latin-1")},
        method=method,
        headers=clean,
        query_string=sent,
        data=sent if method == "POST" and "Content-Type" not in clean else None,
        buffered=True,
    )
    assert answer.status_code < 500, answer.text
    assert b"Traceback" not in answer.data
    assert "script" not in answer.headers.get("Location", "") or "<" not in answer.headers["Location"]
    assert "Set-Cookie" not in answer.headers or answer.headers["Set-Cookie"].startswith("webshop_session=")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["search_results", "item_page", "item_sub_page", "done"]),
    ODD,
    st.integers(-1, 60),
    st.sampled_from(["Description", "features", "Reviews", "Attributes", "Price"]),
    st.dictionaries(st.sampled_from(["color", "size"]) | ODD, ODD, max_size=2),
    st.integers(0, 299),
    st.booleans(),
)
def test_any_page(
    site: flask.Flask,
    site_server: SimServer,
    route: str,
    words: str,
    number: int,
    sub: str,
    options: dict[str, str],
    row: int,
    buys: bool,
) -> None:
    asin = site_server.catalog.asin_at(row)
    product = site_server.catalog.product(asin)
    known = {name: values[0] for name, values in product.options.items()} if row % 2 else options
    rest = {
        "search_results": f"{words}/{number}",
        "item_page": f"{asin}/{words}/{number}/{known}",
        "item_sub_page": f"{asin}/{words}/{number}/{sub}/{known}",
        "done": f"{asin}/{known}",
    }[route]
    path = utf8(f"/{route}/any_{row}/{rest}").replace("%", "%25").replace("?", "%3F").replace("#", "%23")
    client = site.test_client()
    if buys:
        token = form_token(SECRET, f"any_{row}")
        answer = client.post(path, data={"csrf_token": token}, follow_redirects=True)
    else:
        answer = client.get(path)
    assert answer.status_code < 500, answer.text
