"""Why a request is not answered: a status and a sentence for the person."""

from personalized_shopping.errors import ShoppingError


class Refusal(ShoppingError):
    """A request that is not answered.

    Args:
        sentence: what the person is told.
        status: the HTTP status.
        retry_after_s: when trying again may help.
    """

    def __init__(self, sentence: str, status: int = 400, retry_after_s: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after_s = retry_after_s


def busy() -> Refusal:
    """Return the refusal of a message that comes while the agent works on another."""
    return Refusal("I am still working on your last message. Wait for the answer, or stop it.", 409)


def question_closed() -> Refusal:
    """Return the refusal of an answer to a question that is not open."""
    return Refusal(
        "This question is no longer open, so nothing was bought. Say that you want to buy, to be asked anew.", 409
    )


def full(retry_after_s: int) -> Refusal:
    """Return the refusal of one conversation too many."""
    return Refusal("Too many people are shopping at the moment. Please try again in a few minutes.", 503, retry_after_s)


def not_set_up() -> Refusal:
    """Return the refusal of a server whose model or catalogue cannot be used."""
    return Refusal("The assistant cannot be used at the moment. The server's log says why.", 503, 60)


def too_many_messages() -> Refusal:
    """Return the refusal of a conversation that has become too long."""
    return Refusal("This conversation has become very long. Start a new one to go on.", 409)
