"""`search`: what the agent's search finds."""

from contextlib import closing
from pathlib import Path

import click

from personalized_shopping.cli.options import catalog_option, engine_option
from personalized_shopping.cli.output import emit, emit_json, json_option, say, table
from personalized_shopping.cli.shop_access import open_shop
from personalized_shopping.config import MAX_QUERY_CHARS


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--top", "-n", default=10, show_default=True, type=click.IntRange(1, 50), help="Products to show.")
@catalog_option
@engine_option
@json_option
def search(query: tuple[str, ...], top: int, catalog_path: Path | None, engine: str | None, as_json: bool) -> None:
    """Search the catalogue as the agent does, best match first.

    \b
    Example:
      personalized-shopping search red cotton shirt --top 5
    """
    words = " ".join(query)
    if not words.strip():
        raise click.UsageError("QUERY is empty.")
    if len(words) > MAX_QUERY_CHARS:
        say(f"The query has {len(words)} characters; the first {MAX_QUERY_CHARS} are searched for.")
    shop = open_shop(catalog_path)
    with closing(shop.catalog), closing(shop.engine(engine)) as opened:
        hits = opened.search(words[:MAX_QUERY_CHARS], top)
        scores = {hit.docid: hit.score for hit in hits}
        cards = shop.catalog.cards([hit.docid for hit in hits])
    if as_json:
        emit_json(
            {
                "query": words,
                "engine": opened.name,
                "results": [
                    {"asin": card.asin, "title": card.title, "price": card.price, "score": scores[card.asin]}
                    for card in cards
                ],
            }
        )
    elif cards:
        emit(table([(card.asin, card.price, card.title or "") for card in cards]))
    else:
        say("Nothing found. Fewer or more common words may help.")
