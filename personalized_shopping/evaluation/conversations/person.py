"""The simulated person: what they hear, and what they say to it. One scripted person serves one conversation."""

import re
from random import Random
from typing import Protocol

from msgspec import Struct

from personalized_shopping.evaluation.agent_session import Question
from personalized_shopping.evaluation.conversations import wording
from personalized_shopping.evaluation.conversations.hearing import (
    asked_about,
    is_named,
    names_fact,
    names_products,
    offers_to_buy,
)
from personalized_shopping.evaluation.conversations.model import ConversationTask, Line, Part, Wish
from personalized_shopping.shared_libraries.catalog import Catalog

MAX_NUDGES = 3
MAX_SEARCHES = 2
"""How often a person says that nothing shown fits before they leave."""
MAX_REPEATS = 3
"""How often a person repeats what they have said already."""
OPTIONS = ("color", "size", "flavor", "scent", "pack", "count")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CENT = 0.005


class SimulatorError(Exception):
    """The simulated person failed; what the agent did is not judged by that."""


class Reply(Struct, frozen=True, kw_only=True):
    """What the person does: says ``text``, answers the shop's question with ``yes``, or leaves (neither)."""

    text: str | None = None
    yes: bool | None = None


class Person(Protocol):
    """A simulated person in one conversation."""

    async def hear(self, text: str, question: Question | None) -> Reply:
        """Return the reply to what the agent said, or to the shop's question before a purchase.

        Raises:
            SimulatorError: when the person fails.
        """
        ...


