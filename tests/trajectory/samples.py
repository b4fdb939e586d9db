"""Recorded sessions to test with, written as the recorder writes them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from personalized_shopping.shared_libraries.trajectory import (
    Artifact,
    Confirmation,
    Decision,
    Failure,
    ModelCall,
    ModelRequest,
    Plan,
    Problem,
    Record,
    RenderedPage,
    Run,
    RunStart,
    ShopEntered,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
)
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor
from personalized_shopping.shared_libraries.trajectory.writer import records_writer

SYSTEM = "You help people to shop. Ask before you buy."
TOOLS = [
    {
        "name": "search",
        "description": "Search the shop.",
        "parameters_json_schema": {
            "type": "object",
            "properties": {"keywords": {"type": "string"}},
            "required": ["keywords"],
        },
    },
    {
        "name": "click",
        "description": "Press a button.",
        "parameters": {
            "type": "OBJECT",
            "properties": {"button_name": {"type": "STRING", "nullable": True, "min_length": 1}},
            "required": ["button_name"],
        },
    },
]
FACTS = {"asin": "B0SHIRT001", "title": "Red Cotton Shirt", "options": {"size": "medium"}, "price": "$21.49"}
NASTY = "<script>alert(1)</script> & \x00\x07\x1b[31m \u2028\u202e]]> \ud800 \udfff \U0001f600 \"'\\ {{x}} \r\n-->"
"""Markup, control characters, halves of surrogate pairs, and whatever else breaks a careless writer."""


def write_run(
    root: Path, session: str, records: Iterable[Record | str], *, status: Any = "completed", **start: Any
) -> Path:
    """Write one run, and return the session's directory. A text among the records is a page that stands from there."""
    fields: dict[str, Any] = {
        "app": "personalized_shopping",
        "user": "someone",
        "agent": "personalized_shopping_agent",
        "model": "test/model",
        "versions": {"package": "0.1.0"},
        "settings": {"max_steps": 50},
    }
    run = Run(root, RunStart(session=session, **{**fields, **start}), redactor=Redactor())
    for record in records:
        if isinstance(record, str):
            page = RenderedPage(record, f"<p>{record}</p>", f"page: {record}")
            run.show({"kind": record}, lambda page=page: page)  # type: ignore[misc]
        else:
            run.write(record)
    if status is not None:
        run.end(status)
    records_writer.drain()
    return run.directory


def usage(prompt: int | None, completion: int | None, **more: int) -> Usage:
    total = (prompt or 0) + (completion or 0) + more.get("thoughts_tokens", 0)
    return Usage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=total, **more)


def turn(step: int, spent: Usage | None, *, text: str = "", thought: str = "", calls: Any = ()) -> list[Record]:
    """Return what a model's turn leaves."""
    call = ModelCall(
        step=step,
        model="test/model",
        text=text,
        thought=thought,
        calls=list(calls),
        finish_reason="STOP",
        usage=spent,
        latency_ms=12.5,
    )
    return [ModelRequest(step=step, system=SYSTEM, tools=TOOLS), call]


def search_call(step: int, call_id: str, words: str) -> ToolCall:
    return ToolCall(step=step, call_id=call_id, tool="search", arguments={"keywords": words}, action=f"search[{words}]")


def click_call(step: int, call_id: str, button: str) -> ToolCall:
    return ToolCall(
        step=step,
        call_id=call_id,
        tool="click",
        arguments={"button_name": button},
        action=f"click[{button}]",
        irreversible=button == "Buy Now",
    )


def enter(goal: Any = None) -> ShopEntered:
    return ShopEntered(
        shop={"catalog_id": "c0ffee", "products": 3}, place={}, goal=goal, goal_kind="human" if goal else None
    )


def done(call_id: str, text: str, page: int, reward: float | None = None, **more: Any) -> list[Record]:
    """Return what a tool leaves that did what it was asked to do."""
    return [
        ToolStart(call_id=call_id),
        Artifact(call_id=call_id, name="page.html", version=page),
        ToolEnd(
            call_id=call_id,
            outcome="done",
            result={"observation": text, "page": "results"},
            reward=reward,
            info={"page": "results"},
            duration_ms=4.25,
            page=page,
            **more,
        ),
    ]


GOAL = {"instruction_text": "Find me a red cotton shirt, size medium, under $30.", "asin": "B0SHIRT001"}


def purchase(root: Path) -> Path:
    """Write a session that buys in its second run, once the person has said yes. It is scored."""
    first = [
        UserMessage(text="I want a red cotton shirt, size medium, under $30.", attachments=["image/png"]),
        *turn(0, usage(100, 10, cached_tokens=40), text="I shall look.", thought="Search first."),
        search_call(0, "c1", "red cotton shirt"),
        enter(GOAL),
        "search",
        "results",
        *done("c1", "Page 1 [SEP] B0SHIRT001 [SEP] Red Cotton Shirt", 1, reward=0.0),
        *turn(1, usage(150, 5)),
        click_call(1, "c2", "Buy Now"),
        Decision(call_id="c2", decision="confirm", source="shop"),
        ToolStart(call_id="c2"),
        Confirmation(call_id="c2", question="Buy it for $21.49?", facts=FACTS),
        ToolEnd(
            call_id="c2",
            outcome="pending",
            result={"status": "pending", "question": "Buy it for $21.49?"},
            duration_ms=2.0,
            page=1,
        ),
    ]
    write_run(root, "purchase", first, status="paused", task={"task_id": "webshop-42"})
    second = [
        click_call(0, "c2", "Buy Now"),
        enter(GOAL),
        "item",
        Confirmation(call_id="c2", facts=FACTS, confirmed=True),
        Decision(call_id="c2", decision="allow", source="person", facts=FACTS),
        "done",
        *done("c2", "Thank you for shopping!", 1, reward=1.0, done=True, purchase=FACTS, scored={"price_usd": 21.49}),
        *turn(0, usage(200, 20, thoughts_tokens=7), text="It is bought."),
    ]
    return write_run(root, "purchase", second, task={"task_id": "webshop-42"})


