"""The purchase guard: policies, deterministic rules, a world model, decisions. Usable without ADK."""
