"""What a log consists of: one record a line, each of one of these types.

Every line also carries the envelope of ``Line``. A reader ignores fields and record types that it does not know, so
that later versions may add some.
"""

from typing import Any, ClassVar, Literal

import msgspec

SCHEMA_VERSION = 1
"""Raised whenever an older reader could misread a log."""

EndStatus = Literal["completed", "paused", "cancelled", "error", "max_steps"]
Outcome = Literal["done", "failed", "pending", "refused", "blocked"]
"""How a tool call ended: ``done``; ``failed`` with an error; ``pending`` while a person is asked; ``refused`` by that
person or by the order of calls; ``blocked`` by the guard. The last three were not carried out."""


class Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """One thing that happened. Fields of type ``Any`` take every value; the writer makes JSON of it."""

    durable: ClassVar[bool] = False
    """Whether the record is forced to the disk before it is acknowledged."""


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Token counts of model calls, as their provider gave them; ``None`` is unknown, not zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    thoughts_tokens: int | None = None
    tool_use_tokens: int | None = None

    @property
    def total(self) -> int:
        """How many tokens the call took; 0 where nothing is known."""
        if self.total_tokens is not None:
            return self.total_tokens
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0) + (self.thoughts_tokens or 0)


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An error: the name of its class, and what it said."""

    type: str
    message: str


class RunStart(Record, frozen=True, kw_only=True, tag="run_start"):
    """The first record: whose run it is, and what it ran on.

    ``task`` holds ``task_id``, ``injection`` and ``jailbreak`` of an evaluated session.
    """

    app: str
    user: str
    session: str
    source: Literal["adk", "gymnasium"] = "adk"
    agent: str = ""
    model: str | None = None
    versions: dict[str, str] = {}
    settings: dict[str, Any] = {}
    task: dict[str, Any] = {}


class ShopEntered(Record, frozen=True, kw_only=True, tag="shop_entered"):
    """The run uses the shop from here on: which one, and where in it.

    ``shop`` names the catalogue and the search engine, ``place`` is the ``ShopSession`` as JSON, ``goal`` the task of
    an evaluated session and ``goal_kind`` its kind.
    """

    shop: dict[str, Any]
    place: Any
    goal: Any = None
    goal_kind: str | None = None


class UserMessage(Record, frozen=True, kw_only=True, tag="user_message"):
    """What the person wrote; ``attachments`` are the media types of parts that are not text."""

    text: str
    attachments: list[str] = []


class ModelRequest(Record, frozen=True, kw_only=True, tag="model_request"):
    """What a model call is made with, where it differs from the call before: the system prompt and the tools."""

    step: int
    system: Any = None
    tools: Any = None


class ModelCall(Record, frozen=True, kw_only=True, tag="model_call"):
    """One call of the agent's model that answered or failed.

    ``calls`` are the tool calls it asked for, ``[{"name", "arguments"}]``. A call with an ``error`` belongs to the step
    of the call that was made in its place.
    """

    step: int
    model: str | None = None
    text: str = ""
    thought: str = ""
    calls: list[Any] = []
    finish_reason: str | None = None
    usage: Usage | None = None
    latency_ms: float | None = None
    error: Failure | None = None


class Decision(Record, frozen=True, kw_only=True, tag="decision"):
    """What was decided about a tool call before it ran: by the guard, or by the person whom the shop asks.

    ``world_model`` is the guard's prediction, ``usage`` the tokens it took, by ``world_model``, ``harmonyguard`` or
    ``reactive``. ``facts`` are the product, options and price that were decided about.
    """

    durable: ClassVar[bool] = True

    call_id: str
    decision: Literal["allow", "block", "confirm", "allow_logged"]
    source: str
    status: str = "ok"
    attempt: int = 1
    risk_score: float | None = None
    threshold: float | None = None
    violated_policy_ids: list[str] = []
    risk_explanation: str = ""
    guidance: str | None = None
    facts: Any = None
    world_model: Any = None
    model: str | None = None
    usage: dict[str, Usage] = {}
    duration_ms: float | None = None
    extra: Any = None


class ToolCall(Record, frozen=True, kw_only=True, tag="tool_call"):
    """The model asks for a tool call. A call that waited for a person's answer is asked for again after it.

    ``action`` is the call as WebShop writes actions, ``search[words]`` or ``click[button]``.
    """

    step: int
    call_id: str
    tool: str
    arguments: Any
    action: str
    irreversible: bool = False


class ToolStart(Record, frozen=True, kw_only=True, tag="tool_start"):
    """The tool runs from here on. Without a ``tool_end`` of the same ``call_id`` nobody knows what came of it."""

    call_id: str


class ToolEnd(Record, frozen=True, kw_only=True, tag="tool_end"):
    """What a tool call gave. ``page`` is the number of the page that stands now.

    ``purchase`` is what was bought: ``asin``, ``title``, ``options`` and ``price``. ``scored`` holds, in an evaluated
    session, all that the purchase's reward depends on.
    """

    call_id: str
    outcome: Outcome
    result: Any
    reward: float | None = None
    done: bool = False
    info: Any = None
    error: Failure | None = None
    duration_ms: float | None = None
    page: int | None = None
    purchase: Any = None
    scored: Any = None


class Confirmation(Record, frozen=True, kw_only=True, tag="confirmation"):
    """A person was asked about a call (``confirmed`` is ``None``), or has answered."""

    durable: ClassVar[bool] = True

    call_id: str
    question: str = ""
    facts: Any = None
    confirmed: bool | None = None


class Artifact(Record, frozen=True, kw_only=True, tag="artifact"):
    """A tool call saved a version of an artifact."""

    call_id: str
    name: str
    version: int


class StateChange(Record, frozen=True, kw_only=True, tag="state"):
    """Session state that changed, without the shop's place in it (pages tell that)."""

    author: str
    delta: dict[str, Any]


