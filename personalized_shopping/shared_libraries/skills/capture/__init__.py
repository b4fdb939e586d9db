"""From a page to what is known about it: its elements, their roles and names, and the tree of its controls."""
