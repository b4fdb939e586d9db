"""The site's memory: bounded, and full only when everybody is busy."""

import threading

import pytest

from personalized_shopping.config import SITE_MAX_VISITED
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Receipt, Shopper, Shoppers, SiteFull
from tests.web_agent_site.site.browser import own_session
from tests.web_agent_site.site.conftest import MakeSite


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def enter(shoppers: Shoppers, session_id: str) -> Shopper:
    return shoppers.enter(session_id, lambda: Shopper(session_id))


def test_who_was_away_longest_is_forgotten() -> None:
    clock = Clock()
    shoppers = Shoppers(capacity=2, busy_s=60, clock=clock)
    enter(shoppers, "a")
    clock.now += 30
    enter(shoppers, "b")
    with pytest.raises(SiteFull) as caught:
        enter(shoppers, "c")
    assert caught.value.retry_after_s == 31
    enter(shoppers, "a")
    clock.now += 60
    enter(shoppers, "c")
    assert "b" not in shoppers and "a" in shoppers and len(shoppers) == 2


def test_a_shopper_who_cannot_be_made_takes_no_room() -> None:
    shoppers = Shoppers(capacity=1)
    with pytest.raises(ZeroDivisionError):
        shoppers.enter("a", lambda: Shopper(str(1 / 0)))
    assert len(shoppers) == 0


def test_changes_of_many_threads_are_all_kept() -> None:
    shoppers = Shoppers(capacity=3)
    start = enter(shoppers, "a")

    def open_some(first: int) -> None:
        for number in range(first, first + 20):
            shoppers.update(start, lambda latest, number=number: latest.opened(str(number)))
            enter(shoppers, "a")

    threads = [threading.Thread(target=open_some, args=(20 * n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, enter(shoppers, "a").visited)) == list(range(100))


def test_what_is_kept_of_a_shopper_is_bounded() -> None:
    shopper = Shopper("a")
    for number in range(2 * SITE_MAX_VISITED):
        shopper = shopper.opened(str(number)).opened("same")
    assert len(shopper.visited) == SITE_MAX_VISITED and shopper.visited[-1] == "same"
    receipt = Receipt("B1", {"color": "red"}, 3.0, None)
    assert len(shopper.bought(receipt).bought(receipt).receipts) == 1
    assert shopper.bought(receipt).receipt("B1", {}) is None


def test_a_full_site_says_when_to_come_back(make_site: MakeSite) -> None:
    clock = Clock()
    site = make_site(allow_chosen_ids=True, shoppers=Shoppers(capacity=2, busy_s=60, clock=clock))
    client = site.test_client()
    assert client.get("/a").status_code == client.get("/b").status_code == 200
    answer = client.get("/c")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "61")
    assert client.get("/a").status_code == 200
    clock.now += 61
    assert client.get("/c").status_code == 200


def test_strangers_without_cookies_take_no_room(make_site: MakeSite) -> None:
    shoppers = Shoppers(capacity=2)
    site = make_site(shoppers=shoppers)
    for _ in range(5):
        site.test_client().get("/")
    assert len(shoppers) == 0
    own_session(site.test_client())
    assert len(shoppers) == 1
