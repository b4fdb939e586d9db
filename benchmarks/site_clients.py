"""Shoppers without a browser, who read pages, press what they find, and sometimes send nonsense."""

import http.client
import random
import re
import threading
import time
from collections import Counter
from html import unescape
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

WORDS = ("cotton shirt", "lamp", "tea", "shoes", "<c> fashion", "<r>", "no such thing", "日本 tea", "a/b ' \" \\")
NONSENSE = (
    "/nowhere/at/all",
    "/search_results/{session}/['/1",
    "/search_results/{session}/tea/99999999",
    "/item_page/{session}/NOSUCH/tea/1/%7B%7D",
    "/done/{session}/{asin}/{{'no':'such'}}",
    "/item_page/{session}/{asin}/tea/1/{{__import__('os')",
    "/%ff%fe/%00",
)
SESSIONS_EACH = 20
TIMEOUT_S = 30
_LINK = re.compile(r'(?:href|data-url|action)="(/(?:search_results|item_page|item_sub_page)/[^"]*)"')
_ASIN = re.compile(r'"/item_page/[^/"]+/([^/"]+)/')
_BUY = re.compile(r'action="(/done/[^"]*)"><input type="hidden" name="csrf_token" value="([0-9a-f]+)"')


class Answered(NamedTuple):
    """One answer: its HTTP status (0 where none came), how long it took in seconds, and the page."""

    status: int
    seconds: float
    text: str = ""
    location: str = ""


class Shopper(threading.Thread):
    """One shopper, who goes on until told to stop. The same few sessions are used again and again.

    Args:
        address: the website.
        number: tells this shopper's sessions from the others', and seeds what it does.
        pause_s: between two requests.
        stop: ends it.
    """

    def __init__(self, address: str, number: int, pause_s: float, stop: threading.Event) -> None:
        super().__init__(name=f"shopper-{number}", daemon=True)
        self.statuses = Counter[int]()
        self.seconds: list[float] = []
        self.failures: list[str] = []
        """What was asked where the answer was a failure, or none came."""
        self._netloc = urlsplit(address).netloc
        self._number = number
        self._pause_s = pause_s
        self._stop_asked = stop
        self._rng = random.Random(number)

    def run(self) -> None:
        """Visit the shop over and over."""
        while not self._stop_asked.is_set():
            self._visit(f"soak_{self._number}_{self._rng.randrange(SESSIONS_EACH)}")

    def _visit(self, session: str) -> None:
        """Search, look around and perhaps buy."""
        self._ask("GET", f"/{session}")
        page = self._ask("POST", f"/{session}", {"search_query": self._rng.choice(WORDS)})
        for _ in range(self._rng.randint(3, 15)):
            if self._stop_asked.is_set():
                return
            if self._rng.random() < 0.1:
                known = _ASIN.search(page.text)
                asin = known[1] if known is not None else "NOSUCH"
                self._ask("GET", self._rng.choice(NONSENSE).format(session=session, asin=asin))
            buying = _BUY.search(page.text)
            if buying is not None and self._rng.random() < 0.2:
                self._ask("POST", unescape(buying[1]), {"csrf_token": buying[2] if self._rng.random() < 0.8 else "x"})
            links = _LINK.findall(page.text)
            if not links:
                return
            page = self._ask("GET", unescape(self._rng.choice(links)))

    def _ask(self, method: str, path: str, form: dict[str, str] | None = None) -> Answered:
        """Make a request, follow where it leads, and return the page."""
        answer = self._request(method, path, form)
        return self._request("GET", answer.location) if answer.location else answer

    def _request(self, method: str, path: str, form: dict[str, str] | None = None) -> Answered:
        body = urlencode(form, errors="replace") if form is not None else None
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
        connection = http.client.HTTPConnection(self._netloc, timeout=TIMEOUT_S)
        began = time.perf_counter()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
            seconds = time.perf_counter() - began
            answer = Answered(response.status, seconds, text, response.getheader("Location") or "")
        except (OSError, http.client.HTTPException) as error:
            answer = Answered(0, time.perf_counter() - began)
            self.failures.append(f"{method} {path}: {type(error).__name__}: {error}")
        finally:
            connection.close()
        if answer.status >= 500:
            self.failures.append(f"{method} {path}: {answer.status}")
        self.statuses[answer.status] += 1
        self.seconds.append(answer.seconds)
        time.sleep(self._pause_s)
        return answer
