"""What happens when a run has ended: pictures of its pages, the session's file, and old sessions cleared away."""

import logging
import threading
from pathlib import Path

from personalized_shopping.config import flag
from personalized_shopping.errors import ShoppingError
from personalized_shopping.shared_libraries.trajectory.execution import write_execution_trajectory
from personalized_shopping.shared_libraries.trajectory.retention import prune_as_configured
from personalized_shopping.shared_libraries.trajectory.screenshots import take_missing

logger = logging.getLogger(__name__)
_first = threading.Event()


def finish_session(directory: Path) -> None:
    """Make what is made from a session's logs. An error is logged; the logs are there all the same.

    Once in a process, the sessions beyond the configured number and age are cleared away too.
    """
    try:
        if flag("TRAJECTORY_SCREENSHOTS"):
            _take_pictures(directory)
        write_execution_trajectory(directory)
        if not _first.is_set():
            _first.set()
            prune_as_configured(directory.parent)
    except ShoppingError as error:
        logger.warning("The trajectory in %s could not be finished: %s", directory, error)
    except Exception:
        logger.exception("The trajectory in %s could not be finished", directory)


def _take_pictures(directory: Path) -> None:
    try:
        take_missing(directory)
    except ShoppingError as error:
        logger.warning("The trajectory in %s has no pictures: %s", directory, error)
