"""The viewer: sessions as one HTML file that is opened from the disk."""

from personalized_shopping.shared_libraries.trajectory.viewer.build import write_viewer

__all__ = ["write_viewer"]
