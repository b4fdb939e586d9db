"""The shop as a website for people, with WebShop's routes, elements and log."""
