"""Capturing a page from its HTML alone: no browser, no window, no scripts."""

from datetime import datetime

from personalized_shopping.shared_libraries.skills.capture.actions import is_control
from personalized_shopping.shared_libraries.skills.capture.controls import controls_tree, list_templates
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.elements import accessibility, describe
from personalized_shopping.shared_libraries.skills.capture.facts import Facts, safe_attributes
from personalized_shopping.shared_libraries.skills.capture.meta import make_meta, warning
from personalized_shopping.shared_libraries.skills.capture.model import MAX_TEXT_CHARS, Capture
from personalized_shopping.shared_libraries.skills.capture.texts import WORDLESS
from personalized_shopping.shared_libraries.skills.capture.webshop_url import page_kind as kind_of_url

MAX_ELEMENTS = 20_000
"""Elements of a page that a capture keeps."""
SEARCH_FIELD_ID = "search_input"


def capture_html(
    html: str,
    *,
    url: str,
    page_kind: str | None = None,
    title: str | None = None,
    viewport: tuple[int, int] | None = None,
    now: datetime | None = None,
) -> Capture:
    """Capture a page from its HTML.

    Boxes, and what lies over what, are not known; whether an element is visible is known only where the page's own
    markup hides it. Scrolling changes nothing.

    Args:
        html: the page.
        url: its address.
        page_kind: the kind of the shop's page; read from the address where it is not given.
        title: the page's title; the document's own where it is not given.
        viewport: the width and height, in CSS pixels, of the window for which the page is meant.
        now: the moment of the capture; the present where it is not given.

    Raises:
        SkillError: for an address that is none.
    """
    dom = Dom(html)
    kind = page_kind or kind_of_url(url, shows_search=dom.by_id(SEARCH_FIELD_ID) is not None)
    facts = read_facts(dom)
    nodes = controls_tree(facts, page_kind=kind, is_quirky=dom.is_quirky)
    elements = describe(facts, list_templates(nodes))
    cut = [warning("PAGE_CUT", "parse", f"only the first {len(facts)} elements were kept")]
    is_cut = dom.tree.is_cut or len(dom) > len(facts)
    meta = make_meta(
        url=url,
        title=dom.title if title is None else title,
        page_kind=kind,
        viewport=viewport,
        now=now,
        html=html,
        mode="static",
        warnings=cut if is_cut else [],
    )
    return Capture(meta=meta, elements=elements, scrolled=elements, nodes=nodes, ax=accessibility(facts))


def read_facts(dom: Dom) -> list[Facts]:
    """Return what a page's HTML tells of its elements, the first ``MAX_ELEMENTS`` of them."""
    return [_facts(dom, index) for index in range(min(len(dom), MAX_ELEMENTS))]


def _facts(dom: Dom, index: int) -> Facts:
    tag, parent = dom.tag(index).lower(), dom.parent(index)
    labels = [label for label in dom.labels(index) if label < MAX_ELEMENTS]
    is_seen = not dom.is_hidden(index) and not dom.visibility.transparent[index]
    is_pressed = is_control(tag, dom.attributes(index), None if parent is None else dom.tag(parent))
    return Facts(
        index=index,
        parent=parent,
        tag=tag,
        attributes=safe_attributes(tag, dom.attributes(index)),
        role=dom.role(index),
        name=dom.name(index),
        states=dom.states[index],
        text=dom.text(index, MAX_TEXT_CHARS) if is_pressed else "" if tag in WORDLESS else dom.own_text(index),
        labels=labels,
        label_texts=[dom.text(label, MAX_TEXT_CHARS) for label in labels],
        visible="unknown" if is_seen else False,
    )
