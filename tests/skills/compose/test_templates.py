"""Constants stay, and what varies becomes a parameter."""

from personalized_shopping.shared_libraries.skills.compose.actions import Move, Symbol
from personalized_shopping.shared_libraries.skills.compose.mining import Occurrence, Pattern
from personalized_shopping.shared_libraries.skills.compose.templates import (
    Hole,
    Template,
    generalise,
    is_instance,
    shown,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

HERE = ShopSession()
SEARCH = Symbol("search", "", "", "results")
OPEN = Symbol("open", "results", "", "item")
CHOOSE = Symbol("choose", "item", "", "item")
PREV = Symbol("press", "item", "< Prev", "results")


def pattern(symbols: tuple[Symbol, ...], *told: tuple[tuple[str, ...], ...]) -> Pattern:
    """Return a pattern with an occurrence for each row of what its steps were told."""
    occurrences = []
    for number, row in enumerate(told):
        moves = tuple(Move(symbol, values, HERE, HERE) for symbol, values in zip(symbols, row, strict=True))
        occurrences.append(Occurrence(number, number, 0, moves))
    return Pattern(symbols, tuple(occurrences))


def slots(template: Template) -> list[object]:
    return [slot.name if isinstance(slot, Hole) else [slot] for step in template.steps for slot in step.slots]


def test_what_varies_is_a_parameter_and_what_does_not_is_a_constant() -> None:
    found = generalise(pattern((SEARCH, OPEN), (("red",), ("B1",)), (("blue",), ("B1",)), (("red",), ("B1",))))
    assert slots(found) == ["query", ["B1"]] and found.roles == {"query": "query"}
    assert found.page_kind == "" and found.leads_to == "item"


def test_values_that_vary_together_are_one_parameter() -> None:
    rows = [((a,), (b,), (), (a,)) for a, b in (("B1", "B2"), ("B3", "B4"), ("B5", "B1"))]
    found = generalise(pattern((OPEN, OPEN, PREV, OPEN), *rows))
    assert slots(found) == ["asin_1", "asin_2", "asin_1"]


def test_a_value_is_called_like_its_option() -> None:
    rows = [(("size", v), ("shoe colour", w)) for v, w in (("s", "red"), ("m", "red"), ("l", "blue"))]
    assert slots(generalise(pattern((CHOOSE, CHOOSE), *rows))) == [["size"], "size", ["shoe colour"], "shoe_colour"]
    odd = [((name, v),) for v in "abc" for name in ['"];</script>']]
    found = generalise(pattern((CHOOSE,), *odd))
    assert slots(found) == [['"];</script>'], "script"]
    clash = [((name, v), (q,)) for v, q in (("a", "x"), ("b", "y")) for name in ["query"]]
    assert slots(generalise(pattern((CHOOSE, SEARCH), *clash))) == [["query"], "value", "query"]


def test_an_option_that_varies_is_a_parameter_too() -> None:
    rows = [(("size", "s"), ("color", "red")), (("color", "blue"), ("size", "m"))]
    found = generalise(pattern((CHOOSE, CHOOSE), *rows))
    assert slots(found) == ["option_1", "value_1", "option_2", "value_2"]
    assert found.roles == {"option_1": "option", "value_1": "value", "option_2": "option", "value_2": "value"}


def test_parameters_never_share_a_name() -> None:
    rows = [((name, a), ("size", b), ("size", c)) for name, a, b, c in (("size 1", "u", "v", "w"), ("size 1", *"xyz"))]
    names = list(generalise(pattern((CHOOSE,) * 3, *rows)).roles)
    assert len(set(names)) == len(names) == 3


def test_an_occurrence_gives_the_arguments() -> None:
    source = pattern((SEARCH, OPEN), (("red",), ("B1",)), (("blue",), ("B1",)))
    found = generalise(source)
    assert [found.arguments(occurrence) for occurrence in source.occurrences] == [{"query": "red"}, {"query": "blue"}]
    assert [step.told({"query": "green"}) for step in found.steps] == [("green",), ("B1",)]


def test_equal_steps_have_an_equal_key() -> None:
    one = generalise(pattern((SEARCH, OPEN), (("red",), ("B1",)), (("blue",), ("B2",))))
    same = generalise(pattern((SEARCH, OPEN), (("x",), ("B7",)), (("y",), ("B8",)), (("z",), ("B9",))))
    other = generalise(pattern((SEARCH, OPEN), (("red",), ("B1",)), (("blue",), ("B1",))))
    assert one.key == same.key and one.fingerprint == same.fingerprint and one.key != other.key
    assert is_instance(other.key, one.key) and not is_instance(one.key, other.key) and is_instance(one.key, one.key)


def test_a_parameter_that_occurs_twice_is_the_same_twice() -> None:
    twice = generalise(pattern((OPEN, PREV, OPEN), *[((a,), (), (a,)) for a in ("B1", "B2")]))
    free = generalise(pattern((OPEN, PREV, OPEN), *[((a,), (), (b,)) for a, b in (("B1", "B2"), ("B2", "B3"))]))
    assert is_instance(twice.key, free.key) and not is_instance(free.key, twice.key)
    assert (
        not is_instance(twice.key, "steps:[7]") and not is_instance("d12", twice.key) and not is_instance("steps:{", "")
    )


def test_only_plain_names_stand_in_sentences() -> None:
    assert shown("light blue") and shown("größe 7.5")
    for text in ('a "b"', "a\nb", "`a`", "{a}", "x" * 41, "\u202eabc", "a\\b", "<b>x</b>"):
        assert shown(text) == ""
    odd = generalise(pattern((CHOOSE, OPEN), *[(('"]{x}', v), ("B1",)) for v in "ab"]))
    assert [step.sentence for step in odd.steps] == ["choose `x` for the option a fixed text", "open the product B1"]
    assert odd.stages() == ["1. choose", "2. open"]
