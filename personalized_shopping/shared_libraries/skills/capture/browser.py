"""Capturing a page as a real browser shows it: one look at the page, one at its end, and never a click."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.capture.actions import CONTROL_ROLES
from personalized_shopping.shared_libraries.skills.capture.cdp import Line, Look, Seen, Told
from personalized_shopping.shared_libraries.skills.capture.controls import controls_tree, list_templates
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.elements import MAX_LABELS, accessibility, describe
from personalized_shopping.shared_libraries.skills.capture.facts import MAX_FACT_CHARS, Facts, safe_attributes
from personalized_shopping.shared_libraries.skills.capture.form_controls import BUTTON_WORDS
from personalized_shopping.shared_libraries.skills.capture.meta import make_meta, warning
from personalized_shopping.shared_libraries.skills.capture.model import MAX_TEXT_CHARS, Capture, Element
from personalized_shopping.shared_libraries.skills.capture.names import MAX_NAME_CHARS, collapse
from personalized_shopping.shared_libraries.skills.capture.roles import role_from_chromium
from personalized_shopping.shared_libraries.skills.capture.states import CHECKED_ROLES
from personalized_shopping.shared_libraries.skills.capture.static import MAX_ELEMENTS, SEARCH_FIELD_ID
from personalized_shopping.shared_libraries.skills.capture.texts import WORDLESS
from personalized_shopping.shared_libraries.skills.capture.webshop_url import page_kind as kind_of_url

if TYPE_CHECKING:
    from playwright.sync_api import Page

Named = tuple[str | None, str]
"""An element's role, in ARIA's words, and its name."""

_TRIES = 3
_CONTROLS = ", ".join(
    [
        "a[href], button, input:not([type=hidden]), select, textarea, details > summary, [onclick], [contenteditable]",
        "[tabindex]",
        *(f'[role~="{role}" i]' for role in sorted(CONTROL_ROLES)),
    ]
)
"""At least every element that ``is_control`` takes for one."""
_TO_THE_END = """(async () => {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  await new Promise((done) => { setTimeout(done, 500); requestAnimationFrame(() => requestAnimationFrame(done)); });
})()"""


def capture_page(page: "Page", *, page_kind: str | None = None, now: datetime | None = None) -> Capture:
    """Capture the page that a browser shows.

    The page is looked at in its main document; what frames and shadow roots hold is not seen, and a warning says so.
    It is scrolled to its end for a second look and back again.

    Args:
        page: a page of Playwright's synchronous interface, in Chromium or Chrome.
        page_kind: the kind of the shop's page; read from the address where it is not given.
        now: the moment of the capture; the present where it is not given.

    Raises:
        SkillError: when the page cannot be captured.
    """
    line = Line(page)
    try:
        look, facts, warnings = _read(line, page)
        scrolled = _read_end(line, page, look, facts)
    finally:
        line.close()
    has_search = any(element.attributes.get("id") == SEARCH_FIELD_ID for element in facts)
    kind = page_kind or kind_of_url(look.url, shows_search=has_search)
    nodes = controls_tree(facts, page_kind=kind, is_quirky=look.is_quirky)
    elements = describe(facts, list_templates(nodes))
    meta = make_meta(
        url=look.url,
        title=look.title,
        page_kind=kind,
        viewport=look.viewport,
        now=now,
        html=_html(page),
        mode="browser",
        warnings=warnings,
        user_agent=look.user_agent,
        device_scale_factor=look.scale,
        scroll_height=look.scroll_height,
    )
    return Capture(
        meta=meta,
        elements=elements,
        scrolled=_scrolled_elements(scrolled, kind, look.is_quirky) if scrolled else elements,
        nodes=nodes,
        ax=accessibility(facts),
    )


def _read(line: Line, page: "Page") -> tuple[Look, list[Facts], list[dict[str, Any]]]:
    """Look at the page and hear what its accessibility tree tells, until both speak of the same elements."""
    why = "the page does not stand still"
    for _ in range(_TRIES):
        look = _look(line)
        try:
            told = line.tell()[:MAX_ELEMENTS]
        except SkillError as error:  # very deep pages cannot be told
            why = str(error)
            break
        if [each.tag for each in told] == [each.tag for each in look.elements]:
            names = [_in_aria(each, seen) for each, seen in zip(told, look.elements, strict=True)]
            return look, _facts(look, names), _warnings(look)
    names = _from_markup(look, _html(page))
    what = f"Roles and names were computed from the page's markup: {why}"
    return look, _facts(look, names), [*_warnings(look), warning("AX_JOIN_FAILED", "accessibility", what)]


def _read_end(line: Line, page: "Page", first: Look, facts: list[Facts]) -> list[Facts] | None:
    """Return the page's elements after it was scrolled to its end, or ``None`` where there is nothing to scroll."""
    if first.scroll_height <= first.viewport[1]:
        return None
    left, top = first.scroll
    line.evaluate(_TO_THE_END)
    try:
        look = _look(line)
        if [each.tag for each in look.elements] == [each.tag for each in first.elements]:
            return _facts(look, [(each.role, each.name) for each in facts])
        return _read(line, page)[1]
    finally:
        line.evaluate(f'window.scrollTo({{ left: {left}, top: {top}, behavior: "instant" }})')


