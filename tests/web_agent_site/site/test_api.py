"""The website's routes, described as an HTTP interface and called with what fits the description, part by part."""

from collections import Counter
from typing import Any

import flask
import pytest
from hypothesis import given, settings

from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site.identity import TOKEN_FIELD, form_token
from personalized_shopping.shared_libraries.web_agent_site.site.security import HEADERS
from tests.web_agent_site.site.conftest import SECRET, MakeSite

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
SESSION = "ABC"
ITEM = "{session_id}/{asin}/{keywords}/{page}"
OPERATIONS = {
    "/": ("get",),
    "/{session_id}": ("get", "post"),
    "/search_results/{session_id}/{keywords}/{page}": ("get", "post"),
    f"/item_page/{ITEM}/{{options}}": ("get",),
    f"/item_sub_page/{ITEM}/{{sub}}/{{options}}": ("get",),
    "/done/{session_id}/{asin}/{options}": ("get", "post"),
    "/start_again/{session_id}": ("post",),
}
FIELDS = {"/{session_id}": "search_query", "/done/{session_id}/{asin}/{options}": TOKEN_FIELD}
FIELDS["/start_again/{session_id}"] = TOKEN_FIELD
ANYTHING = {"type": "string", "maxLength": 60}


def usual(server: SimServer) -> dict[str, list[str]]:
    """Return values that the website takes, and some that it has to refuse politely."""
    product = next(p for p in server.catalog.iter_products() if p.options)
    return {
        "session_id": [SESSION, "fixed_3"],
        "asin": [product.asin],
        "keywords": ["red+shirt", "['red', 'shirt']", "<c> fashion", "[1]"],
        "page": ["1", "2"],
        "options": ["", *(f"'{name}': '{value}'" for name, values in product.options.items() for value in values)],
        "sub": ["Description", "attributes"],
        "search_query": ["red shirt", " "],
        TOKEN_FIELD: [form_token(SECRET, SESSION), form_token(SECRET, "fixed_3")],
        "order": ["rating", "price_low", ""],
        "price": ["0-25"],
        "choose": ["1"],
    }


def description(server: SimServer, free: str) -> dict[str, Any]:
    """Return the interface; only one of its parameters, ``free``, takes anything."""
    values = usual(server)

    def schema(name: str) -> dict[str, Any]:
        known = {"enum": values[name]}
        return {"anyOf": [known, ANYTHING]} if name == free else known

    def operation(path: str, method: str) -> dict[str, Any]:
        parts = [{"name": n, "in": "path", "required": True, "schema": schema(n)} for n in values if f"{{{n}}}" in path]
        queries = [{"name": n, "in": "query", "schema": schema(n)} for n in ("order", "price", "choose")]
        described = {"parameters": [*parts, *queries], "responses": {"default": {"description": "a page"}}}
        if method == "post" and path in FIELDS:
            field = FIELDS[path]
            form = {"type": "object", "properties": {field: schema(field)}, "required": [field]}
            described["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": form}}}
        return described

    paths = {path: {method: operation(path, method) for method in methods} for path, methods in OPERATIONS.items()}
    return {"openapi": "3.1.0", "info": {"title": "The website", "version": "1"}, "paths": paths}


def answers(cases: Any) -> Counter[int]:
    """Make calls, none of which may fail, and count the statuses of their answers."""
    found = Counter[int]()

    @settings(max_examples=15, deadline=None)
    @given(case=cases)
    def call(case: Any) -> None:
        if "options" in case.path_parameters:
            # A description's path has braces of its own, so values with braces are never made for it.
            case.path_parameters["options"] = f"{{{case.path_parameters['options']}}}"
        answer = case.call_and_validate(checks=[schemathesis.checks.not_a_server_error])
        found[answer.status_code] += 1
        assert "Traceback" not in answer.text
        assert all(answer.headers[name.lower()] == [value] for name, value in HEADERS.items())

    call()
    return found


FREE = ["session_id", "asin", "keywords", "page", "options", "sub", "search_query", TOKEN_FIELD, "order"]


@pytest.mark.parametrize("free", FREE)
def test_no_call_fails(make_site: MakeSite, site_server: SimServer, free: str) -> None:
    site: flask.Flask = make_site(allow_chosen_ids=True)
    interface = schemathesis.openapi.from_dict(description(site_server, free))
    interface.app = site
    for path, methods in OPERATIONS.items():
        # A query is read everywhere; the other parts only where they stand.
        if free != "order" and f"{{{free}}}" not in path and FIELDS.get(path) != free:
            continue
        for method in methods:
            found = answers(interface[path][method].as_strategy())
            assert free != "order" or min(found) < 400, f"{method} {path} never came through"
