"""What a page's own styles say about being seen: ``style`` attributes and ``<style>`` elements, nothing that is loaded.

Only three properties matter here (``display``, ``visibility``, ``opacity``) and whether an element stands on a line of
its own. Rules inside ``@media`` and its like are left alone: whether they hold is the window's business.
"""

import re
from typing import NamedTuple

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.capture.css import match_css
from personalized_shopping.shared_libraries.skills.capture.tree import Document

MAX_STYLE_CHARS = 300_000
MAX_RULES = 2_000
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_TEXTS = re.compile(r'"[^"\n]*"' + r"|'[^'\n]*'")
_DECLARATION = re.compile(r"(?:^|;)\s*(display|visibility|opacity|position|float)\s*:\s*([^;]{1,60})", re.IGNORECASE)
_SPECIFIC = re.compile(r"(#[-\w]+)|([.\[:][-\w]+)|([a-zA-Z][-\w]*)")

Weight = tuple[bool, tuple[int, int, int], int]


class Shown(NamedTuple):
    """The values that hold for one element; ``None`` where nothing says so."""

    display: str | None = None
    visibility: str | None = None
    opacity: str | None = None
    position: str | None = None
    float: str | None = None

    @property
    def is_block(self) -> bool:
        """Whether the element is laid out as a box of its own; only meaningful where a style says something."""
        outside = self.position in {"absolute", "fixed"} or self.float in {"left", "right"}
        return outside or (self.display is not None and self.display not in {"inline", "contents", "none"})

    @property
    def is_inline_box(self) -> bool:
        """Whether the element is a box within a line."""
        return self.is_block and self.display is not None and self.display.startswith("inline")

    @property
    def is_transparent(self) -> bool:
        """Whether the element cannot be seen although it is there."""
        try:
            return self.opacity is not None and float(self.opacity) == 0
        except ValueError:
            return False


def read_styles(document: Document) -> dict[int, Shown]:
    """Return the styles of the elements that have any of their own."""
    tree = document.tree
    values: dict[int, dict[str, tuple[Weight, str]]] = {}
    order = 0
    for index, tag in enumerate(tree.tags):
        if tag != "style":
            continue
        sheet = "".join(part for part in tree.contents[index] if isinstance(part, str))[:MAX_STYLE_CHARS]
        for selector, body in _rules(sheet):
            declarations = _DECLARATION.findall(body)
            if not declarations or order >= MAX_RULES:
                continue
            order += 1
            for part in selector.split(","):
                try:
                    matched = match_css(part.strip(), tree.parents, document.match_compound, _no_state)
                except SkillError:
                    continue  # what the parser does not know hides nothing
                weight = _specificity(part)
                for element in matched:
                    _set(values.setdefault(element, {}), declarations, weight, order)
    for index, attributes in enumerate(tree.attributes):
        if "style" in attributes:
            declarations = _DECLARATION.findall(_COMMENT.sub("", attributes["style"]))
            _set(values.setdefault(index, {}), declarations, (1_000, 0, 0), order + 1)
    return {
        index: Shown(**{name: value for name, (_, value) in found.items()}) for index, found in values.items() if found
    }


def _no_state(name: str) -> frozenset[int]:
    raise SkillError(f"A style that holds while something is {name} is not followed.")


def _rules(sheet: str) -> list[tuple[str, str]]:
    """Return a sheet's rules as selector and body, those of nested blocks left out."""
    sheet = _TEXTS.sub('""', _COMMENT.sub("", sheet))
    rules: list[tuple[str, str]] = []
    depth, start, opened = 0, 0, 0
    for match in re.finditer(r"[{};]", sheet):
        char, place = match[0], match.start()
        if char == "{":
            depth += 1
            if depth == 1:
                opened = place
        elif char == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                selector = sheet[start:opened].strip()
                body = sheet[opened + 1 : place]
                if selector and not selector.startswith("@") and "{" not in body:
                    rules.append((selector, body))
                start = opened = place + 1
        elif depth == 0:
            start = place + 1  # the end of an @import
    return rules


def _set(
    values: dict[str, tuple[Weight, str]],
    declarations: list[tuple[str, str]],
    weight: tuple[int, int, int],
    order: int,
) -> None:
    for name, written in declarations:
        value, _, important = written.lower().partition("!")
        rank = (important.strip() == "important", weight, order)
        known = values.get(name.lower())
        if known is None or known[0] <= rank:
            values[name.lower()] = (rank, value.strip())


def _specificity(selector: str) -> tuple[int, int, int]:
    found = _SPECIFIC.findall(selector)
    return (sum(bool(f[0]) for f in found), sum(bool(f[1]) for f in found), sum(bool(f[2]) for f in found))
