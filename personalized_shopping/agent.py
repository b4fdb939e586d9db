"""The agent: what ``adk run`` and ``adk web`` load."""

from google.adk.agents import Agent
from google.adk.apps import App

from personalized_shopping.models import choose_model, clean_model_output
from personalized_shopping.plugins import shop_plugins
from personalized_shopping.prompts import load_prompt
from personalized_shopping.tools import shop_tools

root_agent = Agent(
    name="personalized_shopping_agent",
    description="Finds products in a shop, reads about them, compares them and buys what the person agrees to.",
    model=choose_model(),
    static_instruction=load_prompt("shopping"),
    tools=shop_tools(),
    after_model_callback=clean_model_output,
)

app = App(name="personalized_shopping", root_agent=root_agent, plugins=shop_plugins())
