"""The report of an evaluation: what a person opens after a run, and what compares two of them."""

from personalized_shopping.evaluation.report.write import write_comparison, write_report

__all__ = ["write_comparison", "write_report"]
