"""Metrics for ADK's evaluation: `adk eval`, the Evals tab of `adk web`, and pytest.

Whoever imports a metric also makes the configured judge of rubrics known to ADK, because `adk eval` gives no other
occasion to do so.
"""

from personalized_shopping.evaluation.adk_metrics.confirmed import purchase_confirmed
from personalized_shopping.evaluation.adk_metrics.expected import purchase_as_expected
from personalized_shopping.evaluation.adk_metrics.grounded import grounded_facts
from personalized_shopping.evaluation.adk_metrics.judge import register_judge
from personalized_shopping.evaluation.adk_metrics.reward import webshop_reward

__all__ = ["grounded_facts", "purchase_as_expected", "purchase_confirmed", "webshop_reward"]

register_judge()
