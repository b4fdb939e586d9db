"""What can go wrong, named by the caller's mistake.

Every message says what happened, shows the offending value (shortened) and tells how to mend it.
"""


class ShoppingError(Exception):
    """Any error that this package raises on purpose; the command line prints it without a traceback."""


class SettingError(ShoppingError):
    """A setting (environment variable or option) has a value that cannot be used."""


class CatalogError(ShoppingError):
    """A catalogue cannot be read, built or opened."""


class CatalogNotFound(CatalogError):
    """The configured catalogue does not exist."""


class CatalogVersionError(CatalogError):
    """A catalogue was built by another, incompatible version."""


class RecordError(CatalogError):
    """One record of a source cannot become a product."""


class ProductNotFound(CatalogError, KeyError):
    """No product of the catalogue has this identifier."""

    __str__ = Exception.__str__


class SearchError(ShoppingError):
    """A search engine or its index cannot be used."""


class IndexNotFound(SearchError):
    """There is no index of the chosen engine for this catalogue."""


class IndexMismatch(SearchError):
    """The index was built from another catalogue, or by another version of its engine."""


class EngineUnavailable(SearchError):
    """The chosen search engine is not installed, or cannot run on this machine."""


class GoalError(ShoppingError, IndexError):
    """A goal index or a set of goals does not exist."""


class ModelError(ShoppingError):
    """The configured language model cannot be used."""


class TrajectoryError(ShoppingError):
    """A trajectory cannot be read, written, exported or played again."""


class TrajectoryNotFound(TrajectoryError):
    """There is no trajectory of this name."""


class SkillError(ShoppingError):
    """A skill cannot be read, built, run or kept."""


class SkillNotFound(SkillError):
    """There is no skill of this id."""


class PolicyError(ShoppingError):
    """A set of policies cannot be read."""


class EvaluationError(ShoppingError):
    """An evaluation that cannot be run, gone on with, or read."""


def shorten(value: object, limit: int = 80) -> str:
    """Return ``repr(value)`` cut to ``limit`` characters, safe to print on any terminal."""
    text = ascii(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
