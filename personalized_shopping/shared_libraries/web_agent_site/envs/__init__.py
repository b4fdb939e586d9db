"""WebShop's environments; importing this registers ``WebAgentTextEnv-v0`` with Gymnasium."""

from gymnasium.envs.registration import register, registry

from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import (
    SimBrowser,
    SimServer,
    WebAgentTextEnv,
    tag_visible,
)

__all__ = ["SimBrowser", "SimServer", "WebAgentTextEnv", "register_environments", "tag_visible"]

_ENVIRONMENTS = {"WebAgentTextEnv-v0": f"{__name__}.web_agent_text_env:WebAgentTextEnv"}


def register_environments() -> None:
    """Make the environments known to ``gymnasium.make``; doing it twice is harmless."""
    for name, entry_point in _ENVIRONMENTS.items():
        if name not in registry:
            register(id=name, entry_point=entry_point)


register_environments()
