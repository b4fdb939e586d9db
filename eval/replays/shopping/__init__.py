"""What `adk test` replays: recorded turns of a model against the real agent, its tools, its plugins and the demo shop.

`adk test` speaks for the model only where the model is ADK's own `Gemini`, so the agent has one here, which is never
reached; `adk test --rebuild` needs a model that answers, which is the offline shopper. The folder lies outside the
package, so that no wheel carries recordings, and has no `agent.py`, because `adk web` would list it as an app.
"""

import os
import sys
from collections.abc import AsyncGenerator

from google.adk.apps import App
from google.adk.models import Gemini
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

# A replay is the same on every machine: the demo catalogue, and nothing recorded beside it.
os.environ["CATALOG_PATH"] = ""
os.environ.setdefault("TRAJECTORY_DIR", "off")
os.environ.setdefault("MODEL_NAME", "offline/shopper")

from personalized_shopping.agent import root_agent as shopping_agent
from personalized_shopping.models.offline import OfflineShopper
from personalized_shopping.plugins import shop_plugins


class Recording(OfflineShopper):
    """The offline shopper without the mark of a finished answer, which replayed turns do not carry."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer as the offline shopper does."""
        async for response in super().generate_content_async(llm_request, stream=False):
            response.partial = None
            yield response


model = Recording(model="offline/shopper") if "--rebuild" in sys.argv else Gemini(model="gemini-recorded")
root_agent = shopping_agent.clone(update={"model": model})
app = App(name="personalized_shopping", root_agent=root_agent, plugins=shop_plugins())
