"""Controls that do the same to different things: ten links to products are one template, an option's values another.

A template's id is made of what stays when the page is opened again for another product: the kind of page, the action,
the role, the name without numbers, the form of the address behind it, and the elements around it.
"""

import hashlib
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from personalized_shopping.shared_libraries.skills.capture.facts import Facts
from personalized_shopping.shared_libraries.skills.capture.locating import stable_classes
from personalized_shopping.shared_libraries.skills.capture.webshop_url import is_variable, page_kind, path_template

_LEVELS = 5
_GROUPED = ("checkbox", "radio")


def template_id(
    element: Facts, facts: Sequence[Facts], *, action: str, name: str, form: Facts | None, kind: str | None
) -> str:
    """Return the id of a control's template.

    Args:
        element: the control.
        facts: all elements of the page.
        action: what is done with it.
        name: its accessible name.
        form: the form that it stands in.
        kind: the kind of the shop's page, or ``None`` elsewhere.
    """
    target = mask_address(_address(element, form))
    group = element.attributes.get("name", "") if element.input_type in _GROUPED else ""
    is_one_of_many = bool(group) or (action == "navigate" and any(sign in target for sign in "*?{"))
    what = "*" if is_one_of_many else _without_numbers(name)
    surroundings = _surroundings(element, facts)
    key = (kind or "", action, element.role or element.tag, what, target if not group else "", group, surroundings)
    return "t" + hashlib.sha1("\n".join(key).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]


def mask_address(address: str) -> str:
    """Return the form of an address: its first part, a star for each further one, the names of its query's fields."""
    try:
        parts = urlsplit(address)
        fields = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True, max_num_fields=50)})
    except ValueError:
        return ""
    query = f"?{'&'.join(fields)}" if fields else ""
    if page_kind(address) is not None:
        return path_template(address) + query
    first, *others = [part for part in parts.path.split("/") if part] or [""]
    path = "/".join(["*" if is_variable(first) else first, *("*" for _ in others)])
    return f"{parts.netloc}/{path}{query}"


def _address(element: Facts, form: Facts | None) -> str:
    attributes = element.attributes
    if element.tag == "a":
        return attributes.get("href", "")
    return attributes.get("formaction") or (form.attributes.get("action", "") if form is not None else "")


def _surroundings(element: Facts, facts: Sequence[Facts]) -> str:
    """Return the element and the few above it, as tags and classes, without places among siblings."""
    steps: list[str] = []
    place: int | None = element.index
    while place is not None and len(steps) < _LEVELS:
        around = facts[place]
        if around.tag in {"html", "body"}:
            break
        steps.append(".".join([around.tag, *stable_classes(around)]))
        place = around.parent
    return ">".join(reversed(steps))


def _without_numbers(name: str) -> str:
    return "".join("#" if char.isdigit() else char for char in name.lower())
