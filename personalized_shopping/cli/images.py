"""`images convert`: WebShop's published image features as one NumPy file."""

from pathlib import Path

import click
import numpy as np

from personalized_shopping.cli.output import emit, emit_json, json_option
from personalized_shopping.cli.torch_file import load_torch_file
from personalized_shopping.errors import CatalogError

FEATURE_LENGTH = 512
"""Numbers that describe one image."""


@click.group()
def images() -> None:
    """Convert WebShop's image features, which `get_image=1` shows an agent."""


@images.command()
@click.argument("features", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("ids", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output", "--out", "-o", default="feat_conv.npz", show_default=True, type=click.Path(path_type=Path), metavar="FILE"
)
@json_option
def convert(features: Path, ids: Path, output: Path, as_json: bool) -> None:
    """Convert feat_conv.pt and feat_ids.pt, in this order, to one .npz file; PyTorch is not needed.

    The file holds `features` (float32, one row of 512 for an image) and `ids` (the images' addresses, in the same order).
    """
    rows = np.asarray(load_torch_file(features), dtype=np.float32)
    names = np.asarray([str(name) for name in load_torch_file(ids)], dtype=np.str_)
    if rows.ndim != 2 or rows.shape[1] != FEATURE_LENGTH:
        raise CatalogError(f"{features} holds an array of shape {rows.shape}; rows of {FEATURE_LENGTH} numbers are expected.")
    if len(names) != len(rows):
        raise CatalogError(f"{ids} names {len(names):,} images, but {features} describes {len(rows):,}. Are they of one set?")
    if output.suffix != ".npz":
        raise click.UsageError(f"--out names {output}; its ending must be .npz.")
    temporary = output.with_name(f".{output.name}.tmp.npz")
    np.savez_compressed(temporary, ids=names, features=rows)
    temporary.replace(output)
    if as_json:
        emit_json({"file": str(output), "images": len(names)})
    else:
        emit(str(output))
