"""One opened catalogue, many threads and processes."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.catalog.helpers import webshop_record

ASINS = [f"A{number}" for number in range(60)]


@pytest.fixture
def catalog(built, monkeypatch):
    # Caches so small that every thread keeps going to the file.
    monkeypatch.setattr("personalized_shopping.shared_libraries.catalog.store.CARD_CACHE_SIZE", 5)
    monkeypatch.setattr("personalized_shopping.shared_libraries.catalog.store.PRODUCT_CACHE_SIZE", 5)
    with built(*map(webshop_record, ASINS)) as opened:
        yield opened


def read_all(catalog, start: int) -> bool:
    for step in range(120):
        asin = ASINS[(start * 7 + step * 11) % 60]
        some = [ASINS[(start + step + number) % 60] for number in range(10)]
        if catalog.product(asin).asin != asin or [card.asin for card in catalog.cards(some)] != some:
            return False
    return [product.asin for product in catalog.iter_products()] == ASINS


def test_threads_share_it(catalog):
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read_all, [catalog] * 16, range(16)))
    assert len(catalog._cards) <= 5 + 8


def test_a_pass_over_it_may_move_to_another_thread(catalog):
    products = catalog.iter_products()
    first = next(products)
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, products).result()
    assert [first.asin, *(product.asin for product in rest)] == ASINS


def test_connections_end_with_their_threads(catalog):
    for _ in range(3):
        thread = threading.Thread(target=read_all, args=(catalog, 1))
        thread.start()
        thread.join()
    assert sum(each() is not None for each in catalog._connections._all) <= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_reads_on_and_leaves_its_parent_alone(catalog):
    assert read_all(catalog, 0)
    children = []
    for start in range(3):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if read_all(catalog, start) else 1)
        children.append(pid)
    assert read_all(catalog, 5)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0, 0, 0]
    assert read_all(catalog, 6)
