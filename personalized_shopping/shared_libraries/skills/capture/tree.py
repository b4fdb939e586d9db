"""A page's HTML as flat arrays: one entry an element, in the order of Chromium's ``querySelectorAll('*')``."""

import re
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from personalized_shopping.shared_libraries.skills.capture.selectors import bad_selector

MAX_HTML_CHARS = 10_000_000
"""Longest page that is read; the rest is cut off."""
MAX_ELEMENTS = 50_000
"""Elements of a page that are kept; further ones are as if they were not there."""

MAX_DEPTH = 513
"""Levels of nesting; what lies deeper hangs on the last level, as in Chromium, so that paths stay short."""

_NOSCRIPT = re.compile(r"<noscript(?=[\s/>])[^>]*>", re.IGNORECASE)
_END_OF_NOSCRIPT = re.compile(r"</noscript", re.IGNORECASE)
_MAX_REMEMBERED = 1_000


class Tree(NamedTuple):
    """The elements of a page.

    ``contents`` holds each element's texts and children, in order: a text as it stands, a child as its index. A child
    comes after its parent, so that one pass from the end sees every child before its parent. ``is_cut`` is true where
    the page was larger than the limits.
    """

    tags: list[str]
    attributes: list[dict[str, str]]
    parents: list[int | None]
    contents: list[list[str | int]]
    ids: dict[str, int]
    """The first element of each id, as ``document.getElementById`` finds it."""
    is_cut: bool

    def children(self, index: int) -> list[int]:
        """Return an element's children."""
        return [part for part in self.contents[index] if isinstance(part, int)]

    def closest(self, index: int | None, tag: str) -> int | None:
        """Return the nearest element of this tag, beginning with the element itself."""
        while index is not None and self.tags[index] != tag:
            index = self.parents[index]
        return index


class Document:
    """Parsed HTML: the tree, and the library's matching of CSS compounds on it."""

    def __init__(self, html: str) -> None:
        html = html.encode("utf-8", "replace").decode("utf-8")
        is_long = len(html) > MAX_HTML_CHARS
        self._parser = LexborHTMLParser(_without_noscript(html[:MAX_HTML_CHARS]))
        self._places: dict[int, int] = {}
        self._matches: dict[str, frozenset[int]] = {}
        self.tree = self._read(is_long)

    @property
    def is_quirky(self) -> bool:
        """Whether the document has no doctype."""
        node = self._parser.root
        while node is not None and node.tag != "!doctype":
            node = node.prev
        return node is None

    def match_compound(self, compound: str) -> frozenset[int]:
        """Return the elements that match one compound of a selector.

        Raises:
            WorldError: ``failed`` for one that cannot be read.
        """
        found = self._matches.get(compound)
        if found is None:
            try:
                nodes = self._parser.css(compound)
            except (SelectolaxError, UnicodeError, ValueError):
                raise bad_selector(compound, "it is not CSS") from None
            found = frozenset(self._places[node.mem_id] for node in nodes if node.mem_id in self._places)
            if len(self._matches) >= _MAX_REMEMBERED:
                self._matches.clear()
            self._matches[compound] = found
        return found

    def _read(self, is_cut: bool) -> Tree:
        tree = Tree([], [], [], [], {}, is_cut)
        root = self._parser.root
        if root is None:
            return tree
        depths: list[int] = []
        for node in root.traverse(include_text=True):
            parent = node.parent
            above = self._places.get(parent.mem_id) if parent is not None else None
            if node.is_text_node:
                if above is not None:
                    tree.contents[above].append(node.text_content or "")
                continue
            if not node.is_element_node:
                continue
            if len(tree.tags) == MAX_ELEMENTS:
                tree = tree._replace(is_cut=True)
                break
            index = len(tree.tags)
            if above is not None and depths[above] >= MAX_DEPTH:
                above = tree.parents[above]
            depths.append(1 if above is None else depths[above] + 1)
            if above is not None:
                tree.contents[above].append(index)
            self._places[node.mem_id] = index
            attributes = {name: value or "" for name, value in node.attributes.items()}
            tree.tags.append(node.tag or "")
            tree.attributes.append(attributes)
            tree.parents.append(above)
            tree.contents.append([])
            if attributes.get("id"):
                tree.ids.setdefault(attributes["id"], index)
        return tree


def _without_noscript(html: str) -> str:
    """Empty every ``noscript``: a browser that runs scripts reads its content as text, the parser would as elements."""
    parts: list[str] = []
    place = 0
    while (opening := _NOSCRIPT.search(html, place)) is not None:
        parts.append(html[place : opening.end()])
        end = _END_OF_NOSCRIPT.search(html, opening.end())
        if end is None:
            return "".join(parts)
        place = end.start()
    return "".join([*parts, html[place:]])
