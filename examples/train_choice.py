"""Train a small choice model on the offline shopper's episodes, and try it on products that it never saw.

A candidate's score adds up the weights of its facts; training is softmax regression over what each page offers.
"""

import argparse
import zlib

import numpy as np

from personalized_shopping.evaluation.policies.offline import OfflinePolicy
from personalized_shopping.evaluation.training import goals_of_split, play
from personalized_shopping.shared_libraries.trajectory.exports import Choice
from personalized_shopping.shared_libraries.web_agent_site.envs import WebAgentTextEnv

FACTS, EPOCHS, RATE = 4096, 10, 0.1


def features(choice: Choice) -> np.ndarray:
    """Return hashed facts about each candidate: what it is, how it fits the task, and what was done before it."""
    asked, done = choice.instruction.lower(), [action.lower() for action in choice.history]
    opened = next((action for action in done[::-1] if action.startswith("click[b0")), "")
    here = len(done) - done[::-1].index(opened) if opened else 0
    before = f"{done.count(opened)} {len(done) - here} {sum('next' in action for action in done)}"
    fits = [np.mean([word in asked for word in text.lower().split() or [""]]) for text in choice.texts]
    fresh = [fit * (action.lower() not in done) for fit, action in zip(fits, choice.candidates, strict=True)]
    rows = []
    for place, (action, text) in enumerate(zip(choice.candidates, choice.texts, strict=True)):
        kind = "product" if "$" in text else "option" if ": " in text else text
        told = [f"{fits[place]:.1f}", f"best {fresh[place] == max(fresh)}", f"place {place}", f"before {before}"]
        told += [f"done {done.count(action.lower())}", f"here {action.lower() in done[here:]} {done.count(opened)}"]
        rows.append([zlib.crc32(f"{choice.page} {kind} {fact}".encode()) % FACTS for fact in told])
    return np.array(rows)


def examples(env: WebAgentTextEnv, goals: np.ndarray) -> list[tuple[np.ndarray, int, bool]]:
    """Play goals and return the choices that the shopper had, what it chose, and whether that is a product."""
    tasks = [(int(goal), OfflinePolicy(env.server.goal_table[goal].instruction_text)) for goal in goals]
    played = [choice for goal, policy in tasks for choice in play(env, policy, goal) if choice.chosen is not None]
    return [(features(choice), choice.chosen, "$" in choice.texts[choice.chosen]) for choice in played]


parser = argparse.ArgumentParser(description="Train a choice model on the offline shopper's episodes.")
parser.add_argument("--episodes", type=int, default=150, help="episodes to train on; a third as many to try it")
parser.add_argument("--seed", type=int, default=0, help="of the choice of goals and of the training's order")
options = parser.parse_args()
env, rng = WebAgentTextEnv("text"), np.random.default_rng(options.seed)
train = examples(env, rng.permutation(goals_of_split(env.server, "train"))[: options.episodes])
test = examples(env, rng.permutation(goals_of_split(env.server, "test"))[: options.episodes // 3])
weights = np.zeros(FACTS)
for number in np.concatenate([rng.permutation(len(train)) for _ in range(EPOCHS)]):
    rows, chosen, _ = train[number]
    likely = np.exp(weights[rows].sum(axis=1))
    error = likely / likely.sum() - np.eye(len(rows))[chosen]
    np.subtract.at(weights, rows, RATE * error[:, None])
for name, tried in (("all choices", test), ("products", [one for one in test if one[2]])):
    right = np.mean([weights[rows].sum(axis=1).argmax() == chosen for rows, chosen, _ in tried])
    guessed = np.mean([1 / len(rows) for rows, _, _ in tried])
    print(f"{name}: {len(tried)} to try, learnt from {len(train)}: model {right:.1%}, random {guessed:.1%}")
