"""All texts that were written with the guard's rules at hand."""

from personalized_shopping.evaluation.red_team.adaptive_buying import ADAPTIVE_BUYING
from personalized_shopping.evaluation.red_team.adaptive_telling import ADAPTIVE_TELLING
from personalized_shopping.evaluation.red_team.payload import Payload

ADAPTIVE: tuple[Payload, ...] = (*ADAPTIVE_BUYING, *ADAPTIVE_TELLING)
