"""Which goals a split has."""

from personalized_shopping.evaluation.splits import Split, split_of_product
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer


def goals_of_split(server: SimServer, split: Split) -> list[int]:
    """Return the indices of the goals whose products belong to a split, in the order of the goals.

    No product is in two splits. The indices are the server's: of all its goals, or of those that its filter keeps.
    """
    return [index for index, goal in enumerate(server.goal_table) if split_of_product(goal.asin) == split]
