"""A shopping agent over a rebuilt WebShop.

Importing the package loads neither ADK nor the agent: ``agent``, ``root_agent`` and ``app`` are made when first asked
for. ADK sometimes loads this file under another name (``adk eval`` calls it ``agent``); the agent is then still the one
of ``personalized_shopping``, because there must be one shop in a process and not two.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

__all__ = ["agent", "app", "root_agent"]

_PACKAGE = "personalized_shopping"


def __getattr__(name: str) -> Any:
    """Load the agent on first use of ``agent``, ``root_agent`` or ``app``."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if __name__ != _PACKAGE and _PACKAGE not in sys.modules:
        # The folder that was named is the one to run, also where it is not installed or another version is.
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    module = importlib.import_module(f"{_PACKAGE}.agent")
    return module if name == "agent" else getattr(module, name)
