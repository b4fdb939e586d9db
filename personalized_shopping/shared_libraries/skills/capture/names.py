"""The accessible name of each element, in one pass over the page: the part of accname that pages use, as in Chromium.

An element's *share* is what it adds to the name of an element around it. Shares are computed from the end of the
document, so that every child's is known before its parent's; no share is computed twice, and none is longer than
``MAX_NAME_CHARS``, so that the work grows with the page and not with its nesting.
"""

import re
from collections.abc import Callable
from functools import cached_property

from personalized_shopping.shared_libraries.skills.capture.form_controls import (
    button_text,
    chosen_options,
    find_labels,
    plain_text,
)
from personalized_shopping.shared_libraries.skills.capture.roles import WIDGETS, input_type
from personalized_shopping.shared_libraries.skills.capture.tree import Tree
from personalized_shopping.shared_libraries.skills.capture.visibility import Visibility, shows_text
from personalized_shopping.shared_libraries.skills.capture.words import words

MAX_NAME_CHARS = 1_000
"""Longest name; what is beyond is cut off."""
_WHITE = re.compile(r"[ \t\n\r\f]+")
_FROM_CONTENT = words(
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio "
    "row rowheader switch tab tooltip treeitem"
)
_NOT_READ_THROUGH = words(
    "alert alertdialog application article banner combobox complementary contentinfo dialog feed figure form grid "
    "group img listbox log main menu menubar meter navigation note progressbar radiogroup row rowgroup scrollbar "
    "search separator slider spinbutton status table tablist tabpanel timer toolbar tree treegrid"
)
"""Roles whose content is no part of the name of an element around them."""
_READ_TAGS = frozenset({"address", "details"})
_NOT_READ_TAGS = frozenset({"blockquote", "math", "iframe", "object", "video", "audio"})
_VALUE_TYPES = frozenset({"email", "number", "range", "search", "tel", "text", "url"})
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_BREAKS = frozenset({"br", "wbr", "hr"})
_NO_TEXT = frozenset({"script", "style", "template", "noscript"})
_DRAWINGS = frozenset({"svg", "canvas"})
_EMPTY = frozenset({"input", "img"})
_VALUED = frozenset({"textarea", "select"})


def collapse(text: str) -> str:
    """Return a text with HTML's white space collapsed and taken off its ends."""
    return _WHITE.sub(" ", text).strip(" ")


