"""What a source yields beside products, and the account of a whole load."""

from collections.abc import Callable
from typing import Any

import msgspec

Progress = Callable[[int], None]
"""Called again and again with how much more is done, as ``tqdm.update`` is."""

MAX_LISTED = 100
"""Records set aside that a report and a manifest list; the others are only counted."""


class Rejected(msgspec.Struct, frozen=True):
    """A record that did not become a product.

    ``position`` counts the source's records from 0. ``skipped`` tells the records that WebShop's loader passes
    over on purpose (identifier ``nan`` or too long, duplicates) from those that are broken.
    ``side_file`` names the file when not the product but an entry about it was set aside; the product is kept.
    """

    position: int
    reason: str
    asin: str | None = None
    skipped: bool = False
    side_file: str | None = None


class Report(msgspec.Struct):
    """The account of a load: how many records were read, and what became of them."""

    read: int = 0
    kept: int = 0
    skipped: int = 0
    rejected: int = 0
    repaired: int = 0
    side_entries_rejected: int = 0
    human_instructions: int = 0
    synthetic_instructions: int = 0
    reviews: int = 0
    listed: list[Rejected] = []
    """The first records set aside, rejected ones and skipped ones together."""
    failure: str | None = None
    """Why reading stopped before the end of the source, where it did."""

    @property
    def ok(self) -> bool:
        """Whether the source can be built: read to its end, with at least one product."""
        return self.failure is None and self.kept > 0

    def counts(self) -> dict[str, int]:
        """Return the counts alone, by name."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if type(value) is int}

    def add_rejected(self, item: Rejected) -> None:
        """Count a record, or an entry of a side file, that was set aside."""
        if item.side_file is not None:
            self.side_entries_rejected += 1
        else:
            self.read += 1
            if item.skipped:
                self.skipped += 1
            else:
                self.rejected += 1
        if len(self.listed) < MAX_LISTED:
            self.listed.append(item)

    def add_product(self, product: Any) -> None:
        """Count a record that was kept."""
        self.read += 1
        self.kept += 1
        self.human_instructions += len(product.human_instructions)
        self.synthetic_instructions += product.instruction_text is not None
        self.reviews += len(product.reviews)

    def text(self, limit: int = 20) -> str:
        """Return the account as lines for people, with at most ``limit`` of the records set aside."""
        fates = f"{self.kept:,} kept, {self.skipped:,} skipped, {self.rejected:,} rejected"
        lines = [f"{self.read:,} records read: {fates}"]
        extras = [
            (self.synthetic_instructions, "synthetic instructions"),
            (self.human_instructions, "human instructions"),
            (self.reviews, "reviews"),
            (self.repaired, "records with characters that are not Unicode text, replaced"),
            (self.side_entries_rejected, "entries of side files rejected"),
        ]
        lines += [f"{count:,} {what}" for count, what in extras if count]
        for item in self.listed[:limit]:
            verb = "skipped" if item.skipped else "rejected"
            where = f"{item.side_file}: " if item.side_file else ""
            name = f" ({item.asin})" if item.asin else ""
            lines.append(f"  {where}record {item.position}{name} {verb}: {item.reason}")
        if self.listed:
            lines.append("  (records are counted from 0)")
        more = self.skipped + self.rejected + self.side_entries_rejected - min(limit, len(self.listed))
        if more > 0:
            lines.append(f"  … and {more:,} more")
        if self.failure:
            lines.append(f"Reading stopped: {self.failure}")
        return "\n".join(lines)
