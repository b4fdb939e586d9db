"""The text that elements show, close to a browser's ``innerText`` with its white space collapsed."""

from personalized_shopping.shared_libraries.skills.capture.form_controls import BUTTON_WORDS
from personalized_shopping.shared_libraries.skills.capture.names import collapse
from personalized_shopping.shared_libraries.skills.capture.roles import input_type
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.capture.tree import Tree
from personalized_shopping.shared_libraries.skills.capture.visibility import Visibility, shows_text

MAX_TEXT_CHARS = 1_000_000
"""Longest text of one element; what is beyond is cut off."""
MAX_MATCHED_CHARS = 1_000
"""Longest text by which an element can be found; a selector is no longer."""
_BREAKS = frozenset({"br", "hr"})
WORDLESS = frozenset({"script", "style", "template", "noscript"})
"""Elements whose text is not meant for reading."""
_NO_TEXT = WORDLESS | {"textarea", "iframe", "object", "video", "audio"}


def text_of(tree: Tree, visibility: Visibility, index: int, limit: int = MAX_TEXT_CHARS) -> str:
    """Return the text that one element shows, at most ``limit`` characters of it."""
    if tree.tags[index] == "input":
        return _words(tree, index)[:limit] if visibility.seen[index] else ""
    parts: list[str] = []
    length = 0
    waiting: list[str | int] = [index]
    while waiting and length < limit:
        part = waiting.pop()
        if isinstance(part, str):
            parts.append(part)
            length += len(collapse(part))
            continue
        if not visibility.rendered[part]:
            continue
        gap = [" "] if visibility.lines[part] or tree.tags[part] in _BREAKS else []
        waiting.extend(gap)
        waiting.extend(reversed(_shown_parts(tree, visibility, part)))
        waiting.extend(gap)
    return collapse("".join(parts))[:limit]


def texts_to_match(tree: Tree, visibility: Visibility) -> dict[str, list[int]]:
    """Return the elements by their whole visible text, longer texts left out."""
    texts: list[str | None] = [""] * len(tree.tags)
    found: dict[str, list[int]] = {}
    for index in reversed(range(len(tree.tags))):
        if not visibility.rendered[index]:
            continue
        parts: list[str] = [_words(tree, index)] if tree.tags[index] == "input" else []
        length: int | None = 0
        for part in _shown_parts(tree, visibility, index):
            text = texts[part] if isinstance(part, int) else part
            if text is None or length is None or length + len(text.strip()) > 2 * MAX_MATCHED_CHARS:
                length = None
                break
            parts.append(text)
            length += len(text.strip())
        if length is None:
            texts[index] = None
            continue
        text = "".join(parts)
        key = matching_text(text)
        if 0 < len(key) <= MAX_MATCHED_CHARS and visibility.seen[index]:
            found.setdefault(key, []).append(index)
        edge = " " if visibility.lines[index] or tree.tags[index] in _BREAKS else ""
        texts[index] = edge if tree.tags[index] == "input" else edge + _shortened(text) + edge
    return found


def _shown_parts(tree: Tree, visibility: Visibility, index: int) -> list[str | int]:
    if tree.tags[index] in _NO_TEXT:
        return []
    if shows_text(tree, visibility, index):
        return tree.contents[index]
    return [part for part in tree.contents[index] if isinstance(part, int)]


def _words(tree: Tree, index: int) -> str:
    """Return the words on an ``input`` that is a button; they are not part of the text around it."""
    words = BUTTON_WORDS.get(input_type(tree.attributes[index]))
    return "" if words is None else collapse(tree.attributes[index].get("value", words))


def _shortened(text: str) -> str:
    """Collapse white space, but keep one space at an end that has some."""
    inner = collapse(text)
    if not inner:
        return " " if text else ""
    return (" " if text[0] in " \t\n\r\f" else "") + inner + (" " if text[-1] in " \t\n\r\f" else "")
