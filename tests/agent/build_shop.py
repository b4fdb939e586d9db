"""Build the tests' shop by hand: ``python -m tests.agent.build_shop DIRECTORY``."""

import sys
from pathlib import Path

from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import products

if __name__ == "__main__":
    build_shop(products(), Path(sys.argv[1]))
