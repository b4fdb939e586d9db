"""The plugins of the agent's app: what happens around every model and tool call."""

from google.adk.plugins.base_plugin import BasePlugin

from personalized_shopping.plugins.guard import GuardPlugin
from personalized_shopping.plugins.guard_model import configured_guard
from personalized_shopping.plugins.trajectory import ToolStartPlugin, TrajectoryPlugin

__all__ = ["GuardPlugin", "ToolStartPlugin", "TrajectoryPlugin", "shop_plugins"]


def shop_plugins() -> list[BasePlugin]:
    """Return the app's plugins in the order in which ADK asks them.

    The recorder sees everything first, the guard decides, and what then still runs is recorded as started.
    """
    recorder = TrajectoryPlugin()
    return [recorder, GuardPlugin(configured_guard, recorder), ToolStartPlugin(recorder)]
