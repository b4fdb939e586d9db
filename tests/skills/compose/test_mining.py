"""What sessions repeat: closed contiguous patterns, counted by session."""

from personalized_shopping.shared_libraries.skills.compose.actions import Move, Symbol
from personalized_shopping.shared_libraries.skills.compose.mining import (
    MAX_STEPS,
    Pattern,
    Served,
    mine,
    split_at_purchases,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

HERE = ShopSession()


def moves(letters: str) -> list[Move]:
    """Return one step a letter; ``$`` buys."""
    verbs = ["buy" if letter == "$" else "press" for letter in letters]
    return [
        Move(Symbol(verb, "item", letter, "item"), (), HERE, HERE)  # type: ignore[arg-type]
        for verb, letter in zip(verbs, letters, strict=True)
    ]


def spelled(pattern: Pattern) -> str:
    return "".join(symbol.label for symbol in pattern.symbols)


def mined(*sessions: str, min_support: int = 3) -> dict[str, int]:
    sequences = split_at_purchases((number, moves(letters)) for number, letters in enumerate(sessions))
    return {spelled(pattern): pattern.support for pattern in mine(sequences, min_support=min_support)}


def test_what_is_everywhere_in_a_longer_pattern_belongs_to_it() -> None:
    assert mined("abcx", "yabc", "abc") == {"abc": 3}
    assert mined("abcx", "yabc", "abc", "ab") == {"abc": 3, "ab": 4}


def test_sessions_are_counted_and_not_occurrences() -> None:
    assert mined("abab", "ab") == {}
    assert mined("ababab", "ab", "ab") == {"ab": 3}


def test_too_few_sessions_give_nothing() -> None:
    assert mined("abcd", "abcd") == {}
    assert mined("abcd", "abcd", min_support=2) == {"abcd": 2}


def test_nothing_spans_a_purchase() -> None:
    assert mined("ab$cd", "ab$cd", "ab$cd") == {"ab": 3, "cd": 3}
    assert mined("a$b", "a$b", "a$b") == {}


def test_steps_between_break_a_pattern() -> None:
    assert mined("ab", "axb", "ab") == {}


def test_patterns_have_a_length() -> None:
    long = "abcdefghijkl"
    found = mined(long, long, long)
    assert {len(pattern) for pattern in found} == {MAX_STEPS}


def test_the_pattern_that_saves_most_comes_first() -> None:
    assert list(mined("abcx", "abcy", "abcz", "ab", "ab", "ab", "ab", "ab")) == ["ab", "abc"]
    assert list(mined("abcx", "abcy", "abcz", "ab")) == ["abc", "ab"]


def test_occurrences_do_not_overlap() -> None:
    sequences = [(number, moves("aaaa")) for number in range(3)]
    found = {spelled(pattern): pattern for pattern in mine(sequences, min_support=3)}
    assert list(found) == ["aaaa"]
    twice = mine([(0, moves("aaa")), (1, moves("aab"))], min_support=2)
    assert [[found.start for found in pattern.occurrences] for pattern in twice] == [[0, 0]]


def test_parts_are_one_step_shorter() -> None:
    [pattern] = mine([(number, moves("xabc")[1:]) for number in range(3)], min_support=3)
    first, last = pattern.parts()
    assert [spelled(first), spelled(last)] == ["ab", "bc"]
    assert [found.start for found in last.occurrences] == [1, 1, 1] and last.support == 3
    assert [found.moves[0].symbol.label for found in last.occurrences] == ["b", "b", "b"]
    assert list(first.parts()) == []


def test_what_is_served_is_not_counted_again() -> None:
    sequences = [(0, moves("abcd")), (1, moves("abcd")), (2, moves("bc")), (3, moves("bcd"))]
    patterns = {spelled(pattern): pattern for pattern in mine(sequences, min_support=2)}
    served = Served()
    assert served.left(patterns["bc"]) == (4, 4)
    served.add(patterns["abcd"])
    assert served.left(patterns["bc"]) == (2, 2), "two of the four are within the longer one"
    assert served.left(patterns["bcd"]) == (1, 2)
    assert served.left(patterns["abcd"]) == (0, 0)


def test_a_longer_pattern_counts_what_it_saves_beyond_the_shorter_ones_in_it() -> None:
    sequences = [(0, moves("abcd")), (1, moves("abcd")), (2, moves("bc"))]
    patterns = {spelled(pattern): pattern for pattern in mine(sequences, min_support=2)}
    served = Served()
    served.add(patterns["bc"])
    assert served.left(patterns["abcd"]) == (2, 4), "three calls each, one of which is saved already"
    served.add(patterns["abcd"])
    assert served.left(patterns["bc"]) == (0, 0) and served.left(patterns["abcd"]) == (0, 0)


def test_patterns_that_cross_a_served_one_save_nothing() -> None:
    sequences = [(0, moves("abc")), (1, moves("abc")), (2, moves("ab")), (3, moves("bc"))]
    patterns = {spelled(pattern): pattern for pattern in mine(sequences, min_support=2)}
    served = Served()
    served.add(patterns["ab"])
    assert served.left(patterns["bc"]) == (1, 1)
