"""`catalog images`: WebShop's published image features as NumPy files."""

from pathlib import Path

import click

from personalized_shopping.cli.output import emit, emit_json, json_option

_file = click.Path(exists=True, dir_okay=False, path_type=Path)
_default = Path("feat_conv.npy")


@click.command()
@click.argument("features", metavar="FEAT_CONV_PT", type=_file)
@click.argument("ids", metavar="FEAT_IDS_PT", type=_file)
@click.option("--output", "--out", "-o", type=click.Path(path_type=Path), default=_default, metavar="FILE.npy")
@json_option
def images(features: Path, ids: Path, output: Path, as_json: bool) -> None:
    """Convert WebShop's image features, which `get_image=1` shows an agent; PyTorch is not needed.

    Writes FILE.npy, one row of 512 numbers for an image, and FILE.ids.npy, the images' addresses in the same order.
    """
    from personalized_shopping.cli.torch_file import load_torch_file
    from personalized_shopping.shared_libraries.catalog.image_features import convert_features

    count = convert_features(features, ids, output, load=load_torch_file)
    if as_json:
        emit_json({"file": str(output), "images": count})
    else:
        emit(str(output))
