"""Websites over the small demo shop."""

from collections.abc import Callable
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from personalized_shopping.shared_libraries.web_agent_site.app import create_site, open_server
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, build_shop
from tests.web_agent_site.site.hostile import HostileSource

MakeSite = Callable[..., flask.Flask]
SECRET = "a secret that only these tests know"


@pytest.fixture(scope="session")
def site_server(demo_files: ShopFiles) -> SimServer:
    """Return the demo shop with its goals, and with attribute pages."""
    return open_server(demo_files, show_attrs=True)


@pytest.fixture
def make_site(site_server: SimServer) -> MakeSite:
    """Return a function that makes a site over the demo shop."""

    def make(**options: Any) -> flask.Flask:
        return create_site(**{"server": site_server, "secret_key": SECRET, **options})

    return make


@pytest.fixture
def client(make_site: MakeSite) -> FlaskClient:
    """Return a client of a site whose sessions scripts may name."""
    return make_site(allow_chosen_ids=True).test_client()


@pytest.fixture(scope="session")
def hostile_files(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    """Return the shop of hostile products."""
    return build_shop(HostileSource(), tmp_path_factory.mktemp("hostile") / "shop")


@pytest.fixture
def hostile_site(hostile_files: ShopFiles) -> flask.Flask:
    """Return a site over the shop of hostile products."""
    return create_site(hostile_files, show_attrs=True, secret_key=SECRET, allow_chosen_ids=True)
