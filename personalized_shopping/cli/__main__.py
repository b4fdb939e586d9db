"""`python -m personalized_shopping.cli` is the `personalized-shopping` command."""

from personalized_shopping.cli.main import main

main()
