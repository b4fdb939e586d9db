"""`index build`: a search engine's index for a catalogue."""

from pathlib import Path

import click

from personalized_shopping.cli.options import catalog_option, engine_option
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say
from personalized_shopping.cli.shop_access import ensure_catalog, index_directory, open_catalog
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
    from personalized_shopping.shared_libraries.catalog import documents, staged_directory
    from personalized_shopping.shared_libraries.search_engine import build_index

    name = engine or setting("SEARCH_ENGINE")
    catalog = open_catalog(ensure_catalog(catalog_path))
    target = index_directory(catalog.directory, name)
    say(f"Building the {name} index of {len(catalog)} products.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with staged_directory(target) as staged, progress_bar(f"{name} index", len(catalog)) as advance:
        build_index(name, documents(catalog), staged, catalog_id=catalog.manifest.catalog_id, progress=advance)
    catalog.close()
    if as_json:
        emit_json({"engine": name, "products": len(catalog), "directory": str(target)})
    else:
        emit(str(target))
