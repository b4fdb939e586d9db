"""Why episodes failed: classes with their counts, what they cost, and examples that stand for many."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from msgspec import Struct

from personalized_shopping.evaluation.report.words import PARTS, failure_of, plain, term
from personalized_shopping.shared_libraries.metrics.episode import Episode

EXAMPLES = 3
"""How many examples of a class are shown."""
RARE = 0.1
"""A class with at most this share of the failures shows one example."""
LACKING = 4
"""How many of the checks and reward parts that failed most often are named."""

_PARTICULARS = re.compile(r"""“[^”]*”|‘[^’]*’|"[^"]*"|`[^`]*`|\([^)]*\)|\[[^\]]*\]|\$?\d[\d,.]*(?<![.,])%?""")
_REPEATED = re.compile(r"…(?:[\s,]+…)+")


class Example(Struct, frozen=True):
    """An episode that stands for others; ``like`` is how many of its class failed with the same sentence."""

    key: str
    instruction: str
    why: str
    score: float
    like: int


class FailureClass(Struct, frozen=True):
    """A class of failure. ``lost`` is by how much it lowers the mean score; ``share`` is of the judged episodes,
    ``lacking`` are the checks and reward parts that failed in it, with how often.
    """

    name: str
    title: str
    meaning: str
    count: int
    share: float
    lost: float
    score: float
    lacking: list[tuple[str, int]]
    examples: list[Example]


def failure_classes(episodes: Sequence[Episode], *, judged: int) -> list[FailureClass]:
    """Return the classes of failure among some episodes, the most frequent first.

    Args:
        episodes: any episodes; those that succeeded are left out.
        judged: how many episodes the agent is judged by, which shares and lost score refer to.
    """
    groups: dict[str, list[Episode]] = {}
    for episode in episodes:
        name = failure_of(episode)
        if name:
            groups.setdefault(name, []).append(episode)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    failed = sum(len(group) for group in groups.values())
    return [_class(name, group, max(judged, 1), failed) for name, group in ordered]


def sentence_kind(episode: Episode) -> str:
    """Return an episode's sentence without its particulars, so that sentences of one kind are equal.

    Particulars are what is quoted or stands in brackets, numbers, and whatever the episode names as wanted or bought.
    """
    wanted, bought = episode.wanted, episode.bought
    own = {*wanted.options, *wanted.attributes, wanted.title, wanted.asin or ""}
    if bought is not None:
        own |= {*bought.options.values(), bought.title, bought.asin}
    text = episode.why or episode.error
    named = "|".join(re.escape(name) for name in sorted(own, key=lambda name: (-len(name), name)) if name)
    if named:
        text = re.sub(rf"(?<!\w)(?:{named})(?!\w)", "…", text)
    return _REPEATED.sub("…", _PARTICULARS.sub("…", text)).strip()


def _class(name: str, group: Sequence[Episode], judged: int, failed: int) -> FailureClass:
    title, meaning = term(name)
    lacking = Counter(name for episode in group for name in _lacking(episode))
    return FailureClass(
        name=name,
        title=title,
        meaning=meaning,
        count=len(group),
        share=len(group) / judged,
        lost=sum(1 - episode.score for episode in group) / judged,
        score=sum(episode.score for episode in group) / len(group),
        lacking=sorted(lacking.items(), key=lambda item: (-item[1], item[0]))[:LACKING],
        examples=_examples(group, EXAMPLES if len(group) > failed * RARE else 1),
    )


def _lacking(episode: Episode) -> Iterator[str]:
    """Yield the names of the checks that failed, and of the reward's parts that are not whole."""
    for check in episode.checks:
        if not check.passed:
            yield plain(check.name)
    for part, name in PARTS.items():
        value = episode.parts.get(part)
        if part.startswith("r_") and isinstance(value, int | float) and value < 1:
            yield name


def _examples(group: Sequence[Episode], most: int) -> list[Example]:
    """Return one episode for each of the most frequent kinds of sentence, and more of the first where kinds are few."""
    kinds: dict[str, list[Episode]] = {}
    for episode in group:
        kinds.setdefault(sentence_kind(episode), []).append(episode)
    ordered = sorted(kinds.values(), key=lambda alike: (-len(alike), alike[0].key))
    ranked = [(_typical_first(alike), len(alike)) for alike in ordered]
    chosen: list[tuple[Episode, int]] = []
    used: set[str] = set()

    def choose(episode: Episode, like: int) -> None:
        chosen.append((episode, like))
        used.add(episode.cluster or episode.key)

    # Another product says more than the same one again.
    for alike, like in ranked[:most]:
        choose(next((one for one in alike if (one.cluster or one.key) not in used), alike[0]), like)
    for alike, like in ranked:
        for episode in alike:
            if len(chosen) < most and (episode.cluster or episode.key) not in used:
                choose(episode, like)
    return [_example(episode, like) for episode, like in chosen]


def _typical_first(alike: Iterable[Episode]) -> list[Episode]:
    found = list(alike)
    middle = median(episode.score for episode in found)
    return sorted(found, key=lambda episode: (abs(episode.score - middle), episode.task_id, episode.trial))


def _example(episode: Episode, like: int) -> Example:
    return Example(episode.key, episode.instruction, episode.why or episode.error, episode.score, like)
