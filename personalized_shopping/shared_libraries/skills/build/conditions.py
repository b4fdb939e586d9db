"""When a skill fits a page: preconditions taken from what a capture shows, and nothing beyond."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec import UNSET

from personalized_shopping.shared_libraries.skills.build.covers import STATEFUL, Covers
from personalized_shopping.shared_libraries.skills.build.groups import Group, PageFacts
from personalized_shopping.shared_libraries.skills.build.locators import LASTING, css_of, shared_selector
from personalized_shopping.shared_libraries.skills.capture.selectors import role_selector
from personalized_shopping.shared_libraries.skills.capture.webshop_url import url_pattern
from personalized_shopping.shared_libraries.skills.capture.words import words
from personalized_shopping.shared_libraries.skills.library_files import plain_host
from personalized_shopping.shared_libraries.skills.model import Locators, Preconditions, Viewport
from personalized_shopping.shared_libraries.skills.patterns import matches
from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind

VIEWPORT_SHARE = 0.8
"""The narrowest window in which a skill is tried, as a share of the one in which its page was seen."""
KINDS: tuple[PageKind, ...] = (
    "search",
    "results",
    "item",
    "description",
    "features",
    "reviews",
    "attributes",
    "done",
)
_HOLDS = words("article dialog form list radiogroup region search table tablist toolbar")


def find_preconditions(facts: PageFacts, covers: Covers, group: Group, locators: Locators) -> Preconditions:
    """Return what has to hold before a group's skill runs.

    Visible, enabled and the window's width are asked for only where the capture shows that they matter: a control in a
    dialog that a browser saw, one that says whether it is enabled, a window that there was.
    """
    meta, css = facts.capture.meta, css_of(locators)
    is_browser = meta.get("capture_mode") == "browser" and bool(meta.get("viewport_known"))
    width = meta["viewport"]["width"] if is_browser else 0
    first = shared_selector(group) if group.kind == "list" else locators.selector
    tells = group.element.attrs.get("aria-disabled") == "false" or group.element.enabled is False
    return Preconditions(
        url_matches=[url_matches(facts)],
        exists=list(dict.fromkeys([first, *_containers(facts, group)])),
        not_exists=covers.absent_for(group),
        viewport=Viewport(min_width=int(width * VIEWPORT_SHARE)) if width else UNSET,
        visible=list(_shown(facts, group)),
        enabled=[css] if tells and css and group.kind == "single" else [],
        page_kind=[facts.page_kind] if facts.page_kind else [],
    )


def url_matches(facts: PageFacts) -> str:
    """Return the pattern of the addresses that a page's skills fit: of the shop's kind of page, or of the host."""
    url = str(facts.capture.meta.get("url", ""))
    for kind in KINDS:
        if kind == facts.page_kind and matches(url_pattern(kind), url):
            return url_pattern(kind)
    try:
        parts = urlsplit(url)
        host, scheme = plain_host(parts.hostname or ""), parts.scheme
    except ValueError:
        host, scheme = "", ""
    if not host:
        return f"^{re.escape(scheme or 'about')}:"
    is_number = ":" in host or host.replace(".", "").isdigit() or "." not in host
    below = "" if is_number else r"([^/?#@]*\.)?"
    return f"^https?://{below}{re.escape(f'[{host}]' if ':' in host else host)}(:[0-9]+)?/"


def _containers(facts: PageFacts, group: Group) -> Iterator[str]:
    """Yield the nearest element around a list or a field that means something and that its id or name finds."""
    if group.kind == "single" and group.element.form_index is None:
        return
    for around in facts.above(group.element.index):
        node = facts.nodes.get(around.index)
        if around.tag in {"main", "body", "html"}:
            return
        if node is None or not facts.holds_all(around.index, group.elements):
            continue
        if node.unique.css == 1 and node.selector_kind in LASTING and (node.role in _HOLDS or around.id):
            yield node.selector
            return


def _shown(facts: PageFacts, group: Group) -> Iterator[str]:
    """Yield the dialog or panel that the control is in, if a browser saw it: such things come and go."""
    for around in facts.above(group.element.index):
        if around.role_computed not in STATEFUL or around.visible is not True:
            continue
        node = facts.nodes.get(around.index)
        if node is not None and node.unique.css == 1:
            yield node.selector
        elif facts.roles[around.role_computed] == 1:
            yield role_selector(around.role_computed)
        return