class ScriptedPerson:
    """Says what the task has them say, answers questions about the parts of their wish, and checks what is offered.

    The same task, seed and words of the agent always give the same replies.

    Args:
        task: whose person.
        catalog: what the products are really like; the person recognises what they want when they are shown it.
        seed: which of the ways to say something are used.
    """

    def __init__(self, task: ConversationTask, catalog: Catalog, seed: str | int = 0) -> None:
        self._task, self._catalog = task, catalog
        self._draw = Random(f"{task.id}/{seed}")
        self._untold = list(task.parts)
        self._lines = list(task.lines)
        self._wish, self._asins = task.wish, task.asins
        self._change = task.change
        self._next: list[str] = []
        """What the person says next, whatever the agent says."""
        self._heard = ""
        self._picked = ""
        self._started = False
        self._nudges = self._searches = self._repeats = 0

    async def hear(self, text: str, question: Question | None) -> Reply:
        """Return the reply; see ``Person``."""
        if not self._started:
            self._started = True
            return Reply(text=self._task.opening)
        if question is not None:
            return Reply(yes=self._agrees(question))
        said = self._say(text)
        return Reply(text=said) if said else Reply()

    def _agrees(self, question: Question) -> bool:
        """Return the answer to the shop's question, and have the reason for a no ready."""
        if self._change is not None and self._change.at == "asked":
            self._next.append(self._change_mind())
            return False
        if self._task.outcome == "nothing":
            self._next.append(self._take_line("close") or "No, I'm not buying that.")
            self._lines.clear()
            self._untold.clear()
            return False
        unanswered = self._take_line("ask")
        objection = unanswered or self._objection(question)
        if objection:
            self._next.append(objection)
            return False
        return True

    def _objection(self, question: Question) -> str:
        row = self._catalog.row_of(question.asin)
        if row is None or self._catalog.product(question.asin).query != self._wish.product:
            return f"No, that's not what I asked for. I want {wording.described(self._wish)}."
        limit = self._wish.limit_usd
        prices = [float(price.replace(",", "")) for price in _NUMBER.findall(question.price)]
        if limit is not None and max(prices, default=0.0) > limit + _CENT:
            return f"That's too much for me. I can pay ${limit:g} at most."
        chosen = set(question.options.values())
        missing = [f"{name} {value}" for name, value in self._wish.options.items() if value not in chosen]
        if missing:
            self._untold = [part for part in self._untold if part.about not in self._wish.options]
            return f"No, it has to be {' and '.join(missing)}. Then I'll buy it."
        return ""

    def _say(self, text: str) -> str:
        self._heard += f"{text}\n"
        if self._next:
            return self._next.pop(0)
        if self._change is not None and self._change.at == "shown" and names_products(text):
            return self._change_mind()
        asked = asked_about(text, [part.about for part in self._untold])
        if asked:
            told = self._tell(asked)
            wants_it_now = offers_to_buy(text) and self._lines and self._lines[0].kind == "take"
            return f"{told} {self._take()}" if wants_it_now else told
        if offers_to_buy(text) and self._task.outcome == "nothing":
            return self._answer_offer(text)
        unclear = self._unclear(text)
        if unclear:
            return unclear
        while self._lines:
            said = self._line(self._lines[0], text)
            if said is not None:
                return said
        return self._after_all(text)

    def _answer_offer(self, text: str) -> str:
        """Return what somebody says who will not buy in the end: some say no only when it gets serious."""
        if self._task.must_ask and self._nudges < MAX_NUDGES and self._has("close"):
            return self._take() if self._has("take") else self._nudge(text)
        return self._take_line("close")

    def _unclear(self, text: str) -> str:
        """Return the answer to a question about options that the person has answered before, or does not care about."""
        if self._has("pick") or self._has("delegate") or self._repeats >= MAX_REPEATS:
            return ""
        asked = asked_about(text, OPTIONS)
        if not asked:
            return ""
        self._repeats += 1
        wanted = self._wish.options
        return " ".join(
            wording.tell(Part(about=name, value=wanted[name]), self._draw)
            if name in wanted
            else self._do_not_mind(name)
            for name in asked
        )

    def _do_not_mind(self, name: str) -> str:
        """Return the answer about an option that makes no difference; asked again, somebody just names a value."""
        values = self._catalog.product(self._picked).options.get(name, ()) if self._picked else ()
        return f"Any {name} is fine." if self._repeats == 1 or not values else f"Then {values[0]}."

    def _has(self, kind: str) -> bool:
        return any(line.kind == kind for line in self._lines)

    def _line(self, line: Line, text: str) -> str | None:
        """Return what is said for the next line; ``None`` to go on with the one after it."""
        match line.kind:
            case "pick" | "delegate":
                return self._choose(line, text)
            case "take":
                if self._change is not None and self._change.at == "opened":
                    return self._change_mind()
                if self._task.denial and self._untold:
                    return self._tell([self._untold[0].about])
                return self._take()
            case "ask" | "close":
                if line.kind == "close" and self._untold:
                    return self._tell([self._untold[0].about])
                if line.kind == "close" and self._task.must_ask and self._nudges < MAX_NUDGES:
                    return self._nudge(text)  # who says no at the till has to get there first
                self._lines.pop(0)
                was_told = all(names_fact(self._heard, wordings) for wordings in self._task.facts)
                return None if line.if_untold and was_told else line.words
        raise AssertionError(line.kind)

    def _choose(self, line: Line, text: str) -> str | None:
        shown = [asin for asin in self._asins if is_named(text, asin, self._brand(asin))]
        if not shown and (line.kind == "pick" or not names_products(text)):
            if self._untold and not names_products(text):
                return self._tell([self._untold[0].about])
            self._searches += 1
            if self._searches > MAX_SEARCHES:
                self._lines.clear()
                return None
            return wording.none_of_these(self._wish, self._draw)
        self._lines.pop(0)
        if line.kind == "delegate":
            return line.words or wording.delegate(self._draw)
        self._picked = shown[0]
        return line.words or wording.pick(self._name(self._picked), self._draw)

    def _take(self) -> str:
        line = next(line for line in self._lines if line.kind == "take")
        self._lines.remove(line)
        parts = [part.about for part in self._untold if part.about != "feature"]
        words = line.words or wording.take(self._draw)
        return f"{words} {self._tell(parts)}".strip()

    def _after_all(self, text: str) -> str:
        if self._task.outcome == "nothing" or self._searches > MAX_SEARCHES or self._nudges >= MAX_NUDGES:
            return ""
        if self._untold:
            return self._tell([self._untold[0].about])
        return self._nudge(text)

    def _nudge(self, text: str) -> str:
        self._nudges += 1
        # An offer is answered; whoever has lost the thread is told once more what it was about.
        name = self._name(self._picked) if self._picked and not offers_to_buy(text) else ""
        return wording.nudge(name, self._draw)

    def _change_mind(self) -> str:
        change, self._change = self._change, None
        assert change is not None
        # What is told with the change replaces what was not told yet.
        self._untold = [part for part in self._untold if self._is_still_wanted(part, change.wish)]
        if change.wish.product != self._wish.product or change.wish.features != self._wish.features:
            self._picked = ""
        self._wish, self._asins = change.wish, change.asins
        return change.words

    def _is_still_wanted(self, part: Part, wish: Wish) -> bool:
        return wish.product == self._wish.product and wish.options.get(part.about) == part.value

    def _tell(self, subjects: list[str]) -> str:
        told = [part for part in self._untold if part.about in subjects]
        self._untold = [part for part in self._untold if part.about not in subjects]
        return " ".join(wording.tell(part, self._draw) for part in told)

    def _take_line(self, kind: str) -> str:
        """Return the words of the next line of a kind, which is said with that; an empty text where there is none."""
        found = next((line for line in self._lines if line.kind == kind), None)
        if found is None:
            return ""
        self._lines.remove(found)
        return found.words

    def _brand(self, asin: str) -> str:
        return brand_of(self._catalog.product(asin).title or asin)

    def _name(self, asin: str) -> str:
        return (self._catalog.product(asin).title or asin).split(",")[0]


def brand_of(title: str) -> str:
    """Return what products of one kind are told apart by: the first word of the title, two where it is a short one."""
    words = title.split()
    return " ".join(words[:3]) if len(words) > 2 and words[1] == "&" else words[0]
