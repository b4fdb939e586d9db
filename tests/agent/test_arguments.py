"""Arguments as a model may write them, and a shop that cannot be opened."""

import json
from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.init_env import close_shared
from tests.agent.helpers import APP, DENIM, USER, Chat, call, click, search

HUGE = "denim " * 180_000
ODD_TEXTS = {
    "empty": "",
    "blank": " \n\t ",
    "huge": HUGE,
    "lines": "denim\njacket\r\nfor\u2028women",
    "brackets": "denim]] [jacket[ search[x] click[y]",
    "controls": "den\x00im\x1b[2J \x07",
    "surrogate": "denim \ud83d",
    "right to left": "\u202eמעיל\u202c denim",
    "markup": "<r> <script>{{7*7}}</script> ${x} %s %(y)s \\",
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
async def test_odd_texts_get_an_answer_and_the_conversation_goes_on(text: str) -> None:
    chat = Chat(search(text), click(text), search("denim jacket"), click(DENIM))
    answers = await chat.say()
    assert len(answers) == 4
    assert answers[3]["page"] == "item"
    for event in chat.events:
        event.model_dump_json()
    assert all(len(json.dumps(answer)) < 60_000 for answer in answers)
    assert len(json.dumps(await chat.state())) < 10_000


@pytest.mark.usefixtures("shop")
async def test_a_megabyte_is_cut_and_said() -> None:
    found, pressed = await Chat(search(HUGE), click(HUGE)).say()
    assert found["error"] == "Only the first 2000 characters were searched for."
    assert len(found["query"]) <= 2000
    assert len(pressed["error"]) < 200


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("value", [None, True, ["denim"], {"a": 1}], ids=repr)
@pytest.mark.parametrize("tool", [search, click])
async def test_other_types_are_refused_with_the_page(tool: object, value: object) -> None:
    answer, after = await Chat(tool(value), search("denim")).say()  # type: ignore[operator]
    assert "as a text" in answer["error"]
    assert answer["page"] == "search" and answer["buttons"] == ["Search"]
    assert after["page"] == "results"


@pytest.mark.usefixtures("shop")
async def test_missing_and_surplus_arguments() -> None:
    missing, surplus = await Chat(call("search"), call("search", keywords="denim", limit=3)).say()
    assert "got nothing" in missing["error"]
    assert surplus["page"] == "results"


@pytest.mark.usefixtures("shop")
async def test_a_model_that_writes_half_an_emoji_can_still_be_stored(tmp_path: Path) -> None:
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    chat = Chat(search("denim \ud83d"), "done \ud83d", sessions=SqliteSessionService(str(tmp_path / "s.db")))
    await chat.say()
    assert chat.events[-1].content.parts[0].text == "done ?"
    stored = await chat.sessions.get_session(app_name=APP, user_id=USER, session_id="s")
    assert stored.events[1].get_function_calls()[0].args == {"keywords": "denim ?"}


async def test_a_missing_catalogue_is_an_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CATALOG_PATH", str(tmp_path / "nowhere"))
    close_shared()
    [answer] = await Chat(search("denim")).say()
    assert "nowhere" in answer["error"]
    close_shared()


@pytest.mark.usefixtures("shop")
async def test_a_failure_nobody_foresaw_is_an_answer_and_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

    monkeypatch.setattr(Shop, "step", lambda *_: 1 / 0)
    chat = Chat(search("denim"))
    [answer] = await chat.say()
    assert answer == {"error": "The shop failed to answer; its log says why. Try again, or search for something else."}
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.usefixtures("shop")
async def test_artifacts_that_cannot_be_saved_do_not_stop_the_shopper(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    chat = Chat(search("denim"))

    async def full(*_: object, **__: object) -> int:
        raise OSError("disk full")

    monkeypatch.setattr(type(chat.artifacts), "save_artifact", full)
    [answer] = await chat.say()
    assert answer["page"] == "results"
    assert "disk full" in caplog.text
