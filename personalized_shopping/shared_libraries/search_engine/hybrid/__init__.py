"""Keywords and meaning together: BM25 and sentence embeddings, fused by reciprocal rank. Opt-in.

It finds what shares no word with the query, and so it **changes the environment's results**: scores taken with it do
not compare with WebShop's.
"""
