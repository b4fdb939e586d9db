"""One server for all environments of a process that ask for the same shop."""

import weakref
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from personalized_shopping import paths
from personalized_shopping.config import setting
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import DEFAULT_SEED
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger
from personalized_shopping.shared_libraries.web_agent_site.envs.server import BASE_URL, SimServer
from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import WebAgentTextEnv

_SETTINGS = ("CATALOG_PATH", "SEARCH_ENGINE", "NOUN_TAGGER")
_servers: "weakref.WeakValueDictionary[Hashable, SimServer]" = weakref.WeakValueDictionary()


def shared_server(
    file_path: str | Path | None = None,
    filter_goals: Callable[[int, dict[str, Any]], bool] | None = None,
    limit_goals: int = -1,
    num_products: int | None = None,
    human_goals: bool | int | None = None,
    show_attrs: bool = False,
    *,
    seed: int = DEFAULT_SEED,
    nouns: NounTagger | None = None,
) -> SimServer:
    """Return the server of these arguments, which are ``SimServer``'s; it lives as long as somebody holds it.

    A file that changed, or another setting, is another shop. Of two threads that ask at once each may get its own.
    """
    goals = (filter_goals, limit_goals, bool(human_goals))
    key = (_file(file_path), num_products, goals, show_attrs, seed, nouns, paths.data_dir(), *map(setting, _SETTINGS))
    server = _servers.get(key)
    if server is None:
        server = SimServer(
            BASE_URL,
            file_path,
            filter_goals,
            limit_goals,
            num_products,
            human_goals,
            show_attrs,
            seed=seed,
            nouns=nouns,
        )
        _servers[key] = server
    return server


def make_text_env(
    observation_mode: str = "html", file_path: str | Path | None = None, server: SimServer | None = None, **kwargs: Any
) -> WebAgentTextEnv:
    """Make a ``WebAgentTextEnv`` as ``gymnasium.make`` and ``make_vec`` do: those of the same shop share a server.

    The arguments are the environment's. Sixty-four sub-environments of one process open one catalogue.
    """
    if server is None:
        names = ("filter_goals", "limit_goals", "num_products", "human_goals", "show_attrs", "seed", "nouns")
        server = shared_server(file_path, **{name: kwargs[name] for name in names if name in kwargs})
    return WebAgentTextEnv(observation_mode, file_path, server, **kwargs)


def _file(path: str | Path | None) -> Hashable:
    """Return what tells whether the catalogue at a path is still the same; a missing one is the server's to report."""
    if path is None:
        return None
    place = Path(path).absolute()
    file = place / "manifest.json" if place.is_dir() else place
    try:
        stat = file.stat()
    except OSError:
        return str(place)
    return str(place), stat.st_mtime_ns, stat.st_size
