"""The website: WebShop's routes over one shop, as a Flask application."""

import secrets
from collections.abc import Iterable
from pathlib import Path

import flask

from personalized_shopping.config import SITE_MAX_BODY_BYTES
from personalized_shopping.errors import GoalError
from personalized_shopping.shared_libraries.web_agent_site.engine.query import QueryRunner
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, open_shop_for
from personalized_shopping.shared_libraries.web_agent_site.site.errors import add_error_pages
from personalized_shopping.shared_libraries.web_agent_site.site.identity import COOKIE, OwnCookie
from personalized_shopping.shared_libraries.web_agent_site.site.security import add_headers, check_host
from personalized_shopping.shared_libraries.web_agent_site.site.shelves import Shelves
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Shoppers
from personalized_shopping.shared_libraries.web_agent_site.site.user_log import UserLog
from personalized_shopping.shared_libraries.web_agent_site.site.views import Views

_STATIC_AGE_S = 3_600


def create_site(
    files: ShopFiles | None = None,
    *,
    server: SimServer | None = None,
    human_goals: bool | None = None,
    show_attrs: bool = False,
    log_dir: Path | None = None,
    allow_chosen_ids: bool = False,
    allowed_hosts: Iterable[str] = (),
    secret_key: str | None = None,
    https_only: bool = False,
    shoppers: Shoppers | None = None,
) -> flask.Flask:
    """Return the website as a WSGI application.

    Args:
        files: the opened shop; ``None`` for the configured one.
        server: a shop with its goals, instead of ``files``, ``human_goals`` and ``show_attrs``.
        human_goals: whether sessions get the requests that people wrote; ``None`` for these where there are any.
        show_attrs: whether product pages offer the ``Attributes`` page.
        log_dir: where ``user_session_logs/mturk`` is written; ``None`` for no log.
        allow_chosen_ids: whether clients may name their sessions, as scripts for WebShop do (``/ABC``, ``/fixed_12``).
        allowed_hosts: names under which the site is reached, besides those of this machine.
        secret_key: signs the cookies; ``None`` makes one, and every restart begins new sessions.
        https_only: whether the site is reached through https alone, for example behind a proxy.
        shoppers: where the shoppers' state is kept.
    """
    server = server or open_server(files, human_goals=human_goals, show_attrs=show_attrs)
    secret = secret_key or secrets.token_hex(32)
    site = flask.Flask(__name__, static_folder="static", static_url_path="/static", template_folder=None)
    site.session_interface = OwnCookie()
    site.config.update(
        SECRET_KEY=secret,
        SESSION_COOKIE_NAME=f"__Host-{COOKIE}" if https_only else COOKIE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=https_only,
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=SITE_MAX_BODY_BYTES,
        MAX_FORM_MEMORY_SIZE=SITE_MAX_BODY_BYTES,
        MAX_FORM_PARTS=20,
        SEND_FILE_MAX_AGE_DEFAULT=_STATIC_AGE_S,
    )
    Views(
        server=server,
        queries=QueryRunner(server.catalog, server.search_engine),
        shelves=Shelves(server.catalog),
        shoppers=Shoppers() if shoppers is None else shoppers,
        secret=secret,
        allow_chosen_ids=allow_chosen_ids,
        log=UserLog(log_dir) if log_dir is not None else None,
    ).add_to(site)
    add_error_pages(site)
    allowed = frozenset(host.lower() for host in allowed_hosts)
    site.before_request(lambda: check_host(allowed))
    site.after_request(add_headers)
    return site


def open_server(
    files: ShopFiles | None = None, *, human_goals: bool | None = None, show_attrs: bool = False
) -> SimServer:
    """Return the shop with the goals that its visitors are given.

    Args:
        files: the opened shop; ``None`` for the configured one.
        human_goals: whether they are the requests that people wrote; ``None`` for these where there are any.
        show_attrs: whether product pages offer the ``Attributes`` page.

    Raises:
        GoalError: where people's requests are asked for and there are none.
    """
    files = files or open_shop_for()
    there_are_some = len(files.goals("human")) > 0
    if human_goals and not there_are_some:
        raise GoalError("Nobody wrote tasks for this catalogue. Take the made-up ones (--synthetic), or another one.")
    human_goals = there_are_some if human_goals is None else human_goals
    return SimServer(files=files, human_goals=human_goals, show_attrs=show_attrs)
