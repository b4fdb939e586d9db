"""A website of one's own: served on a thread, at a free port of this machine, for one shopper."""

import threading

from personalized_shopping.shared_libraries.web_agent_site.app import create_site
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Shopper, Shoppers

_HOST = "127.0.0.1"
_POLL_INTERVAL_S = 0.05
_NOBODY = ""


class OwnSite:
    """A website that is served from now on until ``close``.

    It remembers one shopper only: whoever comes next takes the place.

    Args:
        server: the shop.
    """

    def __init__(self, server: SimServer) -> None:
        self._shoppers = Shoppers(capacity=1, busy_s=0)
        site = create_site(server=server, allow_chosen_ids=True, shoppers=self._shoppers)
        self._server = SiteServer(site, _HOST, 0)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": _POLL_INTERVAL_S}, name="own-site", daemon=True
        )
        self._closed = False
        self._thread.start()

    @property
    def address(self) -> str:
        """The website's address."""
        return self._server.address

    def forget(self) -> None:
        """Forget the shopper, with all that was opened and bought, so that the same id can come again."""
        self._shoppers.enter(_NOBODY, lambda: Shopper(_NOBODY))

    def close(self) -> None:
        """Stop serving and give the port back; twice is harmless."""
        if not self._closed:
            self._closed = True
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
