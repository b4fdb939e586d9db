"""What a control does: the action that a skill takes with it, and a careful guess of what that leads to."""

import re
from urllib.parse import urlsplit

from personalized_shopping.shared_libraries.skills.capture.facts import Facts
from personalized_shopping.shared_libraries.skills.capture.model import NodeAction
from personalized_shopping.shared_libraries.skills.capture.words import words
from personalized_shopping.shared_libraries.skills.model import Effect

CONTROL_ROLES = words(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider "
    "spinbutton switch tab textbox treeitem"
)
_NATIVE = words("button select textarea")
_TOGGLES = words("checkbox menuitemcheckbox menuitemradio radio switch")
_TYPED = words("searchbox spinbutton textbox")
_PRESSED = words("button menuitem option tab treeitem")
_MAX_LABEL_CHARS = 40
_EDITABLE = ("", "true", "plaintext-only")
_BUYS = re.compile(
    r"\b(buy|purchase|check ?out|pay|place (?:your |my |the |an )?order|order now|complete (?:your |my |the )?order|"
    r"confirm (?:your |my |the )?(?:order|payment)|donate|book now)\b",
    re.IGNORECASE,
)
_BUYING_PATHS = words("buy buynow checkout done order orders pay payment payments purchase")
_WRITES = re.compile(
    r"\b(add|apply|cancel|change|confirm|create|delete|disable|edit|enable|post|publish|register|remove|rename|reply|"
    r"reset|save|send|share|sign ?(?:in|out|up)|log ?(?:in|out)|submit|subscribe|unsubscribe|update|upload|vote)\b",
    re.IGNORECASE,
)
_READS = re.compile(
    r"^\W*(search|find|go|next|prev(?:ious)?|back|more|show|view|filter|sort|open|details)\b", re.IGNORECASE
)


def is_control(tag: str, attributes: dict[str, str], parent_tag: str | None) -> bool:
    """Return whether a person can act on an element."""
    if tag == "input":
        return attributes.get("type", "").strip().lower() != "hidden"
    if tag in _NATIVE or (tag == "a" and "href" in attributes) or (tag == "summary" and parent_tag == "details"):
        return True
    roles = attributes.get("role", "").lower().split()
    if (roles and roles[0] in CONTROL_ROLES) or "onclick" in attributes:
        return True
    return attributes.get("contenteditable", "no").lower() in _EDITABLE or _tab_index(attributes) >= 0


def interactive_score(tag: str, attributes: dict[str, str]) -> float:
    """Return how much speaks for an element being one to act on, from 0 to 1."""
    score = 0.5 * (tag in {"button", "a", "input"}) + 0.5 * ("role" in attributes) + 0.2 * ("onclick" in attributes)
    if tag == "input":
        score += 0.1 if attributes.get("type", "text").lower() in {"text", "search", "email", "password"} else 0.2
    return min(1.0, round(score, 2))


def action_of(element: Facts, *, form_has_fields: bool) -> NodeAction:
    """Return what a skill does with a control.

    Args:
        element: the control.
        form_has_fields: whether the form that it stands in, if any, has fields that a person fills in.
    """
    kind, role, tag = element.input_type, element.role or _first_role(element), element.tag
    if kind == "file":
        return "none"  # a skill uploads nothing
    if role in _TOGGLES or kind in {"checkbox", "radio"}:
        return "toggle"
    if kind in {"submit", "image"}:
        return "submit"
    if kind in {"button", "reset"}:
        return "click"
    if tag == "select" or (role == "listbox" and tag != "input"):
        return "select"
    if tag in {"input", "textarea"} or role in _TYPED or "contenteditable" in element.attributes:
        return "type"
    if tag == "button" and not _opens(element):
        return "submit" if form_has_fields and _submits(element) else "click"
    if tag == "summary" or _opens(element):
        return "open"
    if tag == "a" and element.attributes.get("href", "#").strip().lower().startswith(("#", "javascript:")):
        return "click"
    if role == "link" or (tag == "a" and "href" in element.attributes):
        return "navigate"
    return "click" if role in _PRESSED or "onclick" in element.attributes else "none"


def guess_effect(element: Facts, action: NodeAction, *, form: Facts | None, name: str, is_shop: bool = False) -> Effect:
    """Return what taking the action probably leads to; in doubt the graver one.

    Args:
        element: the control.
        action: what is done with it.
        form: the form that it stands in.
        name: its accessible name.
        is_shop: whether the page is one of our shop's, where everything but buying only leads to another page.
    """
    if action in {"click", "submit", "open"} and (_BUYS.search(name) or _buys(element, form)):
        return "purchase"
    if action == "navigate" and len(name) <= _MAX_LABEL_CHARS and _BUYS.match(name.lstrip(" <>»→")):
        return "purchase"  # longer ones are titles of things
    if action in {"type", "select", "none", "open"}:
        return "read"
    if action == "toggle":
        return "write" if element.role == "switch" else "navigate" if _has_target(element) else "read"
    if is_shop:
        return "navigate"
    if _READS.search(name):
        return "navigate"
    if action == "submit" or (element.tag in {"button", "input"} and _submits(element) and form is not None):
        return "write" if _posts(element, form) or _WRITES.search(name) else "navigate"
    return "write" if _WRITES.search(name) else "navigate"


def _opens(element: Facts) -> bool:
    attributes = element.attributes
    pops_up = attributes.get("aria-haspopup", "false").lower() != "false"
    return pops_up or "aria-expanded" in attributes or "popovertarget" in attributes


def _submits(element: Facts) -> bool:
    return element.attributes.get("type", "submit").lower() not in {"button", "reset"}


def _posts(element: Facts, form: Facts | None) -> bool:
    own = element.attributes.get("formmethod")
    return (own or (form.attributes.get("method", "") if form else "")).lower() == "post"


def _buys(element: Facts, form: Facts | None) -> bool:
    return _posts(element, form) and _leads_to(element, form) in _BUYING_PATHS


def _leads_to(element: Facts, form: Facts | None) -> str:
    """Return the first part of the path of the form's address."""
    written = element.attributes.get("formaction") or (form.attributes.get("action", "") if form else "")
    try:
        return urlsplit(written).path.strip("/").partition("/")[0].lower()
    except ValueError:
        return ""


def _has_target(element: Facts) -> bool:
    return any(name in element.attributes for name in ("data-url", "data-href", "onclick", "onchange"))


def _first_role(element: Facts) -> str:
    roles = element.attributes.get("role", "").lower().split()
    return roles[0] if roles else ""


def _tab_index(attributes: dict[str, str]) -> int:
    try:
        return int(attributes.get("tabindex", "-1"))
    except ValueError:
        return -1
