"""What people do not see is removed; what words and emoji need stays."""

import unicodedata

import pytest

from personalized_shopping.invisible import without_invisible
from personalized_shopping.tools.plain_text import plain


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("a\u200bb\u2060c\ufeffd\u00ade\u180ef", "abcdef"),
        ("\u202eabc\u202c \u2066x\u2069\u200e\u200f\u061c", "abc x"),
        ("a\ufff9b\ufffac\ufffb", "abc"),
        ("x" + "".join(chr(0xE0000 + ord(mark)) for mark in "obey"), "x"),
        ("x\ufe00\ufe0b\U000e0100\U000e01ef", "x"),
        ("s\u200ch\u200di\u200d", "shi"),
        ("👩\u200b\u200d🔬", "👩🔬"),
        ("\u200d\u200c", ""),
        ("a\ufe0f\ufe0f", "a"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f"),
        ("می\u200c\u200cخواهم", "میخواهم"),
    ],
    ids=range(11),
)
def test_what_nobody_sees_is_removed(written: str, left: str) -> None:
    assert without_invisible(written) == left == plain(written)


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",
        "क्\u200dष क्\u200cष",
        "ශ්\u200dරී",
        "👩\u200d🔬 👨\u200d👩\u200d👧 👩🏽\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 👁\ufe0f\u200d🗨\ufe0f",
        "1\ufe0f\u20e3 ©\ufe0f ™\ufe0f ☺\ufe0e",
        "größe 尺寸 サイズ размер ขนาด 크기 naïve e\u0301 5\u00a0€ “x”…",
        "a\tb\nc",
    ],
    ids=["Persian", "Hindi", "Sinhala", "families", "styles", "many scripts", "white space"],
)
def test_what_a_text_needs_stays(text: str) -> None:
    assert without_invisible(text) == text == plain(text)


def test_it_takes_all_format_characters_but_those_that_belong_to_a_script() -> None:
    kept = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
    kept = [mark for mark in kept if without_invisible(f"a{mark}b") != "ab"]
    scripts = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN", "SHORTHAND", "MUSICAL")
    assert {unicodedata.name(mark).split()[0] for mark in kept} == set(scripts)


@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\ufe0f", "\U000e0041", "\x00", "😀", "ا", " ", "a"])
def test_a_second_time_changes_nothing(mark: str) -> None:
    marks = ["\u200b", "\u200d", "\ufe0f", "\x00", "😀", "ا", "a", " "]
    for text in (f"{one}{mark}{two}{three}" for one in marks for two in marks for three in marks):
        for one_line in (False, True):
            once = plain(text, one_line=one_line)
            assert plain(once, one_line=one_line) == once
