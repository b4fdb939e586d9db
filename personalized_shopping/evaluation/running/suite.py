"""What can be evaluated: tasks with names, and something that plays one of them."""

from typing import Any, Protocol

from personalized_shopping.shared_libraries.metrics.episode import Ending, Episode


class Player(Protocol):
    """Plays episodes in one process. It is opened once and plays one episode after another."""

    def play(self, key: str) -> Episode:
        """Play the episode of this name and return its record."""
        ...


class Suite(Protocol):
    """Everything that a run plays. It is sent to the worker processes, so it holds settings only."""

    @property
    def keys(self) -> list[str]:
        """The episodes' names, in their order."""
        ...

    def open(self) -> Player:
        """Return a player; called once in each worker process."""
        ...

    def failed(self, key: str, ended: Ending, error: str) -> Episode:
        """Return the record of an episode that came to no end of its own."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return what the manifest says about the suite: settings, catalogue, index, tagger."""
        ...

    def finish(self, episodes: list[Episode]) -> list[Episode]:
        """Return the records with what is added when all are played."""
        ...
