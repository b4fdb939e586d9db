"""WebShop's goals, played by policies and by the agent."""
