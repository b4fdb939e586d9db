"""The tools that find and use skills: several steps in the shop in one call, checked before and after."""

import asyncio
from typing import Any

from google.adk.tools.tool_context import ToolContext

from personalized_shopping.errors import SkillNotFound
from personalized_shopping.tools.purchase import buy
from personalized_shopping.tools.visit import visit

DOMAIN = "webshop"


async def list_skills(query: str, tool_context: ToolContext) -> dict[str, Any]:  # noqa: D417 - the model reads this
    """List the skills that fit the current page and what is wanted. Each does several steps in one call.

    Args:
        query: What is wanted, in a few words; empty for whatever fits the page.

    Returns:
        `skills` with `skill_id`, `description`, `args` (a JSON Schema) and `effect`. Use one with `use_skill`.
    """
    from personalized_shopping.tools.skill_work import described, fitting

    async with visit(tool_context) as here:
        found = await asyncio.to_thread(fitting, here, query)
        return {"page": here.page.kind, "skills": [described(skill) for skill in found]}


async def use_skill(skill_id: str, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:  # noqa: D417
    """Use a skill: it takes its steps in the shop and tells what it found, and the page that then stands.

    Good skills to know: `search_products` {query}, `search_and_filter_by_price` {query, max_price, pages},
    `open_result` {asin}, `gather_product_info` {tabs}, `select_options_and_check_price` {options, max_price},
    `compare_items` {asins, tabs}, `back_to_results` {}.

    Args:
        skill_id: The skill, as `list_skills` names it.
        args: The skill's arguments, as an object.

    Returns:
        `ok`, `message` and `evidence` of the skill, the number of `steps` taken, and the page that stands now. With an
        `error` the skill did not succeed; `message` says what failed, and the answer where the page stands.
    """
    from personalized_shopping.shared_libraries.skills.shared import get_library
    from personalized_shopping.tools.skill_work import run_in_shop

    async with visit(tool_context) as here:
        try:
            skill = await asyncio.to_thread(get_library().resolve, skill_id)
        except SkillNotFound as error:
            return await here.answer(error=f"{error} `list_skills` shows those that fit this page.")
        if skill.effect == "purchase":
            if here.page.kind != "item":
                return await here.answer(error="Only a product's page has Buy Now. Open the product first.")
            return await buy(here, tool_context)
        return await run_in_shop(here, tool_context, skill, args)


def buys(skill_id: str) -> bool:
    """Return whether a skill buys something; an unknown one does not."""
    from personalized_shopping.tools.skill_work import effect_of

    return effect_of(skill_id) == "purchase"
