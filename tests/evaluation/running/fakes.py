"""A suite of the tests: its episodes do as their names say. Worker processes import it from here."""

import os
import time
from pathlib import Path
from typing import Any

from msgspec import Struct

from personalized_shopping.shared_libraries.metrics.episode import Bought, Ending, Episode, Status


class FakeSuite(Struct, frozen=True, kw_only=True):
    """Episodes whose names begin with what they do: ``good``, ``slow``, ``dies``, ``raises``, or fail ``once``."""

    names: list[str]
    scratch: Path

    @property
    def keys(self) -> list[str]:
        return [f"{name}#0" for name in self.names]

    def open(self) -> "FakePlayer":
        return FakePlayer(self.scratch)

    def failed(self, key: str, ended: Ending, error: str) -> Episode:
        status: Status = "finished" if ended == "timeout" else "system_error"
        return Episode(task_id=key[:-2], status=status, ended=ended, error=error, failure="system_error")

    def facts(self) -> dict[str, Any]:
        return {"suite": "webshop", "settings": {"seed": 0}, "shop": {}, "tasks": {"names": self.names}}

    def finish(self, episodes: list[Episode]) -> list[Episode]:
        return episodes


class FakePlayer:
    """Plays them."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch

    def play(self, key: str) -> Episode:
        name = key[:-2]
        marker = self._scratch / name
        tries = len(marker.read_text()) if marker.exists() else 0
        marker.write_text("x" * (tries + 1))
        if name.startswith("slow"):
            time.sleep(60)
        if name.startswith("dies"):
            os._exit(3)
        if name.startswith("raises") or (name.startswith("once") and not tries):
            raise RuntimeError("boom")
        score = (len(name) % 10) / 10
        bought = Bought(asin="B1", title=name)
        return Episode(task_id=name, cluster=name, score=score, bought=bought, failure="wrong_item")
