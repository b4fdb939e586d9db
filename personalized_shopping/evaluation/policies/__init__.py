"""Policies that play the environment directly, without an agent around them."""
