"""What a page shows and what it tells assistive technology, as far as the page itself says so without a window."""

from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.capture.styles import Shown
from personalized_shopping.shared_libraries.skills.capture.tree import Tree
from personalized_shopping.shared_libraries.skills.capture.words import words

_NEVER_SHOWN = words(
    "head title meta link script style base template noscript datalist param source track area rp noembed noframes"
)
_BLOCKS = words(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main marquee menu nav ol optgroup option p pre "
    "search section summary table tbody td tfoot th thead tr caption ul"
)
"""Elements that begin a line of their own, or a cell: texts inside and outside are apart."""
_BOXES = words("button iframe img input meter object progress select textarea video")
"""Elements that stand in a line as boxes."""
_NO_STYLE = Shown()


class Visibility(NamedTuple):
    """Flags by element.

    ``rendered``: it and all above it are laid out; ``seen``: its own text can be seen, too; ``transparent``: it is laid
    out, but see-through; ``exposed``: it is in the accessibility tree; ``apart``: its text stands apart from its
    neighbours' in a name (a block, a box in a line); ``lines``: it begins a line of its own (a block).
    """

    rendered: list[bool]
    seen: list[bool]
    transparent: list[bool]
    exposed: list[bool]
    apart: list[bool]
    lines: list[bool]


def read_visibility(tree: Tree, styles: dict[int, Shown]) -> Visibility:
    """Return what each element's own page says about its being seen."""
    flags = Visibility([], [], [], [], [], [])
    visible: list[bool] = []
    told: list[bool] = []
    summaries: set[int] = set()
    for index, tag in enumerate(tree.tags):
        parent, attributes, style = tree.parents[index], tree.attributes[index], styles.get(index, _NO_STYLE)
        if tag == "details" and (summary := first_summary(tree, index)) is not None:
            summaries.add(summary)
        rendered = (parent is None or flags.rendered[parent]) and not _is_away(tag, attributes, style)
        if parent is not None and tree.tags[parent] == "details" and index not in summaries:
            rendered = rendered and "open" in tree.attributes[parent]
        inherited = parent is None or visible[parent]
        visible.append(inherited if style.visibility in {None, "inherit"} else style.visibility == "visible")
        told.append((parent is None or told[parent]) and not _is_silenced(attributes))
        flags.rendered.append(rendered)
        flags.seen.append(rendered and visible[index])
        flags.transparent.append(style.is_transparent or (parent is not None and flags.transparent[parent]))
        flags.exposed.append(rendered and visible[index] and told[index])
        is_block = style.is_block if _says_layout(style) else tag in _BLOCKS
        flags.apart.append(is_block or tag in _BOXES)
        flags.lines.append(is_block and not style.is_inline_box)
    return flags


def first_summary(tree: Tree, details: int) -> int | None:
    """Return the ``summary`` that a ``details`` shows when it is closed."""
    return next((child for child in tree.children(details) if tree.tags[child] == "summary"), None)


def shows_text(tree: Tree, visibility: Visibility, index: int) -> bool:
    """Return whether the text that stands directly in an element can be seen."""
    is_closed = tree.tags[index] == "details" and "open" not in tree.attributes[index]
    return visibility.seen[index] and not is_closed


def _is_away(tag: str, attributes: dict[str, str], style: Shown) -> bool:
    if style.display is not None:
        return style.display == "none"
    return (
        tag in _NEVER_SHOWN
        or "hidden" in attributes
        or (tag == "dialog" and "open" not in attributes)
        or (tag == "audio" and "controls" not in attributes)
        or (tag == "input" and attributes.get("type", "").strip().lower() == "hidden")
        or "popover" in attributes
    )


def _is_silenced(attributes: dict[str, str]) -> bool:
    return attributes.get("aria-hidden", "").strip().lower() == "true" or "inert" in attributes


def _says_layout(style: Shown) -> bool:
    return style.display is not None or style.is_block
