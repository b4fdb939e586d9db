"""Decisions for training, one line of JSON Lines each: what was seen, what could be clicked, and what was done.

A search is no choice among the page's buttons, and neither is a click on what the page does not have: there
``chosen`` is ``None``. ``messages`` has the same sessions as dialogues.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory.exports.common import storable
from personalized_shopping.shared_libraries.trajectory.exports.offers import Offer, offers_of_record, position_of
from personalized_shopping.shared_libraries.trajectory.session import Action, SessionTrajectory
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import convert_html_to_text

SplitOf = Callable[[str], str]
"""Tells which split a product belongs to, by its identifier."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of an episode.

    ``history`` are the actions before it, ``state`` the page as the text observation has it, ``candidates`` the clicks
    that the page offers and ``texts`` what the page says about each (a product's title and price, an option's name and
    value, a button's label). ``chosen`` is the place of ``action`` among them. ``return`` adds up the rewards from here
    to the end of the episode; both are ``None`` where nothing is scored. ``asin`` is the product that the goal was
    written for, ``split`` that product's, and ``weight`` the goal's sampling weight, 1 without a goal.
    """

    episode: str
    step: int
    instruction: str
    page: str
    state: str
    candidates: tuple[str, ...]
    texts: tuple[str, ...]
    action: str
    history: tuple[str, ...] = ()
    chosen: int | None = None
    reward: float | None = None
    return_: float | None = msgspec.field(default=None, name="return")
    done: bool = False
    asin: str | None = None
    split: str | None = None
    weight: float = 1.0


def make_choice(offers: Sequence[Offer], action: str, **fields: Any) -> Choice:
    """Return a decision among offers; the other fields are ``Choice``'s."""
    candidates, texts = tuple(offer.action for offer in offers), tuple(offer.text for offer in offers)
    return Choice(candidates=candidates, texts=texts, action=action, chosen=position_of(action, candidates), **fields)


def with_returns(episode: Sequence[Choice]) -> list[Choice]:
    """Return an episode's decisions, in order, with their returns."""
    if all(choice.reward is None for choice in episode):
        return list(episode)
    found: list[Choice] = []
    ahead = 0.0
    for choice in reversed(episode):
        ahead += choice.reward or 0.0
        found.append(msgspec.structs.replace(choice, return_=ahead))
    return found[::-1]


def choices(session: SessionTrajectory, split_of: SplitOf | None = None) -> list[Choice]:
    """Return a session's searches and clicks; those whose page was not recorded are left out.

    Args:
        session: of an environment or of a conversation. What the guard or the person refused is left out too.
        split_of: names the split of the goal's product; without it ``split`` is ``None``.
    """
    goal = session.goal if isinstance(session.goal, dict) else {}
    asin = goal.get("asin")
    found: list[Choice] = []
    history: list[str] = []
    for action in session.actions:
        if not action.executed or read_action(action.text)[0] is None:
            continue
        seen = _seen(session, action)
        if seen is not None:
            kind, html, a11y = seen
            choice = make_choice(
                offers_of_record(kind, html, a11y),
                action.text,
                episode=session.start.session,
                step=len(history),
                instruction=session.instruction,
                page=kind,
                state=convert_html_to_text(html, simple=True),
                history=tuple(history),
                reward=action.reward,
                done=action.done,
                asin=asin,
                split=split_of(asin) if asin and split_of else None,
                weight=float(goal.get("weight") or 1.0),
            )
            found.append(choice)
        history.append(action.text)
    return with_returns(found)


def choice_lines(found: Iterable[Choice]) -> bytes:
    """Return decisions as JSON Lines."""
    # All in ASCII: many readers take U+2028 and U+0085 for the end of a line.
    return b"".join(json.dumps(storable(msgspec.to_builtins(choice))).encode() + b"\n" for choice in found)


def read_choices(path: Path) -> Iterator[Choice]:
    """Read decisions that were exported.

    Raises:
        TrajectoryError: when a line is none.
    """
    decoder = msgspec.json.Decoder(Choice)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise TrajectoryError(f"{path}, line {number}, is no decision: {error}") from None


def _seen(session: SessionTrajectory, action: Action) -> tuple[str, str, str] | None:
    """Return the page before an action: its kind, its HTML and its accessibility tree."""
    page = session.pages.get(action.page_before) if action.page_before is not None else None
    if page is None or page.html is None or page.a11y is None or page.html.truncated:
        return None
    try:
        return page.kind, session.blobs.get(page.html), session.blobs.get(page.a11y)
    except TrajectoryError:  # the blob is gone, or is not what it was
        return None
