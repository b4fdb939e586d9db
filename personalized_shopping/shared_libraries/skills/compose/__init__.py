"""Composites that are learned: recorded sessions in, verified skills out."""

from personalized_shopping.shared_libraries.skills.compose.learning import ComposeReport, Rejected, compose

__all__ = ["ComposeReport", "Rejected", "compose"]
