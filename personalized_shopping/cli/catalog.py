"""`catalog`: build, make, check and describe catalogues."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.images import images
from personalized_shopping.cli.options import Size, catalog_option, engine_option, parse_mapping
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, stage_bars, table
from personalized_shopping.cli.shop_access import ensure_demo, open_shop, with_index
from personalized_shopping.config import setting
from personalized_shopping.errors import CatalogError

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

_FORMATS = ("webshop", "json", "jsonl", "csv", "yaml")

_existing_file = click.Path(path_type=Path)


def source_options(command: Any) -> Any:
    """Add what `build` and `validate` want to know about a source."""
    for option in reversed(
        [
            click.argument("source", type=_existing_file),
            click.option(
                "--size", type=Size(), metavar="100|1k|10k|50k|all", help="Take only the first records.  [all]"
            ),
            click.option(
                "--format", "fmt", type=click.Choice(_FORMATS), help="What SOURCE is.  [its name and content tell]"
            ),
            click.option(
                "--map",
                "mapping",
                multiple=True,
                callback=parse_mapping,
                metavar="OURS=THEIRS",
                help="A field's name in SOURCE; repeat it.",
            ),
            click.option("--attributes", type=_existing_file, help="WebShop's items_ins_v2*.json.  [beside SOURCE]"),
            click.option("--human", type=_existing_file, help="WebShop's items_human_ins*.json.  [beside SOURCE]"),
            click.option("--reviews", type=_existing_file, help="WebShop's reviews.json.  [none: no reviews]"),
            click.option("--strict", is_flag=True, help="Stop at the first record that cannot be used."),
        ]
    ):
        command = option(command)
    return command


@click.group()
def catalog() -> None:
    """Build, make, check and describe catalogues.

    A catalogue is a directory: the products, the goals, and an index of a search engine. Set CATALOG_PATH to one, and
    the agent sells from it.
    """


@catalog.command()
@source_options
@click.option(
    "--output", "--out", "-o", "output", type=click.Path(path_type=Path), metavar="DIR", help="Where to put it."
)
@engine_option
@json_option
def build(source: Path, output: Path | None, engine: str | None, as_json: bool, **options: Any) -> int:
    """Build a catalogue and its index from SOURCE.

    SOURCE is WebShop's items_shuffle*.json (its two instruction files are found beside it), or your own shop as JSON,
    JSON Lines, CSV or YAML (.gz too). A record that cannot be used is set aside, counted and told.

    \b
    Examples:
      personalized-shopping catalog build items_shuffle_1000.json --out shop
      personalized-shopping catalog build products.csv --map title=name --map price=cost --out shop
    """
    from personalized_shopping.paths import catalogs_dir
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop

    name = engine or setting("SEARCH_ENGINE")
    target = output or catalogs_dir() / source.name.split(".")[0]
    _refuse_to_replace(target)
    with progress_bar("reading", source.stat().st_size if source.is_file() else None, unit="B") as advance:
        shop = build_shop(_open(source, options, progress=advance), target, engine=name)
    manifest = shop.catalog.manifest
    shop.catalog.close()
    if as_json:
        emit_json({"directory": str(target), "engine": name, **_summary(manifest)})
    else:
        say(_counted(manifest.counts))
        for item in manifest.set_aside[:10]:
            say(f"  record {item.position}{f' ({item.asin})' if item.asin else ''}: {item.reason}")
        say(f"To serve it: CATALOG_PATH={target.absolute()}")
        emit(str(target))
    return ExitCode.OK


@catalog.command()
@click.option("--products", type=click.IntRange(1, 10_000_000), help="How many products.  [1,200]")
@click.option("--seed", type=int, help="Which demo catalogue: the same seed gives the same products.")
@click.option(
    "--output", "--out", "-o", "output", type=click.Path(path_type=Path), metavar="DIR", help="Where to put it."
)
@engine_option
@json_option
def demo(products: int | None, seed: int | None, output: Path | None, engine: str | None, as_json: bool) -> int:
    """Make the demo catalogue and its index: invented products, the same on every machine.

    What is there already and up to date is left as it is.

    \b
    Example, for a benchmark:
      personalized-shopping catalog demo --products 50000 --out shop-50k
    """
    ours = products is None and seed is None and output is None
    shop = ensure_demo() if ours else _make_demo(products, seed, output)
    if engine is not None:
        with_index(shop, engine)
    with closing(shop.catalog):
        if as_json:
            emit_json({"directory": str(shop.directory), **_summary(shop.catalog.manifest)})
        else:
            emit(str(shop.directory))
    return ExitCode.OK


@catalog.command()
@source_options
@json_option
def validate(source: Path, as_json: bool, **options: Any) -> int:
    """Read SOURCE to its end without building anything, and tell what would be kept and what set aside.

    Exit code 1 if any record would be rejected, or the file cannot be read to its end.
    """
    from personalized_shopping.shared_libraries.catalog import validate_source

    with progress_bar("checking", source.stat().st_size if source.is_file() else None, unit="B") as advance:
        report = validate_source(_open(source, options, progress=advance))
    valid = report.ok and report.rejected == 0 and report.side_entries_rejected == 0
    if as_json:
        listed = [
            {
                "position": item.position,
                "asin": item.asin,
                "reason": item.reason,
                "skipped": item.skipped,
                "file": item.side_file,
            }
            for item in report.listed
        ]
        emit_json(
            {"ok": valid, "source": str(source), **report.counts(), "set_aside": listed, "failure": report.failure}
        )
    else:
        emit(report.text())
    return ExitCode.OK if valid else ExitCode.FAILED


catalog.add_command(images)


@catalog.command()
@catalog_option
@json_option
def info(catalog_path: Path | None, as_json: bool) -> int:
    """Describe a built catalogue: where it came from, what it holds, and which indexes it has."""
    shop = open_shop(catalog_path)
    directory, manifest = shop.directory, shop.catalog.manifest
    shop.catalog.close()
    indexes = sorted(path.parent.name for path in directory.glob("index/*/manifest.json"))
    if as_json:
        emit_json({"directory": str(directory), "indexes": indexes, **_summary(manifest)})
        return ExitCode.OK
    rows = [
        ("directory", str(directory)),
        ("catalogue id", manifest.catalog_id[:16]),
        ("products", f"{manifest.products:,}"),
        ("records", _counted(manifest.counts)),
        ("indexes", ", ".join(indexes) or "none"),
        *((f"source {key}", str(value)) for key, value in manifest.source.items() if value not in (None, {}, "")),
    ]
    emit(table(rows))
    return ExitCode.OK


def _make_demo(products: int | None, seed: int | None, output: Path | None) -> "ShopFiles":
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

    if output is not None:
        _refuse_to_replace(output)
    with stage_bars("demo shop") as progress:
        return demo_shop(products, seed, output, progress)


def _open(source: Path, options: dict[str, Any], progress: Any) -> Any:
    from personalized_shopping.shared_libraries.catalog import open_source

    return open_source(
        source,
        fmt=options["fmt"],
        mapping=options["mapping"],
        attributes_path=options["attributes"],
        human_path=options["human"],
        reviews_path=options["reviews"],
        limit=options["size"],
        strict=options["strict"],
        progress=progress,
    )


def _refuse_to_replace(directory: Path) -> None:
    """Raise an error for a directory that holds somebody's files: only a catalogue may be replaced by one."""
    if not directory.exists():
        return
    if not directory.is_dir() or ((not (directory / "manifest.json").is_file()) and any(directory.iterdir())):
        raise CatalogError(f"{directory} exists and is no catalogue; it stays as it is. Name another place with --out.")


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)


def _summary(manifest: Any) -> dict[str, Any]:
    return {
        "catalog_id": manifest.catalog_id,
        "products": manifest.products,
        "counts": manifest.counts,
        "source": manifest.source,
        "package_version": manifest.package_version,
    }
