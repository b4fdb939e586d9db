"""Plays one conversation with the real agent and writes what came of it as an episode."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from google.adk.models.base_llm import BaseLlm
from google.adk.plugins.base_plugin import BasePlugin
from msgspec import Struct

from personalized_shopping.errors import shorten
from personalized_shopping.evaluation.agent_play import USER, Recording, ordinary_plugins, own_skill_library, status_of
from personalized_shopping.evaluation.agent_session import MAX_MODEL_CALLS, AgentSession, Turn
from personalized_shopping.evaluation.conversations.judge import Talk, judge
from personalized_shopping.evaluation.conversations.model import ConversationTask
from personalized_shopping.evaluation.conversations.person import Person, Reply, ScriptedPerson, SimulatorError
from personalized_shopping.session import TASK_KEY
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.init_env import get_shop, shop_instead
from personalized_shopping.shared_libraries.metrics.episode import Bought, Ending, Episode, Status, Wanted
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

SUITE = "conversations"
MAX_TURNS = 20
"""Messages and answers of the person before a conversation ends as it stands."""

PersonFactory = Callable[[ConversationTask, Catalog, str], Person]
"""Makes the person of a task: the task, the catalogue, and a seed."""
PluginsFactory = Callable[[Path | None], Sequence[BasePlugin]]
"""Makes the app's plugins, with where to record trajectories."""


class _Played(Struct, kw_only=True):
    ended: Ending = "said"
    status: Status = "finished"
    error: str = ""
    said: list[str] = []
    questions: int = 0


def scripted_person(task: ConversationTask, catalog: Catalog, seed: str) -> Person:
    """Return the scripted person of a task."""
    return ScriptedPerson(task, catalog, seed)


@contextmanager
def conversation_shop() -> Iterator[Shop]:
    """Let the demo shop be the process's shop while the block runs; the cases are about its products."""
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import EMBEDDED_ENGINE, demo_shop

    files = demo_shop()
    with files.catalog as catalog:
        engine = files.engine(EMBEDDED_ENGINE)
        try:
            shop = Shop(catalog, engine)
            with shop_instead(shop):
                yield shop
        finally:
            engine.close()


async def play_case(
    task: ConversationTask,
    *,
    model: BaseLlm,
    person: PersonFactory = scripted_person,
    plugins: PluginsFactory = ordinary_plugins,
    trajectories: Path | None = None,
    seed: int = 0,
    trial: int = 0,
    max_model_calls: int = MAX_MODEL_CALLS,
) -> Episode:
    """Play a conversation and judge it; call it within ``conversation_shop``.

    With a model and a person that always answer alike, the same seed and trial give the same episode. ``score`` is 1
    where every check passed, else 0. An episode whose ``status`` is not ``finished`` says nothing about the agent.

    Args:
        task: one of ``cases()``.
        model: what the agent thinks with.
        person: makes the simulated person.
        plugins: makes the app's plugins.
        trajectories: the directory that the session is recorded in; ``None`` for nowhere.
        seed: which words the person uses.
        trial: the how manyth time it is played; another trial has other words.
        max_model_calls: model calls on one message.
    """
    catalog = get_shop().catalog
    session_id = f"{task.id}-{trial}"
    recording = Recording(trajectories, session_id)
    session = AgentSession(
        model,
        plugins(trajectories),
        session_id=session_id,
        user=USER,
        state={TASK_KEY: {"task_id": f"{task.id}#{trial}"}},
        max_model_calls=max_model_calls,
    )
    with own_skill_library():
        played = await _converse(session, person(task, catalog, f"{seed}/{trial}"))
    return _episode(task, trial, session, played, catalog, await asyncio.to_thread(recording.finish))


async def _converse(session: AgentSession, person: Person) -> _Played:
    played = _Played()
    turn = Turn()
    for _ in range(MAX_TURNS):
        try:
            reply = await person.hear(turn.text, turn.question)
        except SimulatorError as error:
            played.status, played.ended, played.error = "simulator_error", "error", shorten(str(error), 500)
            return played
        next_turn = await _reply(session, turn, reply)
        if next_turn is None:
            return played
        if reply.text:
            played.said.append(reply.text)
        turn = next_turn
        played.questions += turn.question is not None
        if turn.broken:
            played.ended, played.error = turn.ended, turn.error
            played.status = status_of(turn)
            return played
        if turn.purchases and turn.question is None:
            played.ended = "bought"
            return played
    return played


async def _reply(session: AgentSession, turn: Turn, reply: Reply) -> Turn | None:
    """Hand the person's reply on; ``None`` when they have left."""
    if turn.question is not None:
        return await session.answer(turn.question, bool(reply.yes))
    return await session.say(reply.text) if reply.text else None


def _episode(
    task: ConversationTask, trial: int, session: AgentSession, played: _Played, catalog: Catalog, trajectory: str | None
) -> Episode:
    answers = [turn.text for turn in session.turns if turn.text]
    talk = Talk(answers=answers, calls=session.calls, purchases=session.purchases, questions=played.questions)
    judgement = judge(task, talk, catalog, played.ended, played.error)
    judged = played.status == "finished"
    success = judged and judgement.success
    failure, why = judgement.failure, judgement.why
    if played.status != "finished":
        failure = "simulator_error" if played.status == "simulator_error" else "system_error"
        why = f"The {'simulated person' if failure == 'simulator_error' else 'system'} failed: {played.error}"
    return Episode(
        task_id=task.id,
        trial=trial,
        suite=SUITE,
        kind=task.kind,
        cluster=task.id,
        instruction="\n".join(played.said) or task.opening,
        status=played.status,
        ended=played.ended,
        score=1.0 if success else 0.0,
        success=success,
        wanted=_wanted(task, catalog),
        bought=_bought(session, catalog),
        failure=failure,
        why=why,
        checks=judgement.checks if judged else [],
        actions=session.actions,
        answer=answers[-1] if answers else "",
        steps=len(session.actions),
        model_calls=sum(turn.model_calls for turn in session.turns),
        input_tokens=sum(turn.input_tokens for turn in session.turns),
        output_tokens=sum(turn.output_tokens for turn in session.turns),
        trajectory=trajectory,
        error=played.error,
    )


def _wanted(task: ConversationTask, catalog: Catalog) -> Wanted:
    wish = task.final_wish
    asin = task.final_asins[0] if task.final_asins else None
    return Wanted(
        asin=asin,
        title=(catalog.product(asin).title or "") if asin else wish.product,
        attributes=list(wish.features),
        options=list(wish.options.values()),
        price_limit=wish.limit_usd,
    )


def _bought(session: AgentSession, catalog: Catalog) -> Bought | None:
    if not session.purchases:
        return None
    bought = session.purchases[-1]
    product = catalog.product(bought.asin)
    return Bought(
        asin=bought.asin,
        title=product.title or "",
        options=bought.options,
        price=max(product.pricing, default=None),
    )
