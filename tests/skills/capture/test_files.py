import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.capture import capture_html, read_capture, write_capture
from personalized_shopping.shared_libraries.skills.capture.files import AX, CONTROLS_TREE, DOM_SUMMARY, META
from personalized_shopping.shared_libraries.skills.capture.meta import sanitize_domain
from tests.skills.capture.pages import GOLDEN, TORTURE, ShopPage

NOW = datetime(2026, 3, 1, 23, 59, 58, tzinfo=timezone(timedelta(hours=-5)))
ORIGINAL_FIELDS = {
    "index", "tag", "id", "class", "role", "name", "aria", "bbox", "page_bbox", "visible", "in_viewport",
    "occlusion_ratio", "text", "labels", "interactive_score", "parent_index", "is_control",
}  # fmt: skip


@pytest.fixture
def directory(tmp_path: Path, pages: dict[str, ShopPage]) -> Path:
    return write_capture(capture_html(pages["item"].html, url=pages["item"].url, now=NOW), tmp_path)


def test_a_capture_lies_where_the_blueprint_says(tmp_path: Path, directory: Path) -> None:
    assert directory == tmp_path / "data" / "shop_test" / "20260302045958"
    assert sorted(path.name for path in directory.iterdir()) == [
        "ax.json",
        "controls_tree.json",
        "dom_summary.json",
        "dom_summary_scrolled.json",
        "meta.json",
    ]


def test_a_second_capture_in_the_same_second_lies_beside(tmp_path: Path, pages: dict[str, ShopPage]) -> None:
    capture = capture_html(pages["search"].html, url=pages["search"].url, now=NOW)
    names = [write_capture(capture, tmp_path).name for _ in range(3)]
    assert names == ["20260302045958", "20260302045958-1", "20260302045958-2"]


@pytest.mark.parametrize("kind", ["search", "results", "item", "done"])
def test_what_is_written_is_read_again(tmp_path: Path, pages: dict[str, ShopPage], kind: str) -> None:
    capture = capture_html(pages[kind].html, url=pages[kind].url, now=NOW)
    assert read_capture(write_capture(capture, tmp_path)) == capture


def test_a_page_of_torture_is_read_again(tmp_path: Path) -> None:
    html = (GOLDEN / f"{TORTURE}.html").read_text(encoding="utf-8")
    capture = capture_html(html, url="https://x.test/", now=NOW)
    assert read_capture(write_capture(capture, tmp_path)) == capture


def test_the_files_have_the_blueprints_fields(directory: Path) -> None:
    summary = json.loads((directory / DOM_SUMMARY).read_text(encoding="utf-8"))
    assert summary["count"] == len(summary["elements"]) > 50
    assert all(element.keys() >= ORIGINAL_FIELDS for element in summary["elements"])
    radio = next(element for element in summary["elements"] if element.get("input_type") == "radio")
    assert radio["role_computed"] == "radio" and radio["name_computed"] and radio["proxy_index"]
    assert radio["checked"] is False and radio["enabled"] is True and radio["list_template"]
    tree = json.loads((directory / CONTROLS_TREE).read_text(encoding="utf-8"))
    head = tree["meta"]
    assert head["count"] == len(tree["nodes"]) == head["control_count"] + head["content_count"]
    assert tree["roots"] == [node["id"] for node in tree["nodes"] if node["parent"] is None]
    fields = {"id", "type", "parent", "children", "selector", "geom", "action", "index", "role", "name", "unique"}
    assert all(node.keys() >= fields | {"template_id", "proxy_selector", "effect"} for node in tree["nodes"])
    ax = json.loads((directory / AX).read_text(encoding="utf-8"))
    assert (ax["spec"], ax["source"]) == ("ax_v1", "static")
    assert {"index", "role", "name", "states"} == ax["nodes"][0].keys()


def test_the_head_tells_where_and_how(directory: Path, pages: dict[str, ShopPage]) -> None:
    meta = json.loads((directory / META).read_text(encoding="utf-8"))
    assert meta["url"] == pages["item"].url and meta["title"] == "WebShop"
    assert (meta["domain"], meta["domain_sanitized"]) == ("shop.test", "shop_test")
    assert (meta["capture_mode"], meta["parser"], meta["spec_version"]) == ("static", "lexbor", "v1")
    assert meta["timestamp"] == "20260302045958" and meta["started_epoch"] == NOW.timestamp()
    assert meta["status"] == "ok" and meta["warnings"] == [] and len(meta["dom_sha256"]) == 64
    assert meta["artifacts_present"]["controls_tree"] is True
    assert not [name for name in meta if "cookie" in name]


