"""The agent's tools: thin adapters over the shop."""

from google.adk.agents.llm_agent import ToolUnion

from personalized_shopping.config import choices, setting
from personalized_shopping.errors import SettingError, shorten
from personalized_shopping.tools.click import click
from personalized_shopping.tools.search import search
from personalized_shopping.tools.shop_tool import ShopTool
from personalized_shopping.tools.skills import list_skills, use_skill

SKILLS_MODES = choices("SKILLS_MODE")

__all__ = ["SKILLS_MODES", "ShopTool", "click", "list_skills", "search", "shop_tools", "use_skill"]


def shop_tools() -> list[ToolUnion]:
    """Return the tools with which the agent uses the shop, and its skills as ``SKILLS_MODE`` says.

    Raises:
        SettingError: for another mode than ``tools``, ``toolset`` and ``off``.
    """
    mode = setting("SKILLS_MODE").lower()
    if mode not in SKILLS_MODES:
        raise SettingError(f"SKILLS_MODE is {shorten(mode)}. Use one of: {', '.join(SKILLS_MODES)}.")
    tools: list[ToolUnion] = [ShopTool(search), ShopTool(click)]
    if mode == "tools":
        tools += [ShopTool(list_skills), ShopTool(use_skill)]
    elif mode == "toolset":
        from personalized_shopping.tools.toolset import skill_toolset

        tools += [skill_toolset(), ShopTool(use_skill)]
    return tools
