"""Measure speed and memory and print one table; ``python -m benchmarks --help``."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import shop


def main() -> None:
    """Run the measurements that were asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Rates stand beside a baseline of the same run, so the ratios mean something on any machine.",
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 50_000], help="catalogue sizes (default: both)")
    parser.add_argument("--steps", type=int, default=6_000, help="steps a measurement takes (default: 6000)")
    parser.add_argument("--episodes", type=int, default=100_000, help="episodes of the memory test (default: 100000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args()
    rows = shop.measure(options.sizes, options.steps, options.episodes)
    width = max(len(row.what) for row in rows)
    print(f"{'':{width}}  {'measured':>14}  {'baseline':>14}  {'ratio':>8}  target")
    for row in rows:
        print(f"{row.what:{width}}  {row.value:>14}  {row.baseline:>14}  {row.ratio:>8}  {row.target}")
    if options.json:
        options.json.write_text(json.dumps([row._asdict() for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