def test_the_same_page_is_the_same_capture(pages: dict[str, ShopPage]) -> None:
    first, second = (capture_html(pages["results"].html, url=pages["results"].url, now=NOW) for _ in range(2))
    assert first == second
    later = capture_html(pages["results"].html, url=pages["results"].url)
    assert abs(later.meta["started_epoch"] - datetime.now(UTC).timestamp()) < 60


@pytest.mark.parametrize(
    ("domain", "name"),
    [
        ("www.Example.com:8080", "example_com"),
        ("127.0.0.1:3000", "127_0_0_1"),
        ("..", "unknown"),
        ("", "unknown"),
        ("a/../../b", "a_b"),
        ("[::1]:80", "1"),
        ("münchen.de", "m_nchen_de"),
        ("a" * 300, "a" * 100),
    ],
)
def test_a_host_is_a_harmless_name_of_a_directory(domain: str, name: str) -> None:
    assert sanitize_domain(domain) == name


@pytest.mark.parametrize("url", ["", "shop.test/x", "/path", "javascript:alert(1)", "http://", "http://["])
def test_what_is_no_address_is_a_clear_error(url: str) -> None:
    with pytest.raises(SkillError, match="no address"):
        capture_html("<p>", url=url)


def test_what_is_no_capture_is_a_clear_error(tmp_path: Path, directory: Path) -> None:
    with pytest.raises(SkillError, match="is no capture"):
        read_capture(tmp_path)
    (directory / AX).write_text('{"spec": 1}', encoding="utf-8")
    with pytest.raises(SkillError, match=r"ax\.json"):
        read_capture(directory)
    (directory / META).unlink()
    with pytest.raises(SkillError, match=r"meta\.json cannot be read"):
        read_capture(directory)


def test_a_workspace_that_cannot_be_written_is_a_clear_error(tmp_path: Path, pages: dict[str, ShopPage]) -> None:
    (tmp_path / "data").write_text("a file in the way", encoding="utf-8")
    with pytest.raises(SkillError, match="cannot be written"):
        write_capture(capture_html(pages["search"].html, url=pages["search"].url), tmp_path)


def test_secrets_are_not_kept(tmp_path: Path) -> None:
    html = """<form><input type=password value=SECRET1><input type=hidden name=csrf_token value=SECRET2>
        <input name=session value=SECRET3><input autocomplete=cc-number value=SECRET4>
        <input type=radio name=card_type value=visa></form><meta name=csrf-token content=SECRET5>
        <a href='https://me:SECRET6@h.test/x'>x</a>
        <label>n<input type=checkbox><input type=password value=SECRET7></label>"""
    directory = write_capture(capture_html(html, url="https://me:SECRET8@shop.test/x"), tmp_path)
    written = "".join(path.read_text(encoding="utf-8") for path in directory.iterdir())
    assert "SECRET" not in written and "visa" in written and "https://h.test/x" in written


def test_a_huge_page_is_cut_and_says_so() -> None:
    capture = capture_html("<i></i>" * 25_000, url="https://x.test/")
    assert len(capture.elements) == 20_000
    assert [each["code"] for each in capture.meta["warnings"]] == ["PAGE_CUT"]
    assert capture_html("<p>", url="https://x.test/").meta["warnings"] == []


def test_long_values_are_cut() -> None:
    html = f"<p class='{'c' * 500}' data-x='{'v' * 500}'>{'t' * 500}</p><button>{'n' * 5_000}</button>"
    capture = capture_html(html, url="https://x.test/" + "p" * 20_000, title="t" * 5_000)
    paragraph = next(each for each in capture.elements if each.tag == "p")
    assert len(paragraph.attrs["data-x"]) == len(paragraph.class_ or "") == 200
    assert paragraph.attrs["data-x"].endswith("…") and len(paragraph.text) == 160
    assert len(capture.controls[0].name) == 1_000
    assert len(capture.meta["url"]) == 8_000 and len(capture.meta["title"]) == 500
