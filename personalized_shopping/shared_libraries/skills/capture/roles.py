"""The ARIA role of each element, from its tag and attributes, as Chromium computes it.

Only roles that tell something about a control or about the page's structure are given. Words in a line (``em``,
``code``) have none, and neither have tables of plain HTML, which browsers take for layout or data by how they look.
"""

from personalized_shopping.shared_libraries.skills.capture.tree import Tree
from personalized_shopping.shared_libraries.skills.capture.visibility import Visibility
from personalized_shopping.shared_libraries.skills.capture.words import words

ROLES = words(
    "alert alertdialog application article banner button cell checkbox columnheader combobox complementary "
    "contentinfo dialog feed figure form grid gridcell group heading img link list listbox listitem log main menu "
    "menubar menuitem menuitemcheckbox menuitemradio meter navigation note option progressbar radio radiogroup "
    "region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status switch tab table "
    "tablist tabpanel textbox timer toolbar tooltip tree treegrid treeitem"
)
"""The roles that are told."""
WIDGETS = words(
    "button checkbox combobox listbox menuitem menuitemcheckbox menuitemradio radio scrollbar searchbox slider "
    "spinbutton switch tab textbox"
)
"""Roles of controls whose text stands apart from the text around them."""
_OTHER_ROLES = words(
    "blockquote caption code definition deletion directory document emphasis generic insertion mark marquee math "
    "none paragraph presentation strong subscript suggestion superscript term time"
)
_TABLE_ROLES = words("cell columnheader row rowgroup rowheader table")
_CHROMIUM_NAMES = {"image": "img", "directory": "list"}
_BY_TAG = {
    "address": "group", "article": "article", "button": "button", "details": "group", "dialog": "dialog",
    "fieldset": "group", "figure": "figure", "form": "form", "h1": "heading", "h2": "heading", "h3": "heading",
    "h4": "heading", "h5": "heading", "h6": "heading", "hgroup": "group", "hr": "separator", "li": "listitem",
    "main": "main", "menu": "list", "meter": "meter", "nav": "navigation", "ol": "list", "optgroup": "group",
    "option": "option", "output": "status", "progress": "progressbar", "search": "search", "textarea": "textbox",
    "ul": "list",
}  # fmt: skip
_BY_INPUT_TYPE = {
    "button": "button", "checkbox": "checkbox", "file": "button", "image": "button", "number": "spinbutton",
    "radio": "radio", "range": "slider", "reset": "button", "search": "searchbox", "submit": "button",
}  # fmt: skip
INPUT_TYPES = words(
    "button checkbox color date datetime-local email file hidden image month number password radio range reset "
    "search submit tel text time url week"
)
_WITH_LIST = frozenset({"text", "search", "email", "url", "tel"})
_SECTIONS = frozenset({"article", "aside", "nav", "section"})
_SECTION_ROLES = frozenset({"article", "complementary", "main", "navigation"})
_NEEDS_OWNER = {
    "option": frozenset({"listbox", "combobox"}),
    "listitem": frozenset({"list"}),
    "treeitem": frozenset({"tree", "treegrid", "treeitem"}),
}
_NAMING = ("aria-label", "aria-labelledby", "title")
_FOCUSABLE = frozenset({"button", "input", "select", "textarea", "summary"})


def input_type(attributes: dict[str, str]) -> str:
    """Return the type of an ``input`` as its ``type`` property tells it: an unknown one is a text field."""
    written = attributes.get("type", "text").lower()
    return written if written in INPUT_TYPES else "text"


def compute_roles(tree: Tree, visibility: Visibility) -> list[str | None]:
    """Return the role of each element; ``None`` for those without one, and for those that are not exposed."""
    roles: list[str | None] = []
    for index in range(len(tree.tags)):
        found = _role(tree, index, roles)
        roles.append(found)
    return [role if exposed else None for role, exposed in zip(roles, visibility.exposed, strict=True)]


def role_from_chromium(role: str, tag: str, attributes: dict[str, str]) -> str | None:
    """Return the role that Chromium's accessibility tree tells of an element, in ARIA's words.

    Where Chromium has a role of its own (a date's field, a list with one visible line), the role of the HTML
    specification's mapping stands instead, so that it does not depend on the browser's version.
    """
    explicit = _explicit_role(attributes)
    if explicit is None:
        if tag == "select":
            return _select_role(attributes)
        if tag == "input" and role not in ROLES and role not in {"none", "generic"}:
            return _BY_INPUT_TYPE.get(input_type(attributes), "textbox")
        if role in _TABLE_ROLES:
            return None
    role = _CHROMIUM_NAMES.get(role, role)
    return role if role in ROLES else None


