"""ADK's events as the chat's: what was said, what was done, which page stands, what is asked."""

from collections.abc import Iterable, Iterator
from typing import Any

from google.adk.events.event import Event as AdkEvent
from google.genai import types

from personalized_shopping.chat import cards
from personalized_shopping.chat.events import (
    Action,
    Answer,
    Event,
    PageShown,
    Problem,
    Products,
    Purchase,
    Question,
    Text,
    User,
)
from personalized_shopping.chat.sentences import action_sentence, page_title
from personalized_shopping.plugins.adk_records import action_text, outcome
from personalized_shopping.session import STATE_KEY
from personalized_shopping.tools.plain_text import plain

CONFIRM = "adk_request_confirmation"
"""The function call with which ADK asks a person."""
_ABORTED = "INVOCATION_ABORTED"
"""The error code with which ADK marks the end of a run that was stopped."""
_ACTION_CHARS = 300
_NOTE_CHARS = 500


class Translator:
    """Translates the events of one conversation, in their order.

    Args:
        earlier: the events before those that are translated: they number the pages and name the products.
    """

    def __init__(self, earlier: Iterable[AdkEvent] = ()) -> None:
        self.pages = 0
        self._titles: dict[str, str] = {}
        self._calls: dict[str, tuple[str, str]] = {}
        self._asked: dict[str, dict[str, Any]] = {}
        self._message = 0
        self._streamed = ""
        for event in earlier:
            self._learn(event)

    def translate(self, event: AdkEvent) -> list[Event]:
        """Return what an event shows, in order; reads the catalogue for the images of products."""
        self._learn(event)
        if event.author == "user":
            return list(self._person(event))
        return list(self._agent(event))

    def _learn(self, event: AdkEvent) -> None:
        if event.partial:
            return
        if event.actions.state_delta.get(STATE_KEY):
            self.pages += 1
        for call in event.get_function_calls():
            name, arguments = call.name or "", call.args or {}
            if name != CONFIRM:
                sentence = action_sentence(name, arguments, self._titles)
                written = plain(action_text(name, arguments), limit=_ACTION_CHARS)
                self._calls[call.id or ""] = (written, sentence)
        for answer in event.get_function_responses():
            told = answer.response or {}
            product = told.get("product")
            if isinstance(product, dict):
                self._asked[answer.id or ""] = product
            for known in [*_listed(told.get("products")), product]:
                if isinstance(known, dict) and known.get("title"):
                    self._titles[str(known.get("asin", "")).upper()] = str(known["title"])

    def _person(self, event: AdkEvent) -> Iterator[Event]:
        for answer in event.get_function_responses():
            if answer.name == CONFIRM:
                confirmed = (answer.response or {}).get("confirmed") is True
                yield Answer(question_id=answer.id or "", confirmed=confirmed)
        text = "\n".join(part.text for part in _parts(event) if part.text)
        if text:
            yield User(text=text)

    def _agent(self, event: AdkEvent) -> Iterator[Event]:
        yield from self._texts(event)
        if event.partial:
            return
        for call in event.get_function_calls():
            if call.name == CONFIRM:
                yield self._question(call)
            else:
                written, sentence = self._calls[call.id or ""]
                yield Action(id=call.id or "", action=written, sentence=sentence)
        yield from self._answers(event)
        if event.error_code not in (None, _ABORTED) and not any(part.text for part in _parts(event)):
            yield Problem("The language model gave no answer. Please try again, in other words if need be.")

    def _texts(self, event: AdkEvent) -> Iterator[Event]:
        text = "".join(part.text for part in _parts(event) if part.text and not part.thought)
        if event.partial:
            if text:
                self._streamed += text
                yield Text(message=self._message, text=text)
            return
        if text:
            yield Text(message=self._message, text=text, whole=True)
        if text or self._streamed:
            self._message += 1
            self._streamed = ""

    def _answers(self, event: AdkEvent) -> Iterator[Event]:
        answers = [answer for answer in event.get_function_responses() if answer.name != CONFIRM]
        for answer in answers:
            told = answer.response or {}
            written, sentence = self._calls.get(answer.id or "", (answer.name or "", answer.name or ""))
            noted = told.get("error") or told.get("message")
            note = plain(str(noted), limit=_NOTE_CHARS, one_line=True) if noted else None
            yield Action(
                id=answer.id or "", action=written, sentence=sentence, outcome=outcome(answer.response), note=note
            )
        if event.actions.state_delta.get(STATE_KEY) and answers:
            last = answers[-1].response or {}
            kind = str(last.get("page", "search"))
            yield PageShown(number=self.pages, kind=kind, title=page_title(kind, last), action_id=answers[-1].id)
        for answer in answers:
            yield from _products(answer.response or {})

    def _question(self, call: types.FunctionCall) -> Question:
        arguments = call.args or {}
        asked = arguments.get("toolConfirmation") or {}
        facts = asked["payload"] if isinstance(asked.get("payload"), dict) else {}
        original = str((arguments.get("originalFunctionCall") or {}).get("id", ""))
        # The question comes before the answer of the call that asks, so options that are not chosen are learnt from
        # the last look at the product.
        seen = next((p for p in reversed(self._asked.values()) if p.get("asin") == facts.get("asin")), {})
        options = facts["options"] if isinstance(facts.get("options"), dict) else {}
        chosen = {str(name).lower(): str(value) for name, value in options.items()}
        names = [str(name) for name in cards.options(self._asked.get(original, seen))] or list(chosen)
        product = cards.card({**seen, **facts})
        shown = {name: chosen.get(name.lower()) for name in names}
        return Question(id=call.id or "", text=str(asked.get("hint") or ""), product=product, options=shown)


def _products(told: dict[str, Any]) -> Iterator[Event]:
    products, bought = told.get("products"), told.get("product")
    if isinstance(products, list) and not told.get("error"):
        yield Products(
            query=str(told.get("query", "")),
            total=_whole(told.get("total_results"), 0),
            page_number=_whole(told.get("page_number"), 1),
            products=cards.cards(products),
        )
    if told.get("purchased") and isinstance(bought, dict):
        yield Purchase(product=cards.card(bought), options=cards.options(bought))


def _listed(value: Any) -> list[Any]:
    # Other tools than the shop's own may answer anything under the same names.
    return value if isinstance(value, list) else []


def _whole(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def _parts(event: AdkEvent) -> list[types.Part]:
    return list((event.content.parts if event.content else None) or [])
