"""What drives the agent to measure it. Nothing that serves a person imports from here."""
