"""Any Python value as JSON that every reader takes: nothing that a tool or a model gives can break a log."""

import dataclasses
import enum
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from typing import Any

import msgspec

from personalized_shopping.config import MAX_RECORDED_CHARS, MAX_RECORDED_DEPTH, MAX_RECORDED_VALUES

_MAX_INT = 2**63
_MARGIN_CHARS = 10_000
_MIN_CARD_DIGITS = 13


def plain_json(value: Any, text: Callable[[str, str | None], str] = lambda text, _key: text) -> Any:
    """Return a value in plain JSON types.

    What JSON has no word for becomes a mapping with one key that starts with ``$``: ``$bytes`` (their number; the bytes
    themselves are not kept), ``$float`` (``nan``, ``inf``, ``-inf``), ``$int`` (beyond 64 bits), ``$cycle``, ``$cut``
    (how much is missing), ``$type`` (the class of any other object). Halves of surrogate pairs become U+FFFD.

    Args:
        value: anything.
        text: called with every text, or number as text, and the key under which it stands, to redact it.
    """
    return _Walk(text).walk(value, None, 0)


class _Walk:
    def __init__(self, text: Callable[[str, str | None], str]) -> None:
        self._text = text
        self._left = MAX_RECORDED_VALUES
        self._above: set[int] = set()

    def walk(self, value: Any, key: str | None, depth: int) -> Any:
        self._left -= 1
        try:
            return self._plain(value, key, depth)
        except Exception as error:  # an object whose own methods fail
            return {"$type": type(value).__name__, "$error": type(error).__name__}

    def _plain(self, value: Any, key: str | None, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value, key)
        if isinstance(value, enum.Enum):
            return self.walk(value.value, key, depth)
        if isinstance(value, int):
            return self._number(int(value), key) if -_MAX_INT <= value < _MAX_INT else {"$int": hex(value)[:100]}
        if isinstance(value, float):
            return self._number(float(value), key) if math.isfinite(value) else {"$float": str(float(value))}
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {"$bytes": memoryview(value).nbytes}
        if isinstance(value, (datetime, date)):
            return value.isoformat()
        if id(value) in self._above:
            return {"$cycle": True}
        if depth >= MAX_RECORDED_DEPTH:
            return {"$cut": "nested too deeply"}
        self._above.add(id(value))
        try:
            return self._container(value, key, depth)
        finally:
            self._above.discard(id(value))

    def _number(self, value: int | float, key: str | None) -> int | float | str:
        shown = str(int(value)) if value == int(value) else str(value)
        key = None if key == "token" else key  # it counts them
        if key is None and len(shown) < _MIN_CARD_DIGITS:
            return value
        hidden = self._text(shown, key)  # a card's number, or what stands under a password's name
        return value if hidden == shown else hidden

    def text(self, value: str, key: str | None = None) -> str:
        cut = len(value) - MAX_RECORDED_CHARS
        # What must not be written may lie across the cut, where half of it would not be known for what it is.
        whole = self._text(value[: MAX_RECORDED_CHARS + _MARGIN_CHARS], key)
        whole = whole[:MAX_RECORDED_CHARS] if cut > 0 else whole
        clean = whole if whole.isascii() else whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return f"{clean}…[{cut} characters cut]" if cut > 0 else clean

    def _container(self, value: Any, key: str | None, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, (Sequence, AbstractSet)):
            return self._sequence(value, key, depth)
        if isinstance(value, msgspec.Struct):
            return self._mapping(msgspec.structs.asdict(value), depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return self._mapping(fields, depth)
        if hasattr(value, "model_dump") and not isinstance(value, type):
            return self.walk(value.model_dump(exclude_none=True), key, depth + 1)
        if hasattr(value, "tolist") and getattr(value, "size", MAX_RECORDED_VALUES) < MAX_RECORDED_VALUES:
            return self.walk(value.tolist(), key, depth + 1)
        return {"$type": type(value).__name__}

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        copies: Counter[str] = Counter()
        # A list first: whoever gave the mapping may go on changing it.
        for name, item in list(value.items()) if isinstance(value, dict) else value.items():
            if self._left <= 0:
                found["$cut"] = len(value) - len(found)
                break
            plain = single = self._key(name)
            while single in found:  # 1 and "1" are two keys in Python
                copies[plain] += 1
                single = f"{plain}'{copies[plain]}"
            found[single] = self.walk(item, plain, depth + 1)
        return found

    def _key(self, name: Any) -> str:
        try:
            return self.text(name if isinstance(name, str) else str(name))
        except Exception:
            return f"${type(name).__name__}"

    def _sequence(self, value: Sequence[Any] | AbstractSet[Any], key: str | None, depth: int) -> list[Any]:
        found: list[Any] = []
        items = sorted(value, key=repr) if isinstance(value, AbstractSet) else value
        for item in items:
            if self._left <= 0:
                found.append({"$cut": len(value) - len(found)})
                break
            found.append(self.walk(item, key, depth + 1))
        return found