def _html(page: "Page") -> str:
    try:
        return str(page.content())
    except Exception as error:
        first_line = (str(error).strip().splitlines() or ["it went away"])[0]
        raise SkillError(f"The page cannot be captured: {first_line}") from None


def _look(line: Line) -> Look:
    return line.look(
        {
            "controls": _CONTROLS,
            "words": BUTTON_WORDS,
            "wordless": sorted(WORDLESS),
            "checkedRoles": sorted(CHECKED_ROLES),
            "maxElements": MAX_ELEMENTS,
            "maxText": MAX_TEXT_CHARS,
            "maxValue": MAX_FACT_CHARS,
            "maxLabels": MAX_LABELS,
        }
    )


def _in_aria(told: Told, seen: Seen) -> Named:
    role = None if told.role is None else role_from_chromium(told.role, seen.tag, seen.attributes)
    is_named = role is not None or told.role == "DisclosureTriangle"
    return role, collapse(told.name)[:MAX_NAME_CHARS] if is_named else ""


def _from_markup(look: Look, html: str) -> list[Named]:
    dom = Dom(html)
    if [dom.tag(index).lower() for index in range(len(dom))][:MAX_ELEMENTS] != [each.tag for each in look.elements]:
        return [(None, "") for _ in look.elements]
    return [(dom.role(index), dom.name(index)) for index in range(len(look.elements))]


def _facts(look: Look, names: list[Named]) -> list[Facts]:
    pairs = zip(look.elements, names, strict=True)
    return [_fact(index, seen, named, look.scroll) for index, (seen, named) in enumerate(pairs)]


def _fact(index: int, seen: Seen, named: Named, scroll: tuple[int, int]) -> Facts:
    x, y, width, height = seen.box
    return Facts(
        index=index,
        parent=seen.parent,
        tag=seen.tag,
        attributes=safe_attributes(seen.tag, seen.attributes),
        role=named[0],
        name=named[1],
        states=seen.states,
        text=collapse(seen.text),
        labels=seen.labels,
        label_texts=seen.label_texts,
        visible=seen.visible,
        bbox=seen.box,
        page_bbox=[x + scroll[0], y + scroll[1], width, height],
        in_viewport=seen.in_viewport,
        occlusion_ratio=seen.occlusion.ratio if seen.occlusion else None,
        covered_by=seen.occlusion.cover if seen.occlusion else None,
        looks=seen.looks,
    )


def _warnings(look: Look) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if look.total > len(look.elements):
        found.append(warning("PAGE_CUT", "look", f"only the first {len(look.elements)} elements were kept"))
    if look.frames:
        found.append(warning("FRAMES_SKIPPED", "look", f"{look.frames} frames were not looked into"))
    if look.shadows:
        found.append(warning("SHADOW_ROOTS_SKIPPED", "look", f"{look.shadows} shadow roots were not looked into"))
    return found


def _scrolled_elements(facts: list[Facts], kind: str | None, is_quirky: bool) -> list[Element]:
    return describe(facts, list_templates(controls_tree(facts, page_kind=kind, is_quirky=is_quirky)))
