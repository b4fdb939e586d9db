"""WebShop's import path ``utils``: its names over this project's design. Everything here is compatibility."""

import hashlib
import logging
from pathlib import Path

from personalized_shopping import paths
from personalized_shopping.shared_libraries.web_agent_site.envs.selection import random_idx

__all__ = [
    "BASE_DIR",
    "DEBUG_PROD_SIZE",
    "DEFAULT_ATTR_PATH",
    "DEFAULT_FILE_PATH",
    "DEFAULT_REVIEW_PATH",
    "FEAT_CONV",
    "FEAT_IDS",
    "HUMAN_ATTR_PATH",
    "generate_mturk_code",
    "random_idx",
    "setup_logger",
]

BASE_DIR = Path(__file__).resolve().parent
DEBUG_PROD_SIZE: int | None = None
"""WebShop's number of products while debugging; ``None`` for all."""

_DATA = paths.data_dir() / "webshop"
DEFAULT_FILE_PATH = _DATA / "items_shuffle.json"
DEFAULT_ATTR_PATH = _DATA / "items_ins_v2.json"
DEFAULT_REVIEW_PATH = _DATA / "reviews.json"
HUMAN_ATTR_PATH = _DATA / "items_human_ins.json"
FEAT_CONV = _DATA / "feat_conv.pt"
FEAT_IDS = _DATA / "feat_ids.pt"


def setup_logger(session_id: str, user_log_dir: str | Path) -> logging.Logger:
    """Return a logger that writes plain lines to ``{session_id}.jsonl``, which it empties."""
    directory = Path(user_log_dir)
    directory.mkdir(parents=True, exist_ok=True)
    logger = logging.getLogger(f"webshop.user.{session_id}")
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    handler = logging.FileHandler(directory / f"{session_id}.jsonl", mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    return logger


def generate_mturk_code(session_id: str) -> str:
    """Return the ten characters that WebShop shows after a purchase: the start of the id's SHA-1, in capitals."""
    return hashlib.sha1(session_id.encode(), usedforsecurity=False).hexdigest()[:10].upper()
