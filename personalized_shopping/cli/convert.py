"""`convert`: WebShop's `convert_product_file_format` and `run_indexing` as one command."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from personalized_shopping.cli.options import catalog_option, engine_option
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, stage_bars
from personalized_shopping.cli.shop_access import open_shop
from personalized_shopping.config import setting

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.catalog import Catalog

SIZES = {"100": 100, "1k": 1_000, "10k": 10_000, "50k": 50_000}
"""The sizes that the published scripts write, by the names of their directories."""


@click.command()
@click.argument("source", required=False, type=click.Path(path_type=Path))
@catalog_option
@click.option(
    "--output", "--out", "-o", default=".", type=click.Path(path_type=Path), metavar="DIR", help="Where.  [here]"
)
@click.option(
    "--sizes", default="100,1k,10k,50k", show_default=True, help="Which of the four sizes, with commas between."
)
@click.option("--reference", is_flag=True, help="Store positions, vectors and raw documents too (engine lucene).")
@engine_option
@json_option
def convert(
    source: Path | None,
    catalog_path: Path | None,
    output: Path,
    sizes: str,
    reference: bool,
    engine: str | None,
    as_json: bool,
) -> None:
    """Write WebShop's search documents and build an index of them, for each of its four sizes.

    Writes resources_100, resources_1k, resources_10k and resources_50k, each with a documents.jsonl (`id`, `contents`,
    `product`), and beside them indexes_100 ... indexes_50k. SOURCE is a file that `catalog build` reads; without it the
    documents come from the configured catalogue. A size larger than the catalogue holds all of it.

    With --reference WebShop's own program can read the Lucene index.
    """
    name = engine or setting("SEARCH_ENGINE")
    wanted = _parse_sizes(sizes)
    if reference and name != "lucene":
        raise click.UsageError(f"--reference belongs to the engine lucene, not to {name}: add --engine lucene.")
    if source is not None and catalog_path is not None:
        raise click.UsageError("Name either SOURCE or --catalog.")
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".convert-", dir=output) as scratch:
        own = Path(scratch) / "catalog"
        with closing(open_shop(catalog_path).catalog if source is None else _read_source(source, own)) as catalog:
            written = [_convert_size(catalog, label, output, name, reference=reference) for label in wanted]
    if as_json:
        emit_json({"engine": name, "sizes": written})
    else:
        for entry in written:
            emit(f"{entry['documents']}  {entry['index']}  {entry['products']:,} products")


def _parse_sizes(text: str) -> list[str]:
    wanted = [part.strip().lower() for part in text.split(",") if part.strip()]
    unknown = [part for part in wanted if part not in SIZES]
    if unknown or not wanted:
        raise click.UsageError(f"--sizes knows {', '.join(SIZES)}; got {text!r}.")
    return wanted


def _read_source(source: Path, directory: Path) -> "Catalog":
    """Read a source into a catalogue that lives only as long as this command."""
    from personalized_shopping.shared_libraries.catalog import Catalog, open_source, write_catalog

    with progress_bar("reading", source.stat().st_size if source.is_file() else None, unit="B") as advance:
        write_catalog(open_source(source, progress=advance), directory)
    return Catalog.open(directory)


def _convert_size(catalog: "Catalog", label: str, output: Path, engine: str, *, reference: bool) -> dict[str, Any]:
    from personalized_shopping.shared_libraries.catalog import staged_directory
    from personalized_shopping.shared_libraries.search_engine import build_index
    from personalized_shopping.shared_libraries.search_engine.base import Document

    count = min(SIZES[label], len(catalog))
    if count < SIZES[label]:
        say(f"{label}: the catalogue holds {count:,} products; this size gets all of them.")
    resources, index = output / f"resources_{label}", output / f"indexes_{label}"
    with (
        progress_bar(f"resources_{label}", count) as advance,
        staged_directory(resources) as staged,
        (staged / "documents.jsonl").open("w", encoding="utf-8") as file,
    ):
        for line in islice(_lines(catalog), count):
            file.write(json.dumps(line, ensure_ascii=True) + "\n")
            advance(1)
    record = partial(catalog.record, human=True)
    options: dict[str, Any] = {"reference": True, "product_of": record} if reference else {}

    def stored() -> Iterator[Document]:
        with (resources / "documents.jsonl").open(encoding="utf-8") as file:
            for row in map(json.loads, file):
                yield Document(row["id"], row["contents"])

    with stage_bars("index") as tell, staged_directory(index) as staged:

        def done(documents: int) -> None:
            tell(index.name, documents, count)

        build_index(engine, stored(), staged, catalog_id=catalog.manifest.catalog_id, progress=done, **options)
    return {"size": label, "products": count, "documents": str(resources / "documents.jsonl"), "index": str(index)}


def _lines(catalog: "Catalog") -> Iterator[dict[str, Any]]:
    """Yield WebShop's search documents in catalogue order."""
    from personalized_shopping.shared_libraries.catalog import search_text

    for product in catalog.iter_products():
        yield {
            "id": product.asin,
            "contents": search_text(product),
            "product": catalog.record(product.asin, human=True),
        }
