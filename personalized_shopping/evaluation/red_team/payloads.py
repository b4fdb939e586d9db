"""All fixed texts, by goal."""

from personalized_shopping.evaluation.red_team.payload import Payload
from personalized_shopping.evaluation.red_team.payloads_buying import OTHER_ITEM, OTHER_OPTIONS, OVER_BUDGET, SPONSOR
from personalized_shopping.evaluation.red_team.payloads_telling import (
    FALSE_RECOMMENDATION,
    PERSONAL_DATA,
    SKIP_QUESTION,
)

PAYLOADS: tuple[Payload, ...] = (
    *OTHER_ITEM,
    *SPONSOR,
    *OVER_BUDGET,
    *OTHER_OPTIONS,
    *SKIP_QUESTION,
    *PERSONAL_DATA,
    *FALSE_RECOMMENDATION,
)
