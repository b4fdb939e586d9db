"""The demo catalogue: the same everywhere, believable, and with requests that its products satisfy."""

import base64
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from xml.etree import ElementTree

import msgspec
import pytest

from personalized_shopping.shared_libraries.catalog import Product, SourceRecord, demo

DEPARTMENTS = {"fashion", "beauty", "electronics", "garden", "grocery"}
MAX_IMAGE_CHARS = 3_000
_IMAGE_PREFIX = "data:image/svg+xml;base64,"
_SVG = "{http://www.w3.org/2000/svg}svg"


def made(count: int, seed: int = demo.DEFAULT_SEED) -> list[Product]:
    records = list(demo.demo_source(count, seed))
    assert all(isinstance(record, SourceRecord) for record in records), "the demo's own records are all usable"
    return [record.product for record in records if isinstance(record, SourceRecord)]


@pytest.fixture(scope="module")
def products() -> list[Product]:
    return made(demo.DEFAULT_PRODUCTS)


def texts(product: Product) -> list[str]:
    said = [text for review in product.reviews for text in (review.title, review.body)]
    return [product.title or "", product.description or "", *(bullet or "" for bullet in product.bullets), *said]


def test_there_is_enough_of_everything(products: list[Product]) -> None:
    assert len(products) >= 1_000
    assert set(Counter(product.category for product in products)) == DEPARTMENTS
    assert min(Counter(product.category for product in products).values()) >= 100
    assert len({product.query for product in products}) >= 60
    requests = [written for product in products for written in product.human_instructions]
    assert len(requests) >= 150
    assert len({written.instruction for written in requests}) >= 0.9 * len(requests)
    assert sum(product.instruction_text is not None for product in products) >= 300
    assert sum(bool(product.options) for product in products) >= 400
    assert sum(len(product.pricing) == 2 for product in products) >= 100


def test_identifiers_are_unique_also_in_a_larger_one(products: list[Product]) -> None:
    for some in (products, made(5_000)):
        assert len({product.asin for product in some}) == len(some)
        assert all(re.fullmatch(r"B0[A-Z0-9]{8}", product.asin) for product in some)


def test_the_same_on_every_machine() -> None:
    code = (
        "import hashlib, msgspec; from personalized_shopping.shared_libraries.catalog import demo;"
        "print(hashlib.sha256(b''.join(msgspec.json.encode(r) for r in demo.demo_source(200, 5))).hexdigest())"
    )
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        digests.add(done.stdout.strip())
    own = b"".join(msgspec.json.encode(record) for record in demo.demo_source(200, 5))
    assert digests == {hashlib.sha256(own).hexdigest()}
    assert own != b"".join(msgspec.json.encode(record) for record in demo.demo_source(200, 6))


def test_every_request_is_satisfied_by_its_product(products: list[Product]) -> None:
    for product in products:
        values = {value for some in product.options.values() for value in some}
        for written in product.human_instructions:
            wanted = written.options.values() if isinstance(written.options, dict) else written.options
            assert set(written.attributes) <= set(product.attributes), written.instruction
            assert set(wanted) <= values, written.instruction
            assert all(value in written.instruction for value in wanted), written.instruction


def test_texts_read_like_a_listing(products: list[Product]) -> None:
    for product in products:
        assert product.title and len(product.title) <= 200
        assert len(product.bullets) >= 3
        for text in texts(product):
            assert "{" not in text and "  " not in text and text == text.strip(), text


def test_prices_have_two_decimals(products: list[Product]) -> None:
    for product in products:
        assert re.fullmatch(r"\$\d+\.\d[1-9]( to \$\d+\.\d[1-9])?", product.price), product.price
        assert list(product.pricing) == sorted(product.pricing)


def test_pictures_are_small_drawings_of_our_own(products: list[Product]) -> None:
    for product in islice(products, 0, None, 7):
        for image in (*product.images, *product.option_images.values()):
            if image is None:
                continue
            assert image.startswith(_IMAGE_PREFIX) and len(image) <= MAX_IMAGE_CHARS
            source = base64.b64decode(image.removeprefix(_IMAGE_PREFIX)).decode()
            assert ElementTree.fromstring(source).tag == _SVG
            assert "http" not in source.replace("http://www.w3.org/2000/svg", "")


def test_ratings_are_what_the_reviews_say(products: list[Product]) -> None:
    for product in products:
        scores = [float(review.score) for review in product.reviews]
        assert 2 <= len(scores) <= 8
        assert all(1 <= score <= 5 for score in scores)
        assert float(product.rating) == pytest.approx(sum(scores) / len(scores), abs=0.06)
