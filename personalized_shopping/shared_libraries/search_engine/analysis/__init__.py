"""Text analysis that equals Lucene's for English: what becomes of a title or a query before it is looked up."""

from personalized_shopping.shared_libraries.search_engine.analysis.english import EnglishAnalyzer

__all__ = ["EnglishAnalyzer"]
