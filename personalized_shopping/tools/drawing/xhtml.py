"""Elements of a drawing: a tree that a library serialises, well-formed whatever a product's text holds."""

from collections.abc import Iterable
from importlib.resources import files
from xml.etree.ElementTree import Element

from personalized_shopping.tools.plain_text import plain

Child = Element | str | None


def element(tag: str, *children: Child | Iterable[Child], css_class: str = "", **attributes: str) -> Element:
    """Return an element with the given children; texts are cleaned of what XML forbids, ``None`` is left out."""
    made = Element(tag, {name: plain(value) for name, value in attributes.items()})
    if css_class:
        made.set("class", css_class)
    for child in _flat(children):
        if isinstance(child, Element):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + plain(child)
        else:
            made.text = (made.text or "") + plain(child)
    return made


def style_sheet() -> str:
    """Return the drawing's style sheet."""
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def _flat(children: Iterable[Child | Iterable[Child]]) -> Iterable[Element | str]:
    for child in children:
        if child is None:
            continue
        # An Element is iterable too, over its own children.
        if isinstance(child, Element | str):
            yield child
        else:
            yield from _flat(child)