def guarded(root: Path) -> Path:
    """Write a session in which the guard blocks, the model and a tool fail, and two calls stand side by side."""
    prediction = {
        "semantic_delta": "An order is placed.",
        "element_changes": {"new_elements": ["Thank you"], "removed_elements": ["Buy Now"]},
        "long_term_impact": "irreversible",
    }
    first_look = Decision(
        call_id="g3",
        decision="allow_logged",
        source="llm",
        status="timeout",
        usage={"world_model": Usage(prompt_tokens=1000)},
    )
    block = Decision(
        call_id="g3",
        decision="block",
        source="rule+llm",
        attempt=2,
        risk_score=0.9,
        threshold=0.7,
        violated_policy_ids=["SHOP-BUDGET"],
        risk_explanation="34.99 > 30.00",
        guidance="Ask, or pick a cheaper one.",
        facts=FACTS,
        world_model=prediction,
        model="guard/model",
        usage={"world_model": usage(1400, 160), "reactive": usage(30, 3)},
        duration_ms=800.0,
        extra={"mode": "enforce"},
    )
    failed = Failure(type="ServerError", message="503 overloaded")
    return write_run(
        root,
        "guarded",
        [
            UserMessage(text="Buy the cheapest shirt."),
            ModelRequest(step=0, system=SYSTEM, tools=TOOLS),
            ModelCall(step=0, model="test/model", usage=usage(70, 0), latency_ms=9.0, error=failed),
            *turn(0, usage(100, 20), text="Two at once.", thought="Compare."),
            Plan(step=0, current_plan="1. search 2. buy", plan_steps=["search", "buy"], update_reason="a new task"),
            search_call(0, "g1", "shirt"),
            search_call(0, "g2", "cheap shirt"),
            enter(),
            "search",
            "results",
            *done("g1", "Page 1 [SEP] B0SHIRT001", 1),
            ToolStart(call_id="g2"),
            ToolEnd(
                call_id="g2",
                outcome="failed",
                result=None,
                error=Failure(type="OSError", message="no index"),
            ),
            *turn(1, usage(200, 8)),
            click_call(1, "g3", "Buy Now"),
            first_look,
            block,
            ToolEnd(
                call_id="g3",
                outcome="blocked",
                result={"status": "blocked_by_policy", "guidance": "Ask, or pick a cheaper one."},
                page=1,
            ),
            Problem(step=1, error=Failure(type="RuntimeError", message="the guard's cache is full")),
            *turn(2, None, text="I may not buy that."),
        ],
    )


def nasty(root: Path) -> Path:
    """Write a session whose every text is hostile; its fields are long enough to lie beside the log, too."""
    call = ToolCall(step=0, call_id=f"n-{NASTY}", tool="search", arguments={NASTY: [NASTY]}, action=f"search[{NASTY}]")
    blocked = Decision(
        call_id=call.call_id,
        decision="allow",
        source=NASTY,
        risk_explanation=NASTY,
        violated_policy_ids=[NASTY],
        usage={"world_model": usage(5, 5)},
        world_model={NASTY: NASTY},
    )
    return write_run(
        root,
        f"nasty {NASTY} ../..",
        [
            UserMessage(text=NASTY),
            *turn(0, usage(11, 3), text=NASTY * 200, thought=NASTY),
            call,
            blocked,
            enter({"instruction_text": NASTY, "asin": NASTY}),
            NASTY,
            *done(call.call_id, NASTY * 200, 0, reward=0.25),
            Problem(step=0, error=Failure(type=NASTY, message=NASTY)),
        ],
        agent=NASTY,
        model=NASTY,
        versions={"package": NASTY},
        task={"task_id": NASTY, "injection": {"type": NASTY}},
    )


def died(root: Path) -> Path:
    """Write a session that died inside of a tool, before the next call's tool began."""
    return write_run(
        root,
        "died",
        [
            UserMessage(text="a lamp"),
            *turn(0, usage(10, 2)),
            search_call(0, "d1", "lamp"),
            search_call(0, "d2", "desk lamp"),
            enter(),
            ToolStart(call_id="d1"),
        ],
        status=None,
    )


def played(root: Path) -> Path:
    """Write an episode of the environment: actions without any model, and a person who says nothing."""
    return write_run(
        root,
        "played",
        [
            enter(GOAL),
            "search",
            search_call(0, "p1", "shirt"),
            "results",
            *done("p1", "Page 1", 1, reward=0.0),
            click_call(1, "p2", "Buy Now"),
            "done",
            *done("p2", "Thank you", 2, reward=0.5, done=True, purchase=FACTS),
        ],
        source="gymnasium",
        agent="",
        model=None,
        versions={},
    )


def silent(root: Path) -> Path:
    """Write a session of which only the beginning was recorded."""
    return write_run(root, "silent", [], status="error")


SAMPLES: dict[str, Callable[[Path], Path]] = {
    sample.__name__: sample for sample in (purchase, guarded, nasty, died, played, silent)
}
