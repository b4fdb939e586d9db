"""What a browser made of the pages, held against what is read from their HTML. No browser is needed here."""

import json
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.capture import capture_html
from tests.skills.capture.pages import GOLDEN, KINDS, SCORED, TORTURE, rows

PAGES = (*KINDS, SCORED, TORTURE)


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_html_alone_says_what_the_browser_said(name: str) -> None:
    expected = golden(name)
    html = (GOLDEN / f"{name}.html").read_text(encoding="utf-8")
    capture = capture_html(html, url=expected["made_by"]["url"])
    assert [row[:2] for row in rows(capture)] == [row[:2] for row in expected["elements"]]
    for index, (ours, theirs) in enumerate(zip(rows(capture), expected["elements"], strict=True)):
        assert ours == theirs, f"element {index} of {name}"


def test_the_golden_files_hold_what_they_are_for() -> None:
    elements = {name: golden(name)["elements"] for name in PAGES}
    assert sum(len(rows) for rows in elements.values()) > 700
    names = {row[3] for row in elements[TORTURE] if row[2] is not None}
    assert {"One bold Two deep", "self Three", "outer inner", "two and v7 end", 'sp"ace', "Foo", "second"} <= names
    roles = {row[2] for row in elements[TORTURE]}
    assert {"button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "slider", "switch", None} <= roles
    assert [row[3] for row in elements["item"] if row[3] == "Buy Now"] == ["Buy Now"]
    assert [row[2] for row in elements[SCORED]].count(None) > [row[2] for row in elements["done"]].count(None)
