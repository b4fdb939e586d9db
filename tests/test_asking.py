import pytest
from msgspec import Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.asking import BadReply, ask_for, read_json
from tests.skills.tasks.conftest import Model


class Question(Struct):
    what: str


class Reply(Struct):
    number: int


def read(reply: str) -> int:
    return read_json(reply, Reply).number


@pytest.mark.parametrize(
    "reply",
    [
        '{"number": 3}',
        '```json\n{"number": 3}\n```',
        'Here it is:\n{"number": 3, "more": {}}\nGood luck!',
        ' {"number":3} ',
    ],
)
def test_the_object_is_found_among_other_words(reply: str) -> None:
    assert read(reply) == 3


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("", "no JSON object"),
        ("}{", "no JSON object"),
        ("[3]", "no JSON object"),
        ('{"number": 3', "no JSON object"),
        ('{"number": "3"}', "Expected `int`"),
        ("{}", "missing required field"),
        ('{"number": 3} {"number": 4}', "of the form"),
        ("{" * 50_000 + "}" * 50_000, "of the form"),
        ('{"number": 3}' + " " * 100_000, "100013 characters"),
        ('{"number": "\ud800"}', "of the form"),
    ],
)
def test_what_is_no_reply(reply: str, says: str) -> None:
    with pytest.raises(BadReply, match=says):
        read(reply)


def test_a_good_reply_is_taken_at_once() -> None:
    model = Model({"number": 3})
    answer = ask_for(model, "the prompt", Question("what"), read)
    assert (answer.value, answer.problems, answer.asked) == (3, (), 1)
    assert model.asked[0][0] == "the prompt"
    assert model.question() == {"what": "what"}


def test_a_bad_reply_may_be_mended_once() -> None:
    model = Model("I do not know.", {"number": 3})
    answer = ask_for(model, "", Question("what"), read)
    assert (answer.value, answer.asked) == (3, 2)
    assert "no JSON object" in answer.problems[0]
    assert "I do not know." in model.asked[1][1] and "no JSON object" in model.asked[1][1]


def test_two_bad_replies_are_enough() -> None:
    answer = ask_for(Model("no", "no", {"number": 3}), "", Question("what"), read)
    assert (answer.value, answer.asked, len(answer.problems)) == (None, 2, 2)


def test_a_model_that_cannot_be_asked() -> None:
    def fails(system: str, question: str) -> str:
        raise SkillError("no key")

    answer = ask_for(fails, "", Question("what"), read)
    assert (answer.value, answer.problems, answer.asked) == (None, ("The model could not be asked: no key",), 1)