class Names:
    """The names of one page's elements, each computed when it is asked for.

    Args:
        tree: the page.
        visibility: what of it is shown and told.
        roles: the elements' roles.
    """

    def __init__(self, tree: Tree, visibility: Visibility, roles: list[str | None]) -> None:
        self._tree = tree
        self._visibility = visibility
        self._roles = roles
        self._known: dict[int, str] = {}

    def of(self, index: int) -> str:
        """Return an element's name; an empty text for one without a role, except a ``summary``."""
        known = self._known.get(index)
        if known is None:
            is_named = self._roles[index] is not None or self._is_disclosure(index)
            known = self._known[index] = collapse(self._name(index))[:MAX_NAME_CHARS] if is_named else ""
        return known

    def labels_of(self, index: int) -> list[int]:
        """Return the ``label`` elements that belong to a control, in document order."""
        return self._labels.get(index, [])

    def label_text(self, label: int, control: int | None = None) -> str:
        """Return a label's text; what the control adds that it labels is left out."""
        attributes = self._tree.attributes[label]
        if not self._visibility.exposed[label]:
            return ""
        if attributes.get("aria-labelledby") and (text := self._referenced(label)):
            return text
        if text := attributes.get("aria-label", "").strip():
            return text
        text = self._content_without(label, control)
        return text if text.strip() else attributes.get("title", "")

    @cached_property
    def _labels(self) -> dict[int, list[int]]:
        return find_labels(self._tree)

    def _is_disclosure(self, index: int) -> bool:
        parent = self._tree.parents[index]
        if self._tree.tags[index] != "summary" or parent is None or not self._visibility.exposed[index]:
            return False
        return self._tree.tags[parent] == "details"

    # The name of an element itself

    def _name(self, index: int) -> str:
        attributes = self._tree.attributes[index]
        if attributes.get("aria-labelledby") and (text := self._referenced(index)) is not None:
            return text
        if attributes.get("aria-label", "").strip():
            return attributes["aria-label"]
        if labels := self.labels_of(index):
            return self._labels_text(index, labels)
        own = self._own_text(index)
        if own is not None:
            return own
        if self._roles[index] in _FROM_CONTENT or self._is_disclosure(index):
            text = self._content(index, self._shares.__getitem__)
            if text.strip():
                return text
        hint = (
            (attributes.get("placeholder") or attributes.get("aria-placeholder", "")) if self._is_field(index) else ""
        )
        return attributes["title"] if attributes.get("title", "").strip() else hint

    def _labels_text(self, control: int, labels: list[int]) -> str:
        outer = set(labels)
        texts = []
        for label in labels:
            above = self._tree.parents[label]
            while above is not None and above not in outer:
                above = self._tree.parents[above]
            if above is None:  # a label within a label is read with the outer one
                texts.append(collapse(self.label_text(label, control)))
        return " ".join(texts)

    def _referenced(self, index: int) -> str | None:
        """Return the text that ``aria-labelledby`` refers to, or ``None`` where it refers to nothing."""
        named = self._tree.attributes[index]["aria-labelledby"].split()[:50]
        found = [self._tree.ids[name] for name in named if name in self._tree.ids]
        texts = (collapse(self._referenced_text(target)) for target in found)
        return " ".join(text for text in texts if text) if found else None

    def _referenced_text(self, target: int) -> str:
        attributes = self._tree.attributes[target]
        if attributes.get("aria-label", "").strip():
            return attributes["aria-label"]
        text = self._value(target) or self._own_text(target)
        if text is None or text == "":
            hidden = not self._visibility.exposed[target]
            shares = self._hidden_shares if hidden else self._plain_shares
            text = self._content(target, shares.__getitem__, with_hidden=hidden)
        return text or attributes.get("title", "")

    def _own_text(self, index: int) -> str | None:
        """Return the text that an element's own attributes or parts give it, or ``None`` where they give none."""
        tag, attributes = self._tree.tags[index], self._tree.attributes[index]
        if tag == "input":
            return button_text(attributes)
        if tag == "img":
            return attributes.get("alt")
        if tag == "optgroup":
            return attributes.get("label")
        if tag == "option":
            return attributes.get("label") or None
        inner = {"fieldset": "legend", "svg": "title"}.get(tag)
        if inner is None:
            return None
        part = next((child for child in self._tree.children(index) if self._tree.tags[child] == inner), None)
        if part is None:
            return None
        return plain_text(self._tree, part) if tag == "svg" else self._content(part, self._plain_shares.__getitem__)

    def _is_field(self, index: int) -> bool:
        return self._roles[index] in _FIELDS

    # What an element adds to names around it

    @cached_property
    def _shares(self) -> list[str]:
        """Shares of content."""
        return self._compute_shares(follow=True)

    @cached_property
    def _plain_shares(self) -> list[str]:
        """Shares inside a reference or a label, where no further reference is followed."""
        return self._compute_shares()

    @cached_property
    def _hidden_shares(self) -> list[str]:
        """Shares inside a hidden element that is referred to: its hidden parts count."""
        return self._compute_shares(with_hidden=True)

    def _compute_shares(self, *, follow: bool = False, with_hidden: bool = False) -> list[str]:
        shares = [""] * len(self._tree.tags)
        for index in reversed(range(len(shares))):
            if with_hidden or self._visibility.rendered[index]:
                share = self._share(index, shares, follow=follow, with_hidden=with_hidden)
                shares[index] = share[: MAX_NAME_CHARS + 2]
        return shares

    def _share(self, index: int, shares: list[str], *, follow: bool, with_hidden: bool) -> str:
        tag, attributes, role = self._tree.tags[index], self._tree.attributes[index], self._roles[index]
        apart = self._visibility.apart[index] or role in WIDGETS
        if tag in _BREAKS:
            return " "
        if not with_hidden and self._visibility.seen[index] and not self._visibility.exposed[index]:
            return " " if apart else ""
        if tag in _NO_TEXT or (tag == "img" and role is None and not with_hidden):
            return ""
        if follow and attributes.get("aria-labelledby") and (text := self._referenced(index)) is not None:
            return f" {text} "
        if text := self._value(index) or attributes.get("aria-label", "").strip():
            return f" {text} "
        text = self._inner_text(index, shares, follow=follow, with_hidden=with_hidden)
        return f" {text} " if apart or (text and tag in _DRAWINGS) else text

    def _inner_text(self, index: int, shares: list[str], *, follow: bool, with_hidden: bool) -> str:
        tag, attributes, role = self._tree.tags[index], self._tree.attributes[index], self._roles[index]
        if follow and tag == "input" and (labels := self._labels_elsewhere(index)):
            return self._labels_text(index, labels)
        own = self._own_text(index) if tag != "fieldset" else None
        if own is not None:
            return own
        if tag in _EMPTY or (tag in _VALUED and role is not None):
            hint = "" if tag == "img" else attributes.get("placeholder", "")
            return attributes.get("title", "") or hint
        if (role in _NOT_READ_THROUGH and tag not in _READ_TAGS) or tag in _NOT_READ_TAGS:
            return " "
        text = self._content(index, shares.__getitem__, with_hidden=with_hidden)
        if role in _FROM_CONTENT and not text.strip() and attributes.get("title", "").strip():
            return f" {attributes['title']} "
        return text

    def _labels_elsewhere(self, index: int) -> list[int]:
        """Return a control's labels, none where one stands beside it: that one is read in its own place."""
        labels = self.labels_of(index)
        parent = self._tree.parents[index]
        return [] if any(self._tree.parents[label] == parent for label in labels) else labels

    def _value(self, index: int) -> str:
        """Return the value of a field in the middle of a name."""
        tag, attributes = self._tree.tags[index], self._tree.attributes[index]
        if tag == "select":
            chosen = chosen_options(self._tree, index)
            return " ".join(collapse(self._own_text(option) or plain_text(self._tree, option)) for option in chosen)
        if tag == "textarea":
            return plain_text(self._tree, index)
        if tag in {"meter", "progress"}:
            return attributes.get("value", "0" if tag == "meter" else "")
        return attributes.get("value", "") if tag == "input" and input_type(attributes) in _VALUE_TYPES else ""

    def _content(self, index: int, share: Callable[[int], str], *, with_hidden: bool = False) -> str:
        """Return an element's texts and its children's shares."""
        is_shown = with_hidden or shows_text(self._tree, self._visibility, index)
        out, length = [], 0
        for part in self._tree.contents[index]:
            text = share(part) if isinstance(part, int) else _WHITE.sub(" ", part) if is_shown else ""
            out.append(text)
            length += len(text)
            if length > 2 * MAX_NAME_CHARS:
                break
        return "".join(out)

    def _content_without(self, index: int, left_out: int | None) -> str:
        """Return an element's content without that of one element inside it."""
        path: list[int] = []
        above = left_out
        while above is not None and above != index:
            path.append(above)
            above = self._tree.parents[above]
        if above is None:
            return self._content(index, self._plain_shares.__getitem__)
        replaced: dict[int, str] = {}
        shares = self._plain_shares

        def share(part: int) -> str:
            return replaced[part] if part in replaced else shares[part]

        for place in path:
            gap = " " if self._visibility.apart[place] else ""
            replaced[place] = gap if place == left_out else f"{gap}{self._content(place, share)}{gap}"
        return self._content(index, share)
