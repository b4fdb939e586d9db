"""WebShop's environments; importing this registers ``WebAgentTextEnv-v0`` and ``WebAgentSiteEnv-v0`` with Gymnasium."""

from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

from personalized_shopping.shared_libraries.web_agent_site.envs import shared_texts as _shared_texts  # noqa: F401
from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import (
    SimBrowser,
    SimServer,
    WebAgentTextEnv,
    tag_visible,
)

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_site_env import WebAgentSiteEnv

__all__ = ["SimBrowser", "SimServer", "WebAgentSiteEnv", "WebAgentTextEnv", "register_environments", "tag_visible"]

_ENVIRONMENTS = {
    "WebAgentTextEnv-v0": f"{__name__}.shared_server:make_text_env",
    "WebAgentSiteEnv-v0": f"{__name__}.web_agent_site_env:WebAgentSiteEnv",
}


def register_environments() -> None:
    """Make the environments known to ``gymnasium.make``; doing it twice is harmless."""
    for name, entry_point in _ENVIRONMENTS.items():
        if name not in registry:
            register(id=name, entry_point=entry_point)


register_environments()


def __getattr__(name: str) -> Any:
    """Import the environment at the website on first use: it brings the website along, which the others do not need."""
    if name == "WebAgentSiteEnv":
        from personalized_shopping.shared_libraries.web_agent_site.envs import web_agent_site_env

        return web_agent_site_env.WebAgentSiteEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
