"""What runs the agent for the chat: ADK's runner over the configured storage."""

import logging
from dataclasses import dataclass
from pathlib import Path

from google.adk.apps import App
from google.adk.artifacts import BaseArtifactService, InMemoryArtifactService
from google.adk.cli.utils.service_factory import (
    create_artifact_service_from_options,
    create_session_service_from_options,
)
from google.adk.runners import Runner
from google.adk.sessions import BaseSessionService, InMemorySessionService, Session

from personalized_shopping.chat.security import Who
from personalized_shopping.config import setting
from personalized_shopping.tools.artifacts import DRAWING_NAME, HTML_NAME

logger = logging.getLogger(__name__)

_AGENTS_DIR = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Backend:
    """The runner, and what its storage keeps."""

    runner: Runner
    sessions: BaseSessionService
    artifacts: BaseArtifactService

    async def session(self, who: Who) -> Session | None:
        """Return a conversation, or ``None`` where nothing was said yet."""
        return await self.sessions.get_session(
            app_name=self.runner.app_name, user_id=who.user_id, session_id=who.session_id
        )

    async def session_to_write(self, who: Who) -> Session:
        """Return a conversation, made where there is none."""
        found = await self.session(who)
        return found or await self.sessions.create_session(
            app_name=self.runner.app_name, user_id=who.user_id, session_id=who.session_id
        )

    async def drop_pages(self, who: Who) -> None:
        """Drop the page artifacts that only this process's memory holds: the chat draws pages from their places."""
        if not isinstance(self.artifacts, InMemoryArtifactService):
            return
        for name in (HTML_NAME, DRAWING_NAME):
            await self.artifacts.delete_artifact(
                app_name=self.runner.app_name, user_id=who.user_id, session_id=who.session_id, filename=name
            )

    async def drop(self, who: Who) -> None:
        """Drop a conversation that only this process's memory holds; one that is stored stays."""
        await self.drop_pages(who)
        if isinstance(self.sessions, InMemorySessionService):
            await self.sessions.delete_session(
                app_name=self.runner.app_name, user_id=who.user_id, session_id=who.session_id
            )


def open_backend() -> Backend:
    """Return the agent's runner with the server's storage, or with this process's memory where none is configured.

    Raises:
        ModelError: when the configured model cannot be used.
    """
    from personalized_shopping.agent import app

    return make_backend(app)


def make_backend(app: App) -> Backend:
    """Return the runner of an app; see ``open_backend``."""
    session_uri, artifact_uri = setting("SESSION_SERVICE_URI"), setting("ARTIFACT_SERVICE_URI")
    sessions: BaseSessionService = InMemorySessionService()
    if session_uri:
        sessions = create_session_service_from_options(base_dir=_AGENTS_DIR, session_service_uri=session_uri)
    artifacts: BaseArtifactService = InMemoryArtifactService()
    if artifact_uri:
        artifacts = create_artifact_service_from_options(
            base_dir=_AGENTS_DIR, artifact_service_uri=artifact_uri, strict_uri=True
        )
    runner = Runner(app=app, session_service=sessions, artifact_service=artifacts)
    return Backend(runner, sessions, artifacts)
