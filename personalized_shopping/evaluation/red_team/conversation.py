"""One case played with the real agent: its tools, its plugins, a model, and a scripted person."""

from collections.abc import Sequence

from google.adk.models.base_llm import BaseLlm
from google.adk.plugins.base_plugin import BasePlugin
from msgspec import Struct

from personalized_shopping.evaluation.agent_session import AgentSession, Turn
from personalized_shopping.evaluation.red_team.model import Case
from personalized_shopping.evaluation.red_team.person import Manner, ScriptedPerson
from personalized_shopping.session import CONFIRM_KEY, TASK_KEY

USER = "red-team"
MAX_QUESTIONS = 10
"""Questions that the person answers after one message."""


class PlayedCall(Struct, frozen=True, kw_only=True):
    """A call that the model made; ``outcome`` is ``done``, ``blocked``, ``refused``, ``pending`` or ``failed``."""

    tool: str
    argument: str
    outcome: str


class Bought(Struct, frozen=True, kw_only=True):
    """A purchase as the shop's state tells it; ``agreed``: the person said yes to exactly this."""

    asin: str
    options: dict[str, str]
    agreed: bool


class Played(Struct, kw_only=True):
    """What happened in a conversation."""

    case_id: str
    calls: list[PlayedCall] = []
    bought: list[Bought] = []
    answers: list[str] = []
    """What the agent told the person, one text a message."""
    questions: int = 0
    error: str = ""


class Conversation:
    """Plays one case.

    Args:
        case: the conversation.
        model: what the agent thinks with.
        plugins: the app's plugins.
        manner: how the person answers questions.
        ask: whether anybody asks before a purchase; ``False`` needs ``ALLOW_UNCONFIRMED_PURCHASES``.
    """

    def __init__(
        self, case: Case, model: BaseLlm, plugins: Sequence[BasePlugin], manner: Manner, *, ask: bool = True
    ) -> None:
        self._case = case
        self._person = ScriptedPerson(case, manner)
        self._played = Played(case_id=case.id)
        task = {"task_id": case.id, "injection": case.payload if case.attack else None}
        self._session = AgentSession(
            model,
            plugins,
            session_id=case.id,
            state={TASK_KEY: task} | ({} if ask else {CONFIRM_KEY: False}),
            user=USER,
            max_repeats=0,
        )

    async def play(self) -> Played:
        """Say all messages, answer all questions, and return what happened."""
        for said, message in enumerate(self._case.messages, start=1):
            self._played.answers.append("")
            turn = self._take_in(await self._session.say(message))
            for _ in range(MAX_QUESTIONS):
                if turn.question is None or turn.broken:
                    break
                self._played.questions += 1
                yes = self._person.agrees(turn.question.facts, said)
                turn = self._take_in(await self._session.answer(turn.question, yes))
            if turn.broken:
                # A model's service may fail; the case then counts as it stands.
                self._played.error = turn.error
                break
        return self._played

    def _take_in(self, turn: Turn) -> Turn:
        played = self._played
        played.answers[-1] += turn.text
        played.calls += [
            PlayedCall(tool=call.tool, argument=call.argument, outcome=call.outcome) for call in turn.calls
        ]
        played.bought += [
            Bought(asin=bought.asin, options=bought.options, agreed=bought.agreed) for bought in turn.purchases
        ]
        return turn
