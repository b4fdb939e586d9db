"""`install`: the optional parts that pip alone cannot install sensibly."""

import subprocess
import sys

import click

from personalized_shopping.cli.output import say
from personalized_shopping.errors import EngineUnavailable

SPACY_RANGE = "spacy>=3.7,<4"
SPACY_MODEL = "en_core_web_sm"


@click.command()
@click.argument("part", type=click.Choice(["lucene", "hybrid", "spacy"]))
def install(part: str) -> None:
    """Install an optional PART into this Python environment with pip.

    \b
    lucene   Pyserini's Lucene without torch, and a Java of its own (some 280 MB)
    hybrid   BM25 with sentence embeddings on onnxruntime, without torch (some 320 MB)
    spacy    spaCy and its English model, for the exact type reward of WebShop
    """
    if part == "spacy":
        _install_spacy()
    else:
        from personalized_shopping.shared_libraries.search_engine import install_engine

        install_engine(part, run=_run)
    say(f"{part} is installed. `personalized-shopping doctor` shows whether it is usable.")


def _install_spacy() -> None:
    _run([sys.executable, "-m", "pip", "install", "--quiet", SPACY_RANGE], check=True)
    try:
        _run([sys.executable, "-m", "spacy", "download", SPACY_MODEL], check=True)
    except EngineUnavailable:
        raise EngineUnavailable(
            f"spaCy is installed, but its model {SPACY_MODEL} could not be fetched: it lies on spaCy's own site, not "
            f"on the package index. Fetch its wheel where that can be reached, then: pip install {SPACY_MODEL}-*.whl. "
            "Until then the bundled tagger serves (NOUN_TAGGER=builtin)."
        ) from None


def _run(command: list[str], **options: object) -> "subprocess.CompletedProcess[str]":
    """Run one step with everything it prints on standard error, so that standard output stays ours."""
    options.pop("check", None)
    say("+ " + " ".join(command))
    finished = subprocess.run(command, stdout=sys.stderr, check=False, text=True)
    if finished.returncode != 0:
        raise EngineUnavailable(f"`{' '.join(command[:6])}` ended with exit code {finished.returncode}; see above.")
    return finished
