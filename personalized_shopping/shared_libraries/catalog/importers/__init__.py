"""Sources of products: WebShop's files, and people's own in JSON, JSON Lines, CSV and YAML."""
