"""A learned composite does the same on the website, in a real browser."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.compose import compose
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.runner import run_skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.worlds import PageWorld, ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.app import create_site, open_server
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, build_shop
from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer
from tests.agent.helpers import DENIM, products
from tests.skills.compose.sessions import NOW, Recorder

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    return build_shop(products(), tmp_path_factory.mktemp("site") / "shop")


@pytest.fixture(scope="module")
def site(files: ShopFiles) -> Iterator[str]:
    app = create_site(server=open_server(files), secret_key="x" * 32, allow_chosen_ids=True)
    server = SiteServer(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.address
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def page(browser: Any) -> Any:
    return browser.new_page()


def test_a_learned_composite_runs_on_the_website(
    files: ShopFiles, site: str, page: Any, tmp_path: Path, runtime: ProgramRuntime
) -> None:
    shop = Shop(files.catalog, files.engine())
    record = Recorder(tmp_path / "t", shop)
    tour = ["click[Next >]", "click[< Prev]", f"click[{DENIM}]", "click[Reviews]", "click[< Prev]"]
    chosen = (("denim", "small", "dark blue"), ("women", "medium", "light blue"), ("denim jacket", "7.5", "dark blue"))
    sessions = [record(f"search[{query}]", *tour, f"click[{size}]", f"click[{color}]") for query, size, color in chosen]
    [skill] = compose(sessions, shop, SkillLibrary(tmp_path / "skills"), runtime, now=NOW).admitted
    args = {"query": "jacket for women", "size": "medium", "color": "dark blue"}
    here = ShopWorld(shop, shop.start())
    expected = run_skill(skill, here, args, runtime=runtime)
    page.goto(f"{site}/fixed_0")
    there = PageWorld(page, timeout_ms=5_000)
    found = run_skill(skill, there, args, runtime=runtime)
    assert expected.ok and found.ok, found
    assert found.evidence["done"] == expected.evidence["done"] and len(found.evidence["done"]) == 8
    assert there.signals().page_kind == "item" and there.count("input:checked") == 2
    assert here.session.options == {"size": "medium", "color": "dark blue"}
    read = found.evidence["content"]
    assert read["4. open"][:2] == expected.evidence["content"]["4. open"][:2]
    assert "My size exactly." in read["5. press Reviews"][0]
    wrong = run_skill(skill, there, {**args, "size": "vast"}, runtime=runtime)
    assert (wrong.outcome, wrong.evidence["stopped_at"]) == ("bad_args", "7. choose size")
