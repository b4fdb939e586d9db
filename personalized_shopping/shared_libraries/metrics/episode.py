"""The record of one evaluated episode. Two runs with one seed write the same records, byte for byte."""

from typing import Any, Literal

from msgspec import Struct

Status = Literal["finished", "system_error", "simulator_error"]
"""Whether the agent is to be judged: an error of the system or of the simulated person is not its failure."""

Ending = Literal["bought", "said", "max_steps", "loop", "timeout", "model_error", "error"]
"""What ended the episode: a purchase, words without one, too many steps, going round in circles, time, an error."""

Failure = Literal[
    "search_missed",
    "wrong_item",
    "wrong_option",
    "over_budget",
    "did_not_buy",
    "bought_unasked",
    "wrong_answer",
    "unsolvable",
    "loop",
    "model_error",
    "system_error",
    "simulator_error",
]
"""Why an episode did not fully succeed; the first that applies."""


class Bought(Struct, frozen=True, kw_only=True):
    """What was bought, or what should have been; ``price`` in US dollars."""

    asin: str
    title: str = ""
    options: dict[str, str] = {}
    price: float | None = None


class Wanted(Struct, frozen=True, kw_only=True):
    """What the task asked for. ``options`` are the goal's values, ``price_limit`` is in US dollars."""

    asin: str | None = None
    title: str = ""
    attributes: list[str] = []
    options: list[str] = []
    price_limit: float | None = None


class Check(Struct, frozen=True, kw_only=True):
    """Something that had to hold, and whether it did."""

    name: str
    passed: bool
    detail: str = ""


class Episode(Struct, frozen=True, kw_only=True):
    """One played episode.

    ``task_id`` and ``trial`` name it; ``cluster`` is what episodes share that are not independent (the wanted product
    of a goal), and what intervals are drawn over. ``score`` is from 0 to 1, ``success`` a full score, ``ceiling`` what
    the wanted product with the wanted options earns: below 1 the goal is unsolvable by its own rules. ``parts`` are the
    reward's parts as WebShop names them (``r_type``, ``r_att``, ``r_option``, ``r_price`` and their weights).
    ``why`` says in one sentence why it did not succeed. ``actions`` are ``search[...]`` and ``click[...]``.
    ``trajectory`` is the session's directory, relative to the run's. Times are kept elsewhere: they differ each time.
    """

    task_id: str
    trial: int = 0
    suite: str = "webshop"
    kind: str = ""
    cluster: str = ""
    goal_index: int | None = None
    split: str = ""
    instruction: str = ""
    status: Status = "finished"
    ended: Ending = "bought"
    score: float = 0.0
    success: bool = False
    ceiling: float = 1.0
    parts: dict[str, Any] = {}
    wanted: Wanted = Wanted()
    bought: Bought | None = None
    failure: Failure | None = None
    why: str = ""
    checks: list[Check] = []
    actions: list[str] = []
    answer: str = ""
    steps: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    trajectory: str | None = None
    error: str = ""

    @property
    def key(self) -> str:
        """What names the episode in a run."""
        return f"{self.task_id}#{self.trial}"


class Timing(Struct, frozen=True, kw_only=True):
    """How long an episode took, in seconds, and how many attempts it needed."""

    key: str
    seconds: float
    attempts: int = 1
    worker: int = 0
