"""The viewer of one conversation's trajectory."""

import tempfile
from pathlib import Path

from personalized_shopping import paths
from personalized_shopping.chat.refusals import Refusal
from personalized_shopping.chat.security import Who
from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory.layout import logs_of, session_dir


def viewer_page(app_name: str, who: Who) -> bytes:
    """Return the viewer with this one conversation in it, as HTML.

    Raises:
        Refusal: when nothing is recorded.
    """
    # Whoever only talks needs none of it.
    from personalized_shopping.shared_libraries.trajectory.viewer import write_viewer

    root = paths.trajectory_dir()
    directory = session_dir(root, app_name, who.user_id, who.session_id) if root is not None else None
    if directory is None or not logs_of(directory):
        raise Refusal("Nothing is recorded of this conversation.", 404)
    with tempfile.TemporaryDirectory(prefix="chat-trajectory-") as temporary:
        try:
            return write_viewer([directory], Path(temporary) / "trajectory.html", selected=directory.name).read_bytes()
        except TrajectoryError as error:
            raise Refusal("The record of this conversation cannot be shown.", 404) from error
