"""What shoppers do, one JSON object a page, in the files and the form that WebShop's site writes."""

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from personalized_shopping.config import SITE_MAX_LOG_BYTES
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import Address
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Receipt, Shopper

LOG_PATH = Path("user_session_logs") / "mturk"
_log = logging.getLogger(__name__)


class UserLog:
    """One file a session, appended to; a purchase is one line, however often its receipt is looked at.

    A line is pure ASCII, so that no product text can end it or reach a terminal. Where the disk refuses, the shop goes
    on without the line and says so in the program's own log.

    Args:
        directory: where ``user_session_logs/mturk`` is made.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory / LOG_PATH
        self.directory.mkdir(parents=True, exist_ok=True)

    def viewed(self, shopper: Shopper, url: str, address: Address, page: Page) -> None:
        """Note that a page was shown."""
        if address.kind == "search":
            self._write(shopper, "index", url)
        elif address.kind == "results":
            asins = [card.asin for card in page.products]
            content = {"keywords": list(address.keywords), "search_result_asins": asins, "page": address.page_number}
            self._write(shopper, "search_results", url, content=content)
        else:
            name = "item_page" if address.kind == "item" else "item_sub_page"
            where = {"keywords": address.written_keywords, "page": str(address.page_number)}
            asin = page.product.asin if page.product else None
            self._write(shopper, name, url, content={**where, "asin": asin, "options": page.options})

    def bought(self, shopper: Shopper, url: str, receipt: Receipt) -> None:
        """Note a purchase and its score."""
        content = {"asin": receipt.asin, "options": receipt.options, "price": receipt.price_usd}
        reward = receipt.reward
        score = {"reward": reward.total if reward else None, "reward_info": reward.info() if reward else None}
        self._write(shopper, "done", url, content=content, **score)

    def _write(self, shopper: Shopper, page: str, url: str, **more: Any) -> None:
        goal = shopper.goal.as_dict() if shopper.goal else None
        line: Mapping[str, Any] = {"page": page, "url": url, "goal": goal, **more}
        # Session ids are letters, digits, - and _ wherever they come from, so this is a file of this directory.
        path = self.directory / f"{shopper.session_id}.jsonl"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            descriptor = os.open(path, flags, 0o600)
            try:
                if os.fstat(descriptor).st_size < SITE_MAX_LOG_BYTES:
                    os.write(descriptor, json.dumps(line, ensure_ascii=True).encode("ascii") + b"\n")
            finally:
                os.close(descriptor)
        except OSError as error:
            _log.warning("a line of the session log could not be written: %s", error.strerror)
