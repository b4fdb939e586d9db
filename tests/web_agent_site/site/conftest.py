"""Websites over the small demo shop."""

from collections.abc import Callable, Iterator
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from personalized_shopping.shared_libraries.catalog.schema import SourceRecord
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


class _Untasked(HostileSource):
    """Products that nobody was ever asked to find; one has a slash in its identifier."""

    def __iter__(self) -> Iterator[SourceRecord]:
        nothing = {"instruction_text": None, "instruction_attributes": None, "human_instructions": ()}
        for record in super().__iter__():
            asin = f"A/{record.position}"
            product = msgspec.structs.replace(record.product, asin=asin, title="plain shirt", **nothing)
            yield msgspec.structs.replace(record, product=product)


@pytest.fixture(scope="session")
def untasked_files(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    """Return a shop without goals."""
    return build_shop(_Untasked(), tmp_path_factory.mktemp("untasked") / "shop")


@pytest.fixture
def hostile_site(hostile_files: ShopFiles) -> flask.Flask:
    """Return a site over the shop of hostile products."""
    return create_site(hostile_files, show_attrs=True, secret_key=SECRET, allow_chosen_ids=True)
