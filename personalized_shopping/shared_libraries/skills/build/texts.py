"""The texts of a skill: its label, its slug, what it says of itself, and the texts by which its control is found."""

import re
import unicodedata

from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.skills.build.groups import Group, PageFacts, plain_classes
from personalized_shopping.shared_libraries.skills.capture.model import Element
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.model import MAX_ALTERNATIVES

MAX_LABEL_CHARS = 40
MAX_SLUG_CHARS = 32
MAX_TEXT_CHARS = 64
MAX_SNIPPETS = 5
MAX_SNIPPET_CHARS = 160
_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W\d_]")
_HEX = re.compile(r"(?=\S*\d)[0-9a-fA-F-]{12,}")
_DULL = frozenset({"btn", "button", "container", "form", "item", "items", "link", "links", "list", "main", "row"})
"""Words of classes that name no thing."""


def words_of(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(matching_text(text))


def label_of(words: list[str]) -> str:
    """Return a label, such as ``Navigate_Images``, of at most 40 characters."""
    return _joined([word[:1].upper() + word[1:] for word in words], MAX_LABEL_CHARS) or "Skill"


def slug_of(words: list[str]) -> str:
    """Return a slug, such as ``navigate_images``, of at most 32 characters; letters without their accents."""
    plain = (unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().lower() for word in words)
    return _joined([word for word in plain if word.isalnum()], MAX_SLUG_CHARS) or "skill"


def _joined(words: list[str], limit: int) -> str:
    """Return as many of the words as there is room for; the first one cut if need be."""
    joined = words[0][:limit] if words else ""
    for word in words[1:]:
        if len(joined) + 1 + len(word) > limit:
            break
        joined += f"_{word}"
    return joined


def is_steady(text: str) -> bool:
    """Return whether a name looks as if it stayed: not mostly digits, no key of a machine, not too long."""
    digits = sum(char.isdigit() for char in text)
    letters = len(_LETTER.findall(text))
    return 0 < len(text) <= MAX_TEXT_CHARS and digits <= letters and digits <= 3 and not _HEX.search(text)


def thing_of(facts: PageFacts, group: Group) -> list[str]:
    """Return the words for what a group of controls is about."""
    if group.kind == "single":
        element = group.element
        for text in (group.node.name, *element.labels, element.attrs.get("name", ""), element.id or ""):
            if words := words_of(text):
                return words
        return [element.role_computed or element.tag]
    if group.kind == "options" and (words := words_of(group.element.attrs.get("name", ""))):
        return words
    for class_name in plain_classes(group.element):
        words = words_of(class_name.replace("-", " ").replace("_", " "))
        if set(words) - _DULL:
            return words
    for around in facts.above(group.element.index):
        if around.tag in {"main", "body", "html"}:
            break
        name = matching_text(around.name_computed)
        if name and is_steady(name) and facts.holds_all(around.index, group.elements):
            return words_of(name)
    return [group.node.role or group.element.tag]


def found_texts(facts: PageFacts, element: Element) -> list[str]:
    """Return the visible texts by which a control is found, best first: its own, its label's, its name.

    A text that something else on the page says as well is left out.
    """
    own = [element.text, *element.labels, element.name_computed]
    cleaned = dict.fromkeys(matching_text(text) for text in own)
    return [text for text in cleaned if is_clean(text) and _is_its_own(facts, element, text)][:MAX_ALTERNATIVES]


def is_clean(text: str) -> bool:
    """Return whether a text serves to find something: not too long, with letters, no key of a machine."""
    return 0 < len(text) <= MAX_TEXT_CHARS and bool(_LETTER.search(text)) and not _HEX.search(text)


def _is_its_own(facts: PageFacts, element: Element, text: str) -> bool:
    """Return whether only the control, something in it, or its label says a text."""
    found = facts.by_text.get(text, [])
    return bool(found) and all(
        index == element.proxy_index
        or (element.id and facts.capture.element(index).attrs.get("for") == element.id)
        or facts.is_inside(index, element.index)
        for index in found
    )


def snippets(facts: PageFacts, group: Group) -> list[str]:
    """Return short texts of the control and of what is around it, for people and for retrieval."""
    texts = [matching_text(each.text or each.name_computed) for each in group.elements[:MAX_ALTERNATIVES]]
    for around in facts.above(group.element.index):
        if around.tag in {"body", "html"}:
            break
        texts.append(matching_text(around.name_computed or around.text))
    seen = dict.fromkeys(text[:MAX_SNIPPET_CHARS] for text in texts if text)
    return list(seen)[:MAX_SNIPPETS]


def description_of(group: Group, thing: list[str], *, argument: str | None, searches: bool) -> str:
    """Return what a skill does, in a sentence; what the page says stands in quotes, shortened."""
    role, name = group.node.role or group.element.tag, shorten(matching_text(group.node.name), 60)
    if group.kind == "options":
        return f"Choose a value of {shorten(matching_text(group.element.attrs.get('name', '')), 60)}."
    if group.kind == "list":
        return (
            f"Press one of {len(group.nodes)} {role}s ({' '.join(thing)[:60]}), such as {name}. "
            f"`{argument}` is its {group.attribute or 'name on the page'}."
        )
    if group.node.action == "type":
        return f"Type text into the {role} {name}{' and press Enter' if searches else ''}."
    if group.node.action == "select":
        return f"Choose a value of the {role} {name}."
    twins = f", the first of {group.twins + 1} that are called so" if group.twins else ""
    return f"Press the {role} {name}{twins}."
