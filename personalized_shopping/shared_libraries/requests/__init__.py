"""Reading what a person asks for: the thing, its colours and sizes, the price, and which option values that means."""
