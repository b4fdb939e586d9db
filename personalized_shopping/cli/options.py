"""Options that several verbs share."""

from collections.abc import Mapping
from pathlib import Path

import click

from personalized_shopping.config import choices, number_of_products
from personalized_shopping.errors import SettingError, shorten

ENGINES = choices("SEARCH_ENGINE")
"""Names of the search engines; the engines themselves are imported when one is used."""

catalog_option = click.option(
    "--catalog",
    "catalog_path",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A built catalogue's directory.  [default: CATALOG_PATH, else the demo catalogue]",
)

engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), help="Search engine.  [default: SEARCH_ENGINE, else bm25]"
)


class Size(click.ParamType[int | None]):
    """A number of records: ``100``, ``1k``, ``50k`` or ``all`` (None)."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Return the number, or None for all."""
        if value is None or isinstance(value, int):
            return value
        try:
            return number_of_products(str(value))
        except SettingError:
            self.fail(f"{shorten(value)} is no size. Use a number such as 100, 1k, 10k or 50k, or `all`.", param, ctx)


def parse_mapping(_ctx: click.Context, _option: click.Parameter, pairs: tuple[str, ...]) -> Mapping[str, str] | None:
    """Return ``OURS=THEIRS`` pairs as a mapping, None if there are none.

    Raises:
        click.UsageError: for a pair without both sides, or a field that is named twice.
    """
    mapping: dict[str, str] = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not equals or not ours.strip() or not theirs.strip():
            raise click.UsageError(f"--map wants OURS=THEIRS, for example title=name; got {shorten(pair)}.")
        if ours.strip() in mapping:
            raise click.UsageError(f"--map names the field {shorten(ours.strip())} twice.")
        mapping[ours.strip()] = theirs.strip()
    return mapping or None
