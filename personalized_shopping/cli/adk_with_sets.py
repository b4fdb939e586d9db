"""ADK's own command line, as `adk.py` starts it, with the eval sets of a folder in the Evals tab of its UI."""

import sys
from pathlib import Path
from typing import NoReturn

from personalized_shopping.cli import adk

_NO_RUNS = (
    "The Evals tab shows the eval sets. Running them needs more packages: pip install 'personalized-shopping[eval]' "
    "(in a checkout, `make eval` installs them).\n"
)


def command(folder: Path, *arguments: str) -> list[str]:
    """Return the command line of a process of its own that runs `adk` with these arguments and a folder's eval sets."""
    return [sys.executable, "-m", "personalized_shopping.cli.adk_with_sets", str(folder), *arguments]


def main() -> NoReturn:
    """Run ADK's command line in this process with the arguments after the folder's name."""
    folder = Path(sys.argv.pop(1)).resolve()
    adk.be_quiet()
    # Only ADK's servers need these, and reading them takes a second.
    from personalized_shopping.evaluation.adk_metrics.web_sets import offer_metrics, use_folder

    use_folder(folder)
    try:
        offer_metrics(folder)
    except ModuleNotFoundError:
        sys.stderr.write(_NO_RUNS)
    adk.main()


if __name__ == "__main__":
    main()
