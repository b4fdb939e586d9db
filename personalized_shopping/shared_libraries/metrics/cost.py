"""What model calls cost, by a table of prices that the user keeps: prices change, and no list here would be true."""

import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct

from personalized_shopping.errors import SettingError, shorten

PER = 1_000_000
"""Prices are in US dollars for so many tokens."""


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens that a model reads and writes."""

    input: float
    output: float


def read_prices(path: Path) -> dict[str, Price]:
    """Read a price table: TOML with a table a model, ``["gemini-2.5-flash"]`` with ``input`` and ``output``.

    Raises:
        SettingError: where the file cannot be read or is no such table.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(table, dict[str, Price])
    except OSError as error:
        raise SettingError(f"The price table {path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise SettingError(
            f"The price table {path} is not right: {shorten(error)}. A model's entry is a table with the numbers "
            "input and output, in US dollars for a million tokens."
        ) from error


def cost_usd(prices: dict[str, Price], model: str, input_tokens: int, output_tokens: int) -> float | None:
    """Return what so many tokens cost in US dollars; ``None`` for a model that the table does not name.

    A name with a provider in front (``openai/gpt-4.1``) is looked up whole first and then without it.
    """
    price = prices.get(model) or prices.get(model.rsplit("/", 1)[-1])
    if price is None:
        return None
    return (input_tokens * price.input + output_tokens * price.output) / PER
