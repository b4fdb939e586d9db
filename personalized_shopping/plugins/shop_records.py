"""What happens in the shop, as the records of a log."""

import asyncio
from functools import partial
from typing import Any

import msgspec
from google.adk.tools.tool_context import ToolContext

from personalized_shopping.session import GOAL_KIND_KEY, SKILL_STEPS_KEY, load_session
from personalized_shopping.shared_libraries.trajectory import Confirmation, Decision, RenderedPage, Run, ShopEntered
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_a11y
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.tools.artifacts import page_html
from personalized_shopping.tools.goal import charged_price, find_goal, tagger_name
from personalized_shopping.tools.purchase import asked_facts, confirmation_needed, purchase_facts
from personalized_shopping.tools.visit import place_of


async def enter_shop(run: Run, context: ToolContext) -> None:
    """Record which shop a run uses, and where in it the conversation stands before the run's first tool call."""
    entered, session = await asyncio.to_thread(_entered, context)
    run.evaluated = entered.goal is not None
    run.write(entered)
    run.show(entered.place, lambda: _render(session))


def show_place(run: Run, context: ToolContext) -> int | None:
    """Record the page that stands after a tool call, and return its number."""
    session = load_session(context.state)
    return run.page if session is None else run.show(session.to_json(), lambda: _render(session))


def show_skill_steps(run: Run, context: ToolContext) -> list[dict[str, Any]]:
    """Record the pages that a skill came by, and return its steps with the numbers of these pages."""
    shown = []
    for step in context.actions.state_delta.get(SKILL_STEPS_KEY) or []:
        session = ShopSession.from_json(step["place"])
        page = run.show(step["place"], partial(_render, session))
        shown.append({"action": step["action"], "page": page})
    return shown


def confirmation_asked(context: ToolContext) -> Confirmation | None:
    """Return the question that this call has just put to the person, if it has."""
    call_id = context.function_call_id or ""
    asked = (context.actions.requested_tool_confirmations or {}).get(call_id)
    if asked is None:
        return None
    return Confirmation(call_id=call_id, question=asked.hint or "", facts=asked.payload)


def own_decision(context: ToolContext, *, guarded: bool) -> list[Decision | Confirmation]:
    """Return what the shop itself decides about a purchase: the person is asked, and their answer counts.

    Args:
        context: the call's.
        guarded: whether the guard has decided about it already; then only the person's answer is left to record.
    """
    call_id = context.function_call_id or ""
    confirmation = context.tool_confirmation
    if guarded and confirmation is None:
        return []
    if not confirmation_needed(context):
        return [Decision(call_id=call_id, decision="allow", source="setting")]
    if confirmation is None:
        return [Decision(call_id=call_id, decision="confirm", source="shop")]
    facts = asked_facts(context)
    answer = Confirmation(call_id=call_id, facts=facts, confirmed=confirmation.confirmed)
    decision = Decision(
        call_id=call_id, decision="allow" if confirmation.confirmed else "block", source="person", facts=facts
    )
    return [answer, decision]


async def purchase(context: ToolContext, result: Any) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return what a tool call bought, and in an evaluated session all that its reward depends on."""
    session = load_session(context.state)
    if not isinstance(result, dict) or not result.get("purchased") or session is None or session.asin is None:
        return None, None
    return await asyncio.to_thread(_purchase, context, session)


def _purchase(context: ToolContext, session: ShopSession) -> tuple[dict[str, Any], dict[str, Any] | None]:
    page = _page(session)
    bought = purchase_facts(page)
    if session.goal_index is None or page.product is None:
        return bought, None
    scored = {
        "product": msgspec.to_builtins(page.product),
        "options": session.options,
        "price_usd": charged_price(context, page.product.asin),
        "goal": find_goal(context, session.goal_index).as_dict(),
        "noun_tagger": tagger_name(),
    }
    return bought, scored


def _entered(context: ToolContext) -> tuple[ShopEntered, ShopSession]:
    from personalized_shopping.shared_libraries.init_env import get_shop

    shop = get_shop()
    session, _ = place_of(shop, context)
    goal = find_goal(context, session.goal_index).as_dict() if session.goal_index is not None else None
    described = {
        "catalog_id": shop.catalog.manifest.catalog_id,
        "products": len(shop.catalog),
        "search_engine": type(shop.engine).__name__,
    }
    kind = str(context.state.get(GOAL_KIND_KEY) or "synthetic") if goal is not None else None
    return ShopEntered(shop=described, place=session.to_json(), goal=goal, goal_kind=kind), session


def _page(session: ShopSession) -> Page:
    from personalized_shopping.shared_libraries.init_env import get_shop

    return get_shop().page(session)


def _render(session: ShopSession) -> RenderedPage:
    page = _page(session)
    return RenderedPage(kind=page.kind, html=page_html(page), a11y=render_a11y(page))