def _role(tree: Tree, index: int, roles: list[str | None]) -> str | None:
    attributes = tree.attributes[index]
    explicit = _explicit_role(attributes)
    if explicit in {"none", "presentation"} and not _is_presentation_ignored(tree.tags[index], attributes):
        return None
    if explicit is not None and explicit not in {"none", "presentation"}:
        return _explicit(tree, index, explicit, roles)
    return _native(tree, index, roles)


def _explicit(tree: Tree, index: int, role: str, roles: list[str | None]) -> str | None:
    attributes = tree.attributes[index]
    if role == "form" and tree.tags[index] == "form":
        return "form"
    if role in {"form", "region"} and not is_named(attributes):
        return None
    owners = _NEEDS_OWNER.get(role)
    if owners is not None:
        above = tree.parents[index]
        while above is not None and roles[above] not in owners:
            above = tree.parents[above]
        if above is None:
            return _native(tree, index, roles) if tree.tags[index] in {"li", "option"} else None
    role = _CHROMIUM_NAMES.get(role, role)
    return role if role in ROLES else None


def _native(tree: Tree, index: int, roles: list[str | None]) -> str | None:
    tag, attributes = tree.tags[index], tree.attributes[index]
    if tag == "input":
        return _input_role(tree, attributes)
    if tag == "select":
        return _select_role(attributes)
    if tag == "a":
        return "link" if "href" in attributes else None
    if tag == "img":
        return None if attributes.get("alt") == "" and not _is_told_anyway(attributes) else "img"
    if tag == "svg":
        titled = any(tree.tags[child] == "title" for child in tree.children(index))
        return "img" if titled or is_named(attributes) else None
    if tag in {"header", "footer"}:
        return None if _is_in_section(tree, index, roles, _SECTIONS | {"main"}) else _landmark(tag)
    if tag == "aside":
        return "complementary" if is_named(attributes) or not _is_in_section(tree, index, roles, _SECTIONS) else None
    if tag == "section":
        return "region" if is_named(attributes) else None
    if tag == "li":
        parent = tree.parents[index]
        is_bare = parent is not None and tree.tags[parent] in {"ul", "ol", "menu"} and roles[parent] is None
        return None if is_bare else "listitem"
    return _BY_TAG.get(tag)


def _landmark(tag: str) -> str:
    return "banner" if tag == "header" else "contentinfo"


def _input_role(tree: Tree, attributes: dict[str, str]) -> str | None:
    kind = input_type(attributes)
    if kind == "hidden":
        return None
    if kind in _WITH_LIST and attributes.get("list"):
        listed = tree.ids.get(attributes["list"])
        if listed is not None and tree.tags[listed] == "datalist":
            return "combobox"
    return _BY_INPUT_TYPE.get(kind, "textbox")


def _select_role(attributes: dict[str, str]) -> str:
    size = attributes.get("size", "").strip()
    is_long = size.isascii() and size.isdigit() and len(size) < 6 and int(size) > 1
    return "listbox" if "multiple" in attributes or is_long else "combobox"


def _explicit_role(attributes: dict[str, str]) -> str | None:
    for token in attributes.get("role", "").lower().split():
        if token in ROLES or token in _OTHER_ROLES or token == "image":
            return token
    return None


def is_named(attributes: dict[str, str]) -> bool:
    """Return whether an attribute names the element."""
    return any(attributes.get(name, "").strip() for name in _NAMING)


def _is_told_anyway(attributes: dict[str, str]) -> bool:
    return is_named(attributes) or "tabindex" in attributes


def _is_presentation_ignored(tag: str, attributes: dict[str, str]) -> bool:
    """Return whether an element keeps its own role although it says it has none: what takes the focus does."""
    focusable = tag in _FOCUSABLE or (tag == "a" and "href" in attributes) or "tabindex" in attributes
    return focusable or any(name in attributes for name in ("aria-label", "aria-labelledby"))


def _is_in_section(tree: Tree, index: int, roles: list[str | None], tags: frozenset[str]) -> bool:
    above = tree.parents[index]
    in_main = "main" in tags
    while above is not None:
        role = roles[above]
        if tree.tags[above] in tags or (role in _SECTION_ROLES and (in_main or role != "main")):
            return True
        above = tree.parents[above]
    return False
