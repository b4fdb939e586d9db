"""Lucene itself, through the jar that Pyserini carries: the engine behind every published WebShop score.

Only Pyserini's Java side is used (the class that its ``LuceneSearcher`` wraps, with the same hits), so neither torch
nor a system Java is needed; ``install`` has the recipe.
"""
