"""The agent's tools: thin adapters over the shop."""

from google.adk.agents.llm_agent import ToolUnion

from personalized_shopping.tools.click import click
from personalized_shopping.tools.search import search
from personalized_shopping.tools.shop_tool import ShopTool

__all__ = ["ShopTool", "click", "search", "shop_tools"]


def shop_tools() -> list[ToolUnion]:
    """Return the tools with which the agent uses the shop."""
    return [ShopTool(search), ShopTool(click)]
