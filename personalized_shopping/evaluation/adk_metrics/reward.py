"""`webshop_reward`: what the session's purchase earns for the goal that the case names."""

from personalized_shopping.evaluation.adk_metrics.confirmed import purchases
from personalized_shopping.evaluation.adk_metrics.reading import Turn
from personalized_shopping.evaluation.adk_metrics.verdict import Scores, as_metric


@as_metric(overall=min)
def webshop_reward(turns: list[Turn], expected: list[Turn]) -> Scores:
    """Score a conversation by WebShop's reward, from 0 to 1, of what was bought in it.

    The shop computes it when the case's state holds ``goal_index``, and the answer to the purchase carries it. Nothing
    bought earns nothing, a purchase in a case without a goal cannot be evaluated and fails, and of several purchases
    the worst counts: what was bought wrongly is not undone by buying again. Each turn carries the whole score.
    """
    rewards: list[float] = []
    problems: list[str] = []
    for turn in turns:
        for call, _ in purchases(turn):
            reward = call.answer.get("reward")
            if isinstance(reward, bool) or not isinstance(reward, int | float):
                problems.append("a purchase without a reward: the case names no goal (goal_index in its state)")
                rewards.append(0.0)
            else:
                rewards.append(float(reward))
    if not rewards:
        problems.append("nothing was bought")
    score = min(rewards, default=0.0)
    return [(score, problems if number == 0 else []) for number in range(len(turns))]
