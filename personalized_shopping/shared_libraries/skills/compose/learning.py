"""Learning composites: what recorded sessions repeat becomes a skill, if replays show that it does the same."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.compose.actions import moves_of
from personalized_shopping.shared_libraries.skills.compose.admission import NotAdmitted, check, page_kinds
from personalized_shopping.shared_libraries.skills.compose.composites import composite, has, known_keys, verified
from personalized_shopping.shared_libraries.skills.compose.known import shipped_for
from personalized_shopping.shared_libraries.skills.compose.mining import Pattern, Served, mine, rank, split_at_purchases
from personalized_shopping.shared_libraries.skills.compose.templates import Template, generalise, is_instance
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runtime.base import ProgramRuntime
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

MIN_GAIN = 4
"""Model calls that a composite must have saved in the recorded sessions; for less, a longer list is too dear."""
MAX_LEARNED = 50
"""Composites that one call admits: a library of many that resemble each other misleads an agent."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Rejected:
    """A pattern that did not become a skill: its steps in words, why, in how many sessions it is, and its gain."""

    steps: tuple[str, ...]
    why: str
    support: int
    gain: int


@dataclass(frozen=True)
class ComposeReport:
    """What was learned: the skills as the library keeps them, what was not kept, and how many patterns there were."""

    admitted: tuple[Skill, ...]
    rejected: tuple[Rejected, ...]
    mined: int


def compose(
    sessions: Iterable[SessionTrajectory],
    shop: Shop,
    library: SkillLibrary,
    runtime: ProgramRuntime,
    *,
    min_support: int = 3,
    seed: int = 0,
    now: str,
    progress: Progress | None = None,
) -> ComposeReport:
    """Learn composites from recorded sessions, and keep them in the library. Equal input gives equal skills.

    Args:
        sessions: the sessions.
        shop: the shop in which they took place, and in which composites are replayed.
        library: where composites are kept.
        runtime: where their programs run.
        min_support: in how many sessions steps must be repeated.
        seed: of the generator that draws other arguments.
        now: the time, as it stands in a skill's file.
        progress: told of every pattern, in a sentence.

    Raises:
        SkillError: when ``min_support`` is less than 2, or the library cannot be written.
    """
    if min_support < 2:
        raise SkillError(f"What {min_support} sessions do is no habit; min_support must be at least 2.")
    taken = {session.directory: moves_of(session, shop) for session in sessions}
    numbered = ((number, moves) for number, found in enumerate(taken.values()) for moves in found)
    patterns = mine(split_at_purchases(numbered), min_support=min_support)
    learning = _Learning(shop, library, runtime, min_support, seed, now, progress)
    learning.learn(patterns)
    return ComposeReport(tuple(learning.admitted), tuple(learning.rejected), len(patterns))


class _Learning:
    """The patterns one after another: what was admitted so far, and which steps are served by it."""

    def __init__(
        self,
        shop: Shop,
        library: SkillLibrary,
        runtime: ProgramRuntime,
        min_support: int,
        seed: int,
        now: str,
        progress: Progress | None,
    ) -> None:
        self._shop, self._library, self._runtime = shop, library, runtime
        self._min_support, self._seed, self._now = min_support, seed, now
        self._progress = progress or (lambda sentence: None)
        self._known = known_keys(library)
        self._served = Served()
        self.admitted: list[Skill] = []
        self.rejected: list[Rejected] = []

    def learn(self, patterns: list[Pattern]) -> None:
        """Try the patterns, and the parts of those whose replays fail."""
        waiting, seen = list(patterns), {pattern.symbols for pattern in patterns}
        while waiting:
            pattern = waiting.pop(0)
            template = generalise(pattern)
            needless = self._needless(pattern, template)
            if needless is not None:
                self._reject(pattern, template, needless)
                continue
            try:
                self._admit(pattern, template)
            except NotAdmitted as error:
                self._reject(pattern, template, str(error))
                parts = [part for part in pattern.parts() if part.symbols not in seen]
                seen.update(part.symbols for part in parts)
                waiting = sorted([*waiting, *parts], key=rank)

    def _needless(self, pattern: Pattern, template: Template) -> str | None:
        """Return why a pattern need not become a skill; ``None`` where it should."""
        doing = self._doing(pattern, template)
        if doing is not None:
            self._served.add(pattern)
            return f"{doing} does this in one call."
        support, gain = self._served.left(pattern)
        if support < self._min_support:
            return f"Other composites serve all but {support} of its {pattern.support} sessions."
        if gain < MIN_GAIN:
            return f"It would have saved {gain} model calls; {MIN_GAIN} are needed."
        return f"{MAX_LEARNED} composites were learned already." if len(self.admitted) >= MAX_LEARNED else None

    def _admit(self, pattern: Pattern, template: Template) -> None:
        """Make a skill of a pattern, and keep it.

        Raises:
            NotAdmitted: when its gates or replays do not allow it.
        """
        draft = composite(template, pattern, page_kinds(template, self._shop), self._library, self._now)
        # Of its own for every pattern: what one is replayed with does not depend on the others.
        rng = random.Random(f"{self._seed} {template.fingerprint}")
        replays = check(draft, template, pattern, self._shop, self._runtime, rng)
        skill = verified(draft, replays.recorded, replays.others, replays.page_kinds)
        self.admitted.append(self._library.put(skill))
        self._known[template.key] = skill.id
        self._served.add(pattern)
        self._progress(f"{skill.id} is learned from {pattern.support} sessions.")

    def _doing(self, pattern: Pattern, template: Template) -> str | None:
        """Return the id of the composite that does this already."""
        shipped = shipped_for(pattern.symbols)
        if shipped is not None and has(self._library, shipped):
            return shipped
        return next((name for key, name in self._known.items() if is_instance(template.key, key)), None)

    def _reject(self, pattern: Pattern, template: Template, why: str) -> None:
        steps = tuple(step.sentence for step in template.steps)
        self.rejected.append(Rejected(steps, why, pattern.support, pattern.gain))
        self._progress(f"{' > '.join(step.name for step in template.steps)} is not kept: {why}")
