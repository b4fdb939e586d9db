"""The English analysis: own examples, and what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personalized_shopping.shared_libraries.search_engine.analysis import EnglishAnalyzer, tokenizer
from personalized_shopping.shared_libraries.search_engine.analysis.english import STOP_WORDS
from personalized_shopping.shared_libraries.search_engine.analysis.porter import stem
from personalized_shopping.shared_libraries.search_engine.analysis.word_break import CLASS_OF, NO_WORD

analyze = EnglishAnalyzer().analyze
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
WORDLIKE = st.text(
    st.sampled_from("ab1_2.,;:'\" #\u00e9\u200d\ufe0f\u20e3\U0001f600\U0001f3fd\u0e01\u0e31\u4e2d\u30a2")
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("shoes", "shoe"), ("dresses", "dress"), ("batteries", "batteri"), ("glass", "glass"), ("agreed", "agre"),
        ("feed", "feed"), ("fitting", "fit"), ("falling", "fall"), ("sized", "size"), ("filing", "file"),
        ("easy", "easi"), ("sky", "sky"), ("possibly", "possibl"), ("technology", "technolog"), ("relational", "relat"),
        ("sensibility", "sensibl"), ("adjustable", "adjust"), ("decoration", "decor"), ("controll", "control"),
        ("moisturizer", "moistur"), ("hopefulness", "hope"), ("roll", "roll"), ("toy", "toi"), ("by", "by"),
    ],
)  # fmt: skip
def test_words_lose_their_endings(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Women's Running-Shoes, size 7.5!", ["women", "run", "shoe", "size", "7.5"]),
        ("the lamp and THE table", ["lamp", "tabl"]),
        ("u.s.a. 1,000 a:b 12v x_y __ _", ["u.s.a", "1,000", "a:b", "12v", "x_y"]),
        ("don\u2019t dogs\u2019 o\uff07s'S", ["don\u2019t", "dog", "o\uff07"]),
        ("1.a a.1 1;2 a;b", ["1", "1", "1;2", "b"]),
        ("caf\u00e9s na\u00efve \u0130STANBUL", ["caf\u00e9", "na\u00efv", "istanbul"]),
        ("\u4e2d\u6587 \u304b\u306a", ["\u4e2d", "\u6587", "\u304b", "\u306a"]),
        ("\u30a2\u30a4 \ud55c\uad6d", ["\u30a2\u30a4", "\ud55c\uad6d"]),
        ("\u0e44\u0e17\u0e22 \u05d0\"\u05d1 \u05d0'", ["\u0e44\u0e17\u0e22", '\u05d0"\u05d1', "\u05d0'"]),
        ("\u2605 \u2714\ufe0f \u2122 \u00b2", ["\u2605", "\u2714\ufe0f", "\u2122"]),
        ("\U0001f1e9\U0001f1ea #\u20e3 # *", ["\U0001f1e9\U0001f1ea", "#\u20e3"]),
        ("x\U0001f496\uff1ay \U0001f469\u200d\U0001f467", ["x", "\U0001f496", "y", "\U0001f469\u200d\U0001f467"]),
    ],
)  # fmt: skip
def test_texts_become_terms(text: str, expected: list[str]) -> None:
    assert analyze(text) == expected


def test_a_final_sigma_is_lowered_like_any_other() -> None:
    assert analyze("\u039f\u03a3") == ["\u03bf\u03c3"]


def test_letters_beyond_the_basic_plane_are_stemmed_as_pairs() -> None:
    assert analyze("\U0001d400\U0001d400s") == ["\U0001d400\U0001d400"]


@pytest.mark.parametrize(("letter", "pieces"), [("a", [255, 255, 90]), ("\u00e9", [255, 255, 90])])
def test_long_words_are_cut(letter: str, pieces: list[int]) -> None:
    assert [len(token) for token in tokenizer.tokenize(letter * 600)] == pieces


def test_a_cut_before_a_joining_dot_starts_a_new_word() -> None:
    assert tokenizer.tokenize("a" * 254 + ".bc d") == ["a" * 254, "bc", "d"]


@pytest.mark.parametrize("unit", ["_", "a:", "_\u0301", "\u05d0'", "\u200d", "#\u0301", "\U0001f600\u200d", "_\u0e31"])
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    # A quadratic expression would run for hours on these.
    assert analyze(unit * 100_000) is not None


@given(ANY_TEXT)
def test_tokens_are_pieces_of_the_text_in_order(text: str) -> None:
    position = 0
    for token in tokenizer.tokenize(text):
        position = text.index(token, position) + len(token)


@given(ANY_TEXT)
def test_any_text_has_terms_without_stop_words(text: str) -> None:
    assert STOP_WORDS.isdisjoint(analyze(text))
    assert "" not in analyze(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_both_grammars_say_the_same_of_ascii(text: str) -> None:
    classes = text.translate(CLASS_OF)
    by_class = [text[match.start() : match.end()] for match in tokenizer._CLASSES.finditer(classes)]
    assert list(filter(tokenizer.is_word, by_class)) == list(filter(tokenizer.is_word, tokenizer.tokenize(text)))


@given(WORDLIKE, WORDLIKE)
def test_a_space_always_separates(left: str, right: str) -> None:
    assert analyze(f"{left} {right}") == analyze(left) + analyze(right)


@given(st.text(st.sampled_from("abcdeiousyltz"), min_size=1, max_size=12))
def test_a_stem_is_never_longer_by_more_than_a_letter(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)


def test_the_cache_of_terms_is_bounded() -> None:
    analyzer = EnglishAnalyzer(cache_size=10)
    analyzer.analyze(" ".join(f"word{number}" for number in range(1000)))
    assert len(analyzer._terms) <= 10


def test_characters_outside_the_table_are_no_words() -> None:
    assert [CLASS_OF[ord(character)] for character in "\0 \t\ud800\U0010ffff"] == [NO_WORD] * 5
