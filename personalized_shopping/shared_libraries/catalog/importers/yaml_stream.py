"""Read a huge YAML sequence item by item."""

from collections.abc import Generator
from typing import Any, BinaryIO

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.resolver import Resolver

from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.catalog.importers.outcomes import Unreadable

MAX_ITEM_EVENTS = 1_000_000
"""Scalars and brackets that one item may have: the bound of what one broken file can make us hold."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _ItemBuilder(Composer, SafeConstructor, Resolver):
    """Build one Python value from the events of one item."""

    def __init__(self, events: list[Event]) -> None:
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self._events = events[::-1]

    def check_event(self, *kinds: type[Event]) -> bool:
        return bool(self._events) and isinstance(self._events[-1], kinds or Event)

    def peek_event(self) -> Event:
        return self._events[-1]

    def get_event(self) -> Event:
        return self._events.pop()

    def build(self) -> Any:
        node: Any = self.compose_node(None, 0)
        return self.construct_document(node)


def read_yaml(file: BinaryIO, name: str) -> Generator[Any, None, None]:
    """Yield the items of a YAML document that is one sequence.

    Raises:
        CatalogError: where the document is something else, or breaks off.
    """
    loader = _LOADER(file)
    try:
        loader.get_event()
        if not loader.check_event(StreamEndEvent):
            loader.get_event()
        if not loader.check_event(SequenceStartEvent):
            raise CatalogError(f"{name} is empty, or no YAML sequence. Every product should start with '- '.")
        loader.get_event()
        while not loader.check_event(SequenceEndEvent):
            yield _item(_events_of_item(loader, name))
    except yaml.YAMLError as error:
        raise CatalogError(f"{name} is broken or cut off: {_one_line(error)}") from None
    finally:
        loader.dispose()


def _events_of_item(loader: Any, name: str) -> list[Event]:
    events: list[Event] = []
    depth = 0
    while True:
        event = loader.get_event()
        events.append(event)
        depth += isinstance(event, (MappingStartEvent, SequenceStartEvent))
        depth -= isinstance(event, (MappingEndEvent, SequenceEndEvent))
        if depth == 0:
            return events
        if len(events) > MAX_ITEM_EVENTS:
            raise CatalogError(f"{name} has an item with more than {MAX_ITEM_EVENTS:,} parts.")


def _item(events: list[Event]) -> Any:
    # A few lines of aliases can stand for gigabytes.
    if any(isinstance(event, AliasEvent) for event in events):
        return Unreadable("uses a YAML alias (*name), which is not supported")
    try:
        return _plain(_ItemBuilder(events).build())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Unreadable(f"is no plain YAML value: {_one_line(error)}")


def _plain(value: Any) -> Any:
    """Return the value as JSON could hold it: names become text, and so do dates."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
