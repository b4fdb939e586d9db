"""Episodes and goals for those who train a policy of their own."""

from personalized_shopping.evaluation.training.episodes import play
from personalized_shopping.evaluation.training.goals import goals_of_split

__all__ = ["goals_of_split", "play"]
