"""Recorded sessions to learn from, in a small shop; written as the recorder writes them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from personalized_shopping.shared_libraries.catalog.schema import SourceRecord
from personalized_shopping.shared_libraries.trajectory import (
    RenderedPage,
    Run,
    RunStart,
    SessionTrajectory,
    ShopEntered,
    ToolCall,
    ToolEnd,
    ToolStart,
    read_session,
)
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor
from personalized_shopping.shared_libraries.trajectory.writer import records_writer
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop

NOW = "2026-01-01T00:00:00+00:00"
READ_REVIEWS = (("denim jacket", "B000000001"), ("red jacket", "B000000002"), ("plain jacket number 7", "B000000107"))
"""What was searched for in some sessions, and opened."""


def shop_of(records: Iterable[SourceRecord], directory: Path) -> Shop:
    """Return a shop of these products."""
    files = build_shop(records, directory)
    return Shop(files.catalog, files.engine())


def reviewing(query: str, asin: str) -> list[str]:
    """Return the steps of a session that reads a product's reviews."""
    return [f"search[{query}]", f"click[{asin}]", "click[Reviews]", "click[< Prev]"]


def read_action(text: str) -> Action:
    """Return an action as it was written; nothing is made lower-case."""
    name, _, argument = text.removesuffix("]").partition("[")
    return Search(argument) if name == "search" else Click(argument)


class Recorder:
    """Plays actions in a shop and records them, a session a call."""

    def __init__(self, root: Path, shop: Shop) -> None:
        self.shop = shop
        self._root = root
        self._count = 0

    def __call__(self, *actions: str | Sequence[str]) -> SessionTrajectory:
        """Record a session. A list among the actions is what a skill did in one call."""
        self._count += 1
        start = RunStart(app="shopping", user="someone", session=f"session-{self._count}")
        run = Run(self._root, start, redactor=Redactor())
        place = self.shop.start(instruction="Find me a jacket.")
        run.write(ShopEntered(shop={}, place=place.to_json()))
        self._show(run, place)
        for number, action in enumerate(actions):
            of_skill = [] if isinstance(action, str) else list(action)
            tool = "use_skill" if of_skill else str(action).partition("[")[0]
            call = f"call-{number}"
            run.write(ToolCall(step=number, call_id=call, tool=tool, arguments={}, action=str(action)))
            run.write(ToolStart(call_id=call))
            steps, failed, bought = [], False, None
            for text in of_skill or [str(action)]:
                step = self.shop.step(place, read_action(text))
                place, failed = step.session, not step.is_valid
                bought = {"asin": step.purchase.asin} if step.purchase else None
                steps.append({"action": text, "page": self._show(run, place)})
            info = {"skill_steps": steps} if of_skill else None
            outcome = "failed" if failed else "done"
            ended = ToolEnd(
                call_id=call, outcome=outcome, result=None, info=info, page=self._show(run, place), purchase=bought
            )
            run.write(ended)
        run.end("completed").result()
        records_writer.drain()
        return read_session(run.directory)

    def _show(self, run: Run, place: ShopSession) -> int:
        return run.show(place.to_json(), lambda: RenderedPage(place.kind, "", ""))
