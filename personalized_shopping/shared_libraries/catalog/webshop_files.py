"""Write the document files that WebShop's own indexer reads."""

import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from personalized_shopping.shared_libraries.catalog.documents import search_text
from personalized_shopping.shared_libraries.catalog.records import Progress
from personalized_shopping.shared_libraries.catalog.reference_record import reference_record

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.catalog.store import Catalog

SIZES: Mapping[str, int] = {"100": 100, "1k": 1_000, "10k": 10_000, "50k": 50_000}
"""Documents in each of the reference's resource directories; the first ones of the prepared catalogue."""


class WrittenDocuments(msgspec.Struct, frozen=True):
    """One file that was written; ``complete`` is false where the catalogue has fewer products than its size."""

    size: str
    path: Path
    documents: int
    complete: bool

    def text(self) -> str:
        """Return one line for people."""
        short = "" if self.complete else f" (all there are; a full file has {SIZES[self.size]:,})"
        return f"{self.path}: {self.documents:,} documents{short}"


def write_documents(
    catalog: "Catalog",
    directory: Path,
    *,
    sizes: Iterable[str] = tuple(SIZES),
    human: bool = True,
    progress: Progress | None = None,
) -> list[WrittenDocuments]:
    """Write ``resources_{100,1k,10k,50k}/documents.jsonl`` below a directory, and return what each holds.

    Every line has ``id``, ``contents`` (the indexed text) and ``product`` (the loader's mapping), as the reference's
    ``convert_product_file_format`` writes them. A smaller catalogue gives what it has.

    Args:
        catalog: the opened catalogue.
        directory: where to write; existing files are replaced.
        sizes: which of ``SIZES``.
        human: whether the products carry people's instructions, as the reference's do, or synthetic ones.
        progress: called with 1 for every product.
    """
    paths = {size: directory / f"resources_{size}" / "documents.jsonl" for size in sizes}
    most = min(max((SIZES[size] for size in paths), default=0), len(catalog))
    with ExitStack() as stack:
        files = {}
        for size, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            files[size] = stack.enter_context(path.open("w", encoding="utf-8"))
        for number, item in enumerate(catalog.iter_records()):
            if number >= most:
                break
            product = reference_record(item.product, item.raw, human=human)
            document = {"id": item.product.asin, "contents": search_text(item.product), "product": product}
            line = json.dumps(document) + "\n"
            for size, file in files.items():
                if number < SIZES[size]:
                    file.write(line)
            if progress is not None:
                progress(1)
    return [
        WrittenDocuments(size, path, min(SIZES[size], most), complete=len(catalog) >= SIZES[size])
        for size, path in paths.items()
    ]
