"""The `personalized-shopping` command: one small module per verb, imported when the verb is used."""

from personalized_shopping.cli.main import main

__all__ = ["main"]
