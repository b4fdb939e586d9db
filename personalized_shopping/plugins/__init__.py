"""The plugins of the agent's app: what happens around every model and tool call."""

from google.adk.plugins.base_plugin import BasePlugin

from personalized_shopping.plugins.trajectory import ToolStartPlugin, TrajectoryPlugin

__all__ = ["ToolStartPlugin", "TrajectoryPlugin", "shop_plugins"]


def shop_plugins() -> list[BasePlugin]:
    """Return the app's plugins in the order in which ADK asks them: the recorder sees everything first."""
    recorder = TrajectoryPlugin()
    return [recorder, ToolStartPlugin(recorder)]
