"""What a message takes back, and what of it names nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personalized_shopping.shared_libraries.requests.turning import split_taken_back, without_answers


@pytest.mark.parametrize(
    ("message", "kept", "taken"),
    [
        ("black instead of mint, please", "black , please", ("mint",)),
        ("50 count rather than 20 count. Then buy it", "50 count . Then buy it", ("20 count",)),
        ("rather black than navy", "rather black", ("navy",)),
        ("not navy but black", "but black", ("navy",)),
        ("size 7.5 instead of 7.0", "size 7.5", ("7.0",)),
        ("change it from mint to black", "change it to black", ("mint",)),
        ("not only a lamp but a bright one", "not only a lamp but a bright one", ()),
        ("rather less than 20 dollars", "rather less than 20 dollars", ()),
        ("not more than 20 dollars, but good", "not more than 20 dollars, but good", ()),
        ("Make it black instead, please", "Make it black instead, please", ()),
    ],
)
def test_what_is_taken_back(message: str, kept: str, taken: tuple[str, ...]) -> None:
    assert split_taken_back(message) == (kept, taken)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Pick the best match for me, please.", ""),
        ("Good, I'll take it. In pink, please.", "In pink"),
        ("Fine, but under 1,500.50 dollars", "but under 1,500.50 dollars"),
        ("at most 30", "at most 30"),
        ("a lamp", "a lamp"),
    ],
)
def test_what_names_something_stays(message: str, kept: str) -> None:
    assert without_answers(message).rstrip(".") == kept


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    kept, taken = split_taken_back(text)
    assert len(kept) <= len(text) and len(without_answers(text)) <= len(text) + 1
    assert all(part.strip() for part in taken)


@pytest.mark.parametrize(
    "text", ["not a " * 600, "rather a than " * 300, "instead of " * 350, "change a " * 440, "." * 4000]
)
def test_long_texts_are_read_quickly(text: str) -> None:
    started = time.perf_counter()
    split_taken_back(text)
    without_answers(text)
    assert time.perf_counter() - started < 2.0
