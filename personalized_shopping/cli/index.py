"""`index build`: a search engine's index for a catalogue."""

from pathlib import Path

import click

from personalized_shopping.cli.options import catalog_option, engine_option
from personalized_shopping.cli.output import emit, emit_json, json_option, stage_bars
from personalized_shopping.cli.shop_access import open_shop
from personalized_shopping.config import setting


@click.group()
def index() -> None:
    """Build a search engine's index for a catalogue.

    `catalog build` and `catalog demo` build an index already: this is for a second engine, or after an upgrade.
    """


@index.command()
@catalog_option
@engine_option
@json_option
def build(catalog_path: Path | None, engine: str | None, as_json: bool) -> None:
    """Build (or build anew) the index of one engine; the old index serves until the new one is complete."""
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import INDEX, add_index

    name = engine or setting("SEARCH_ENGINE")
    shop = open_shop(catalog_path)
    with stage_bars(name) as progress:
        add_index(shop.directory, name, progress)
    directory, products = shop.directory / INDEX / name, len(shop.catalog)
    shop.catalog.close()
    if as_json:
        emit_json({"engine": name, "products": products, "directory": str(directory)})
    else:
        emit(str(directory))
