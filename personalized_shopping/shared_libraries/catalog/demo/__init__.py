"""The demo catalogue: believable products of our own making, generated from a seed.

What products are made of stands in ``data/``, one file per department; the modules put it together.
"""

from personalized_shopping.shared_libraries.catalog.demo.raw_records import (
    DEFAULT_PRODUCTS,
    DEFAULT_SEED,
    DemoRecord,
    demo_raw,
)
from personalized_shopping.shared_libraries.catalog.demo.source import DemoSource, demo_records, demo_source

__all__ = ["DEFAULT_PRODUCTS", "DEFAULT_SEED", "DemoRecord", "DemoSource", "demo_raw", "demo_records", "demo_source"]
