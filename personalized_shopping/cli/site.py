"""`site`: the shop as a website for people."""

import ipaddress
from contextlib import closing
from pathlib import Path

import click

from personalized_shopping import paths
from personalized_shopping.cli.options import catalog_option
from personalized_shopping.cli.output import say
from personalized_shopping.cli.shop_access import open_shop
from personalized_shopping.config import SITE_PORT

KEY_FILE = "site-key"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=SITE_PORT, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 for any.")
@catalog_option
@click.option(
    "--human/--synthetic",
    "human_goals",
    default=None,
    help="Tasks that people wrote, or made-up ones.  [default: people's, where there are any]",
)
@click.option("--attrs", is_flag=True, help="Offer each product's Attributes page.")
@click.option(
    "--log",
    "log_dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write what each session does below DIR/user_session_logs/mturk.",
)
@click.option(
    "--allow-chosen-ids", is_flag=True, help="Let clients name their sessions (/ABC, /fixed_12). For scripts."
)
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="Another name under which it is reached.")
@click.option("--https", "https_only", is_flag=True, help="It is reached through https alone, behind a proxy.")
def site(
    host: str,
    port: int,
    catalog_path: Path | None,
    human_goals: bool | None,
    attrs: bool,
    log_dir: Path | None,
    allow_chosen_ids: bool,
    hosts: tuple[str, ...],
    https_only: bool,
) -> None:
    """Open the shop as a website: search, look, choose and buy, with a task and a score.

    Every browser gets a session of its own. Nothing is for sale and nothing is sent anywhere.

    \b
    Examples:
      personalized-shopping site
      personalized-shopping site --port 3000 --log . --attrs --allow-chosen-ids
    """
    from personalized_shopping.shared_libraries.web_agent_site.app import create_site
    from personalized_shopping.shared_libraries.web_agent_site.site.identity import load_secret
    from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer

    shop = open_shop(catalog_path)
    with closing(shop.catalog):
        application = create_site(
            shop,
            human_goals=human_goals,
            show_attrs=attrs,
            log_dir=log_dir,
            allow_chosen_ids=allow_chosen_ids,
            allowed_hosts=[*hosts, *_own_name(host)],
            secret_key=load_secret(paths.data_dir() / KEY_FILE),
            https_only=https_only,
        )
        with SiteServer(application, host, port) as server:
            say(f"The shop is open at {server.address} (Ctrl-C closes it).")
            if _is_open_to_others(host) and not hosts:
                say("Other machines reach it by the names given with --allow-host only.")
            server.serve_forever()


def _own_name(host: str) -> list[str]:
    """Return the address that is listened on as a name, unless it stands for all of them."""
    return [] if host in {"0.0.0.0", "::"} else [host]


def _is_open_to_others(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