class Blob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reference to content beside the log; ``bytes`` is its size before compression."""

    sha256: str
    bytes: int
    content_type: str
    truncated: bool = False


class PageShown(Record, frozen=True, kw_only=True, tag="page"):
    """A page that the shopper came to, and its renderings. ``page`` counts from 0 within the run."""

    page: int
    kind: str
    place: Any = None
    html: Blob | None = None
    a11y: Blob | None = None


class Plan(Record, frozen=True, kw_only=True, tag="plan"):
    """The agent's plan from a step on."""

    step: int
    current_plan: str
    plan_steps: list[str] = []
    update_reason: str | None = None


class Problem(Record, frozen=True, kw_only=True, tag="problem"):
    """Something went wrong outside of model and tool calls, or around them."""

    step: int | None = None
    error: Failure


class RunEnd(Record, frozen=True, kw_only=True, tag="run_end"):
    """The last record. A log without it belongs to a run that is still going on, or that died."""

    durable: ClassVar[bool] = True

    status: EndStatus
    error: Failure | None = None
    duration_ms: float
    dropped_pages: int = 0
    lost_records: int = 0
    redactions: dict[str, int] = {}


RECORD_TYPES: dict[str, type[Record]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        RunStart,
        ShopEntered,
        UserMessage,
        ModelRequest,
        ModelCall,
        Decision,
        ToolCall,
        ToolStart,
        ToolEnd,
        Confirmation,
        Artifact,
        StateChange,
        PageShown,
        Plan,
        Problem,
        RunEnd,
    )
}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A record with its envelope.

    ``time`` is UTC in ISO 8601 with milliseconds, ``offset_ms`` the time since the run's start on a clock that never
    jumps, ``seq`` counts from 0 without a gap within the run.
    """

    v: int
    run_id: str
    seq: int
    time: str
    offset_ms: float
    record: Record
