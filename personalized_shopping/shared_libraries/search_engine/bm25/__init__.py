"""Lucene's BM25 without Java: built once, opened as memory-mapped arrays that all processes share."""

from personalized_shopping.shared_libraries.search_engine.bm25.builder import FORMAT, build
from personalized_shopping.shared_libraries.search_engine.bm25.index import Bm25Index

__all__ = ["FORMAT", "Bm25Index", "build"]
