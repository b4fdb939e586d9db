"""Shops for the tests of worlds."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.worlds import PageWorld
from personalized_shopping.shared_libraries.web_agent_site.app import create_site, open_server
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles
from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer
from tests.skills.worlds import shops

Open = Callable[..., PageWorld]


@pytest.fixture(scope="session")
def skill_shop_files(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    return shops.demo_files(tmp_path_factory.mktemp("skills"))


@pytest.fixture(scope="session")
def shop(skill_shop_files: ShopFiles) -> Shop:
    return shops.demo_shop(skill_shop_files)


@pytest.fixture(scope="module")
def site(skill_shop_files: ShopFiles) -> Iterator[str]:
    app = create_site(server=open_server(skill_shop_files, show_attrs=True), secret_key="x" * 32, allow_chosen_ids=True)
    server = SiteServer(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.address
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    contexts: list[Any] = []

    def open_page(address: str, **options: Any) -> PageWorld:
        context = browser.new_context(viewport={"width": 1200, "height": 900})
        contexts.append(context)
        page = context.new_page()
        if address.startswith("<"):
            page.set_content(address)
        else:
            page.goto(address)
        return PageWorld(page, **{"timeout_ms": 5_000, **options})

    yield open_page
    for context in contexts:
        context.close()
