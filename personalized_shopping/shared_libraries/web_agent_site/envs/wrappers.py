"""The environment behind the calls of the old Gym interface."""

from typing import Any

import gymnasium

from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import WebAgentTextEnv


class OldGymInterface:
    """Reset with two values and step with four, as programs written for WebShop call them.

    Args:
        env: the environment, bare or wrapped.
    """

    def __init__(self, env: gymnasium.Env[str, str]) -> None:
        self.env = env

    def reset(self, session: int | str | None = None, instruction_text: str | None = None) -> tuple[str, None]:
        """Begin an episode; return the observation and ``None``."""
        named = {"session": session, "instruction_text": instruction_text}
        observation, _ = self.env.reset(options={key: value for key, value in named.items() if value is not None})
        return observation, None

    def step(self, action: str) -> tuple[str, float, bool, dict[str, Any]]:
        """Take one action; return observation, reward, whether the episode ended, and what happened."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward), terminated or truncated, info

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)


def make_old_env(*args: Any, **kwargs: Any) -> OldGymInterface:
    """Return a ``WebAgentTextEnv`` with the old interface; the arguments are the environment's."""
    return OldGymInterface(WebAgentTextEnv(*args, **kwargs))
