"""All conversations, made from their tables over the demo catalogue."""

from functools import cache

from personalized_shopping.evaluation.conversations.building import Builder
from personalized_shopping.evaluation.conversations.cases_asking import add_asking
from personalized_shopping.evaluation.conversations.cases_buying import add_buying
from personalized_shopping.evaluation.conversations.cases_turning import add_turning
from personalized_shopping.evaluation.conversations.model import KINDS, ConversationTask
from personalized_shopping.shared_libraries.catalog import Catalog


def cases() -> list[ConversationTask]:
    """Return all conversations over the demo catalogue, by kind; it is made where it is missing."""
    return list(_demo_cases())


def build_cases(catalog: Catalog) -> list[ConversationTask]:
    """Return all conversations over a demo catalogue that is open already."""
    build = Builder(catalog)
    for add in (add_buying, add_asking, add_turning):
        add(build)
    return sorted(build.tasks, key=lambda task: KINDS.index(task.kind))


@cache
def _demo_cases() -> tuple[ConversationTask, ...]:
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

    with demo_shop().catalog as catalog:
        return tuple(build_cases(catalog))
