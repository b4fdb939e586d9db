"""The chat's limits, each a plain number with a name."""

MAX_LIVE_CHATS = 1_000
"""Conversations that the process holds at once."""
IDLE_AFTER_S = 900.0
"""For how long after its last message a conversation is never given up for another's; newcomers are asked to wait."""
MAX_BODY_BYTES = 64_000
"""Largest request body."""
MAX_MESSAGE_CHARS = 4_000
"""Longest message that a person may send."""
MAX_MESSAGES = 300
"""Messages and answers in one conversation; each one is read by the model again with every later one."""
MAX_MODEL_CALLS = 60
"""Model calls for one message; a shopper that needs more is lost."""
TURN_TIMEOUT_S = 300.0
"""How long the agent may work on one message before it is stopped."""
TURN_GRACE_S = 30.0
"""How long a stopped run may take to finish the tool call that it is in."""
HEARTBEAT_S = 15.0
"""How often a silent stream says that it is still there; proxies close connections that are quiet for long."""
MAX_CARD_IMAGE_CHARS = 60_000
"""Longest `data:` address of an image on a product card; a card with a longer one shows a drawn tile."""
MAX_LINK_CHARS = 2_000
"""Longest https address of an image on a product card."""
COOKIE_AGE_S = 30 * 24 * 3_600
"""How long a browser keeps its conversation."""
