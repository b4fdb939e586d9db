"""A recorded session played again in the shop, and its reward computed again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from personalized_shopping.config import MAX_QUERY_CHARS
from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor, configured_redactor
from personalized_shopping.shared_libraries.trajectory.replay_source import Recorded, RecordedAction
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import (
    Action,
    Click,
    Search,
    read_action,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import make_tagger
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_a11y
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import Reward, purchase_reward
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

Reader = Callable[[ShopSession, str], tuple[ShopSession, Action | None]]
"""Reads an action's text where a shopper stands."""


@dataclass(frozen=True)
class Difference:
    """The first observation that is not what was recorded; both are accessibility trees.

    ``action`` is its number among the session's actions; -1 is the page before the first.
    """

    action: int
    text: str
    recorded: str
    now: str


@dataclass(frozen=True)
class Replay:
    """What came of playing a session again.

    ``compared`` counts observations that were compared, ``not_compared`` actions whose page was not recorded,
    ``left_out`` those that had not been carried out (a person was asked, or the guard said no).
    """

    compared: int
    not_compared: int
    left_out: int
    same_catalog: bool
    difference: Difference | None


@dataclass(frozen=True)
class Rescored:
    """The reward of one purchase, as recorded and as computed again."""

    action: int
    text: str
    recorded: float | None
    computed: Reward


def replay(recorded: Recorded, shop: Shop) -> Replay:
    """Take a session's actions again, and stop at the first page that differs from the recorded one.

    Args:
        recorded: the session.
        shop: the shop to play in.

    Raises:
        TrajectoryError: where the session never used the shop, or did not record where it began.
    """
    try:
        place = ShopSession.from_json(recorded.place)
    except (msgspec.ValidationError, TypeError, ValueError):
        raise TrajectoryError("This session never used the shop, so there is nothing to replay.") from None
    redactor = configured_redactor()
    counts = {"compared": 0, "not_compared": 0, "left_out": 0}
    difference: Difference | None = None
    for number, action, tree in _played(recorded, shop, place, redactor):
        if action is not None and not action.executed:
            counts["left_out"] += 1
            continue
        expected = recorded.start_tree if action is None else action.tree
        if expected is None:
            counts["not_compared"] += action is not None
            continue
        counts["compared"] += 1
        if not expected.matches(tree):
            difference = Difference(number, action.text if action else "", expected.text, tree)
            break
    same = recorded.shop.get("catalog_id") == shop.catalog.manifest.catalog_id
    return Replay(same_catalog=same, difference=difference, **counts)


def rescore(recorded: Recorded) -> list[Rescored]:
    """Compute the reward of each scored purchase again, from the record alone.

    Raises:
        TrajectoryError: where a purchase's record cannot be read.
    """
    found = []
    for number, action in enumerate(recorded.actions):
        if action.scored is not None:
            found.append(Rescored(number, action.text, action.reward, reward_of(action.scored)))
    return found


def reward_of(scored: Any) -> Reward:
    """Return the reward of a purchase from what its record says about it.

    Raises:
        TrajectoryError: where the record cannot be read.
    """
    try:
        return purchase_reward(
            msgspec.convert(scored["product"], Product),
            msgspec.convert(scored["goal"], Goal),
            price_usd=float(scored["price_usd"]),
            options=msgspec.convert(scored["options"], dict[str, str]),
            nouns=make_tagger(_known_tagger(scored.get("noun_tagger")))[1],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TrajectoryError(f"The record of this purchase cannot be read: {error}") from None


def _known_tagger(name: Any) -> str:
    return "spacy" if str(name).startswith("spacy") else "builtin"


def _played(
    recorded: Recorded, shop: Shop, place: ShopSession, redactor: Redactor
) -> Iterator[tuple[int, RecordedAction | None, str]]:
    """Yield the tree after each action, the page at the beginning first."""
    page = shop.page(place)
    yield -1, None, redactor.text(render_a11y(page))
    for number, action in enumerate(recorded.actions):
        if action.executed:
            place, parsed = _read(recorded, action)(place, action.text)
            if parsed is not None:
                step = shop.step(place, parsed, shop.page(place))
                place = step.session
                if step.purchase is not None and action.scored is not None:
                    place = msgspec.structs.replace(place, reward=reward_of(action.scored).total)
            page = shop.page(place)
        yield number, action, redactor.text(render_a11y(page))


def _read(
    recorded: Recorded, action: RecordedAction
) -> Callable[[ShopSession, str], tuple[ShopSession, Action | None]]:
    return _of_a_tool if recorded.source == "adk" and not action.by_skill else _of_the_shop


def _of_the_shop(place: ShopSession, text: str) -> tuple[ShopSession, Action | None]:
    return place, read_action(text)[0]


def _of_a_tool(place: ShopSession, text: str) -> tuple[ShopSession, Action | None]:
    """Follow the agent's tools: a long query is cut, and the query is the task where there is no other."""
    name, _, argument = text.removesuffix("]").partition("[")
    if name == "click":
        return place, Click(argument)
    if name != "search" or not argument:
        return place, None
    query = argument[:MAX_QUERY_CHARS]
    if place.goal_index is None:
        place = msgspec.structs.replace(place, instruction=f"Find me {query}.")
    return place, Search(query)
