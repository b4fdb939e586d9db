"""The same log for environments that are played directly: a Gymnasium wrapper."""

import secrets
import weakref
from pathlib import Path
from typing import Any

import gymnasium
import msgspec

from personalized_shopping import paths
from personalized_shopping.shared_libraries.catalog.manifest import package_version
from personalized_shopping.shared_libraries.trajectory.finish import finish_session
from personalized_shopping.shared_libraries.trajectory.recorder import RenderedPage, Run
from personalized_shopping.shared_libraries.trajectory.records import (
    Failure,
    RunStart,
    ShopEntered,
    ToolCall,
    ToolEnd,
    ToolStart,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Click, Search, read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_a11y, render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks
from personalized_shopping.shared_libraries.web_agent_site.envs import WebAgentTextEnv

APP = "webshop"


class RecordTrajectory(gymnasium.Wrapper[str, str, str, str]):
    """Record every episode of a ``WebAgentTextEnv`` as a session of one run; each step is one step of the trajectory.

    An episode that is reset, or whose environment is closed, before the purchase ends as ``cancelled``.

    Args:
        env: the environment, bare or wrapped.
        root: the trajectory directory; the configured one when it is not given. Where recording is switched off by
            ``TRAJECTORY_DIR=off`` nothing is written.
        policy: the name of what plays, written down as the model.
        user: whose episodes they are.
        session_id: names the session, where only one episode is played; otherwise each episode gets an id of its own.
    """

    def __init__(
        self,
        env: gymnasium.Env[str, str],
        root: Path | None = None,
        *,
        policy: str = "",
        user: str = "researcher",
        session_id: str | None = None,
    ) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, WebAgentTextEnv):
            raise TypeError(f"RecordTrajectory records a WebAgentTextEnv, not a {type(env.unwrapped).__name__}.")
        self._shop_env: WebAgentTextEnv = env.unwrapped
        self._root = root or paths.trajectory_dir()
        self._policy, self._user, self._session_id = policy, user, session_id
        self._run: Run | None = None
        self._steps = 0
        self._finalizer: weakref.finalize[Any, Any] | None = None

    @property
    def run(self) -> Run | None:
        """The recording of the current episode, if there is one."""
        return self._run

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode and its log; see ``WebAgentTextEnv.reset``."""
        self._stop("cancelled")
        observation, info = super().reset(seed=seed, options=options)
        if self._root is not None:
            self._run = self._start(self._root, seed)
        return observation, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action and record it; see ``WebAgentTextEnv.step``."""
        run = self._run
        if run is None:
            observation, reward, terminated, truncated, info = super().step(action)
            return observation, float(reward), terminated, truncated, info
        call_id, started = f"step-{self._steps}", run.offset_ms()
        tool, arguments = _call(action)
        text = str(action)
        run.write(ToolCall(step=self._steps, call_id=call_id, tool=tool, arguments=arguments, action=text))
        run.write(ToolStart(call_id=call_id))
        self._steps += 1
        try:
            observation, reward, terminated, truncated, info = super().step(action)
        except Exception as error:
            failed = Failure(type=type(error).__name__, message=str(error))
            run.write(ToolEnd(call_id=call_id, outcome="failed", result=None, error=failed)).result()
            raise
        problem = info.get("error")
        end = ToolEnd(
            call_id=call_id,
            outcome="failed" if problem else "done",
            result={"observation": observation},
            reward=float(reward),
            done=terminated,
            info={key: value for key, value in info.items() if key != "available_actions"},
            error=Failure(type="ActionError", message=str(problem)) if problem else None,
            duration_ms=round(run.offset_ms() - started, 3),
            page=self._show(run),
            purchase=self._bought() if terminated else None,
            scored=self._scored() if terminated else None,
        )
        run.write(end).result()
        if terminated or truncated:
            self._stop("completed" if terminated else "max_steps")
        return observation, float(reward), terminated, truncated, info

    def close(self) -> None:
        """Close the environment and the log."""
        self._stop("cancelled")
        super().close()

    def _start(self, root: Path, seed: int | None) -> Run:
        env = self._shop_env
        self._steps = 0
        # Goals are played again and again, and each episode is a session of its own.
        episode = self._session_id or f"{env.session}-{secrets.token_hex(6)}"
        start = RunStart(
            app=APP,
            user=self._user,
            session=episode,
            source="gymnasium",
            agent=self._policy,
            model=self._policy or None,
            versions={"package": package_version(), "gymnasium": gymnasium.__version__},
            settings={"observation_mode": env.observation_mode, "seed": seed},
        )
        run = Run(root, start, run_id=episode, when_over=finish_session)
        goal = env.browser.visit.goal
        kind = None if goal is None else ("synthetic" if isinstance(goal.goal_options, dict) else "human")
        shop = {
            "catalog_id": env.server.catalog.manifest.catalog_id,
            "products": len(env.server.catalog),
            "search_engine": type(env.server.search_engine).__name__,
            "show_attributes": env.server.show_attrs,
        }
        place = env.browser.visit.session.to_json()
        run.write(ShopEntered(shop=shop, place=place, goal=goal.as_dict() if goal else None, goal_kind=kind))
        self._finalizer = weakref.finalize(self, run.end, "cancelled")
        self._show(run)
        return run

    def _show(self, run: Run) -> int:
        page, session_id = self._shop_env.browser.page, self._shop_env.session or ""
        return run.show(self._shop_env.browser.visit.session.to_json(), lambda: _render(page, session_id))

    def _bought(self) -> dict[str, Any]:
        session, product = self._shop_env.browser.visit.session, self._shop_env.browser.page.product
        title, price = (product.title, product.price) if product is not None else (None, None)
        return {"asin": session.asin, "title": title, "options": dict(session.options), "price": price}

    def _scored(self) -> dict[str, Any] | None:
        visit, page = self._shop_env.browser.visit, self._shop_env.browser.page
        if visit.goal is None or page.product is None:
            return None
        return {
            "product": msgspec.to_builtins(page.product),
            "options": visit.session.options,
            "price_usd": self._shop_env.server.product_prices[page.product.asin],
            "goal": visit.goal.as_dict(),
            "noun_tagger": self._shop_env.server.tagger_name,
        }

    def _stop(self, status: Any) -> None:
        run, self._run = self._run, None
        if self._finalizer is not None:
            self._finalizer.detach()
        if run is not None:
            run.end(status).result()


def _call(action: Any) -> tuple[str, dict[str, Any]]:
    """Return an action string as a tool call; what is neither a search nor a click is kept whole."""
    parsed, _ = read_action(action)
    if isinstance(parsed, Search):
        return "search", {"keywords": parsed.keywords}
    if isinstance(parsed, Click):
        return "click", {"button_name": parsed.button}
    return "action", {"text": action}


def _render(page: Page, session_id: str) -> RenderedPage:
    return RenderedPage(kind=page.kind, html=render_html(page, QueryStringLinks(session_id)), a11y=render_a11y(page))
