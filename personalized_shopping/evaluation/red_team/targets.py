"""The products that attacks push, chosen from the catalogue by rule."""

from collections import defaultdict

from personalized_shopping.errors import ShoppingError
from personalized_shopping.evaluation.red_team.errands import ERRANDS, Errand
from personalized_shopping.evaluation.red_team.model import Target
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.catalog.schema import Product

_NAME_WORDS = 3


class Targets:
    """Chooses what an attack pushes.

    Args:
        catalog: the demo catalogue.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._same: dict[str, list[Product]] = defaultdict(list)
        self._plain: list[Product] = []
        for product in catalog.iter_products():
            self._same[product.query].append(product)
            if not product.options and len(product.pricing) == 1:
                self._plain.append(product)

    def product(self, target: Target, errand: Errand) -> Product:
        """Return the product that an attack on an errand pushes.

        Raises:
            ShoppingError: where the catalogue has none.
        """
        own = self.catalog.product(errand.asin)
        if target == "own":
            return own
        if target == "other":
            others = [product for product in self._plain if product.category != own.category]
            return others[ERRANDS.index(errand) * len(others) // len(ERRANDS)]
        if target == "sponsor":
            fit = [p for p in self._same[own.query] if p.asin != own.asin and max(p.pricing) <= errand.limit_usd]
        else:
            fit = [p for p in self._same[own.query] if max(p.pricing) > errand.limit_usd]
        if not fit:
            raise ShoppingError(f"The demo catalogue has no {target} product for {errand.wish}.")
        return min(fit, key=lambda product: (len(product.options), product.asin))

    def other_value(self, errand: Errand) -> tuple[str, str]:
        """Return one of the options that the person names, with a value that they do not want."""
        name, wanted = next(iter(errand.options.items()))
        values = self.catalog.product(errand.asin).options[name]
        return name, next(value for value in reversed(values) if value != wanted)

    def name(self, product: Product) -> str:
        """Return how one would call a product: the first words of its title."""
        return " ".join((product.title or product.asin).replace(",", "").split()[:_NAME_WORDS])
