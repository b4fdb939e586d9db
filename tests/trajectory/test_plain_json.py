"""Whatever a tool or a model gives becomes JSON that every reader takes."""

import collections
import dataclasses
import enum
import json
import math
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.config import MAX_RECORDED_CHARS, MAX_RECORDED_DEPTH, MAX_RECORDED_VALUES
from personalized_shopping.shared_libraries.trajectory.plain_json import plain_json


def checked(value: Any) -> Any:
    """Return a value in plain JSON, which must survive strict JSON unchanged."""
    plain = plain_json(value)
    text = json.dumps(plain, allow_nan=False)
    text.encode()
    assert json.loads(text) == plain
    return plain


class Color(enum.Enum):
    RED = "red"


class Size(enum.StrEnum):
    LARGE = "l"


@dataclasses.dataclass
class Product:
    asin: str
    price_usd: float


class Shirt(msgspec.Struct):
    asin: str
    sizes: list[str]


class Cart(pydantic.BaseModel):
    items: list[str]
    note: str | None = None


class Broken:
    """Fails at everything that a recorder might try."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__

    def model_dump(self, **_options: Any) -> Any:
        raise RuntimeError("no fields")


class SameName:
    def __str__(self) -> str:
        return "same"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.bool_(True), True),
        (7, 7),
        (np.int64(7), 7),
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (2**63, {"$int": hex(2**63)}),
        (10**4000, {"$int": hex(10**4000)[:100]}),
        (1.5, 1.5),
        (np.float32(1.5), 1.5),
        (math.nan, {"$float": "nan"}),
        (np.float64("inf"), {"$float": "inf"}),
        (-math.inf, {"$float": "-inf"}),
        (b"\xff\x00", {"$bytes": 2}),
        (bytearray(3), {"$bytes": 3}),
        (memoryview(b"abcd"), {"$bytes": 4}),
        (memoryview(np.zeros((2, 3))), {"$bytes": 48}),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (Color.RED, "red"),
        (Size.LARGE, "l"),
        ((1, "a"), [1, "a"]),
        ({2, 1}, [1, 2]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (collections.deque([1, 2]), [1, 2]),
        (range(3), [0, 1, 2]),
        (Product("B01", 3.5), {"asin": "B01", "price_usd": 3.5}),
        (Shirt(asin="B01", sizes=["m"]), {"asin": "B01", "sizes": ["m"]}),
        (Cart(items=["B01"]), {"items": ["B01"]}),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([1.0, math.nan]), [1.0, {"$float": "nan"}]),
        (np.zeros(1_000_000), {"$type": "ndarray"}),
        (ValueError("why"), {"$type": "ValueError"}),
        (iter([1, 2]), {"$type": "list_iterator"}),
        (object, {"$type": "type"}),
        (Product, {"$type": "type"}),
        (Cart, {"$type": "ModelMetaclass"}),
        (Decimal("1.5"), {"$type": "Decimal"}),
        (Broken(), {"$type": "Broken", "$error": "RuntimeError"}),
        ("\ud800 and \udfff", "\ufffd and \ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ufeffbegins", "\ufeffbegins"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values(value: Any, expected: Any) -> None:
    assert checked(value) == expected


@pytest.mark.parametrize(
    "fails",
    [
        pytest.param(lambda: type("Odd", (), {"__class__": property(lambda self: 1 / 0)})(), id="class"),
        pytest.param(lambda: _released(), id="released memory"),
        pytest.param(lambda: type("Odd", (dict,), {"items": lambda self: 1 / 0})(a=1), id="items"),
        pytest.param(lambda: type("Odd", (list,), {"__iter__": lambda self: 1 / 0})([1]), id="iteration"),
        pytest.param(lambda: type("Odd", (str,), {"isascii": lambda self: 1 / 0})("text"), id="text"),
        pytest.param(lambda: type("Odd", (int,), {"__lt__": lambda self, other: 1 / 0})(1), id="number"),
        pytest.param(lambda: type("Odd", (), {"model_dump": property(lambda self: 1 / 0)})(), id="attribute"),
        pytest.param(lambda: {Broken(): 1}, id="key"),
        pytest.param(lambda: {Broken()}, id="set"),
    ],
)
def test_an_object_that_fails_spoils_only_itself(fails: Callable[[], Any]) -> None:
    found = checked({"before": 1, "it": fails(), "after": 2})
    assert (found["before"], found["after"]) == (1, 2)


def _released() -> memoryview:
    view = memoryview(b"abc")
    view.release()
    return view


def test_cycles_are_marked_and_repetition_is_none() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert checked(ring) == [1, {"$cycle": True}]
    box: dict[str, Any] = {}
    box["inner"] = {"outer": box}
    assert checked(box) == {"inner": {"outer": {"$cycle": True}}}
    shared = {"a": 1}
    assert checked([shared, shared]) == [{"a": 1}, {"a": 1}]


def test_a_model_that_gives_itself_ends() -> None:
    class Mirror:
        def model_dump(self, **_options: Any) -> Any:
            return self if self.same else Mirror()

        same = False

    checked(Mirror())
    Mirror.same = True
    assert checked(Mirror()) == {"$cycle": True}


def test_depth_is_cut() -> None:
    deep: Any = "bottom"
    for _ in range(10_000):
        deep = [deep]
    found, depth = checked(deep), 0
    while isinstance(found, list):
        found, depth = found[0], depth + 1
    assert found == {"$cut": "nested too deeply"}
    assert depth == MAX_RECORDED_DEPTH


def test_a_million_entries_are_cut_and_counted() -> None:
    found = checked(dict.fromkeys(range(1_000_000), 0))
    missing = found.pop("$cut")
    assert len(found) + missing == 1_000_000
    assert len(found) <= MAX_RECORDED_VALUES
    listed = checked(list(range(1_000_000)))
    assert len(listed) - 1 + listed[-1]["$cut"] == 1_000_000
    assert len(checked([["x"] * 50_000] * 10)) <= 4, "the limit is one for the whole value"


def test_a_long_text_is_cut_and_counted() -> None:
    found = checked("é" * 5_000_000)
    assert found == "é" * MAX_RECORDED_CHARS + f"…[{5_000_000 - MAX_RECORDED_CHARS} characters cut]"
    assert checked("é" * MAX_RECORDED_CHARS) == "é" * MAX_RECORDED_CHARS


def test_keys_that_would_collide_stay_apart() -> None:
    found = checked({1: "a", "1": "b", None: "c", "None": "d", (1, 2): "e"})
    assert sorted(found.values()) == ["a", "b", "c", "d", "e"]
    assert found["1"] == "a"


def test_many_keys_that_collide_take_no_time() -> None:
    start = time.process_time()
    found = checked({SameName(): number for number in range(20_000)})
    assert sorted(found.values()) == list(range(20_000))
    assert time.process_time() - start < 5


def test_a_mapping_that_changes_meanwhile_is_recorded() -> None:
    growing: dict[str, Any] = {"a": 1, "b": 2}

    def text(value: str, _key: str | None) -> str:
        growing[f"{value}+"] = 0
        return value

    assert plain_json(growing, text) == {"a": 1, "b": 2}


def test_the_callback_sees_every_text_with_its_key() -> None:
    seen: list[tuple[str, str | None]] = []

    def text(value: str, key: str | None) -> str:
        seen.append((value, key))
        return value

    plain_json({"a": ["x", {"b": "y"}], "c": Cart(items=["z"])}, text)
    assert {("x", "a"), ("y", "b"), ("z", "items"), ("a", None), ("b", None)} <= set(seen)


def test_endless_values_end() -> None:
    class Endless(collections.abc.Sequence[int]):
        def __len__(self) -> int:
            return 10**12

        def __getitem__(self, index: Any) -> Any:
            return 0

        def __iter__(self) -> Iterator[int]:
            while True:
                yield 0

    assert checked(Endless())[-1]["$cut"] > 10**11


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=20),
    st.binary(max_size=5),
    st.datetimes(),
    st.decimals(),
    st.sampled_from([Color.RED, Size.LARGE, Product("B01", math.nan), object(), np.arange(3)]),
    st.builds(Broken),
)
KEYS = st.one_of(st.text(st.characters(), max_size=3), st.integers(), st.none(), st.booleans(), st.binary(max_size=2))
NESTED = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(KEYS, inner, max_size=5),
        st.tuples(inner, inner),
        st.builds(iter, st.lists(inner, max_size=2)),
    ),
    max_leaves=30,
)


@given(NESTED)
@settings(max_examples=300, deadline=None)
def test_every_value_becomes_strict_json(value: Any) -> None:
    plain = checked(value)
    assert plain_json(plain) == plain, "what is plain already stays"


@given(st.dictionaries(KEYS, st.integers(0, 9), max_size=8))
@settings(deadline=None)
def test_no_entry_of_a_mapping_is_lost(value: dict[Any, int]) -> None:
    assert sorted(checked(value).values()) == sorted(value.values())
