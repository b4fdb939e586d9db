"""Lucene itself, through the Anserini toolkit that Pyserini ships; optional, and installed by one command."""
