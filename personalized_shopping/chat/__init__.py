"""The shopping chat for people, at ``/chat``."""

from personalized_shopping.chat.routes import Chat

__all__ = ["Chat"]
