"""`a2a`: the agent for other agents."""

import os

import click

from personalized_shopping.cli.output import say
from personalized_shopping.cli.shop_access import use_for_agent
from personalized_shopping.errors import ShoppingError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8001, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 for any.")
@click.option("--url", metavar="URL", help="Address that the agent's card names.  [default: http://HOST:PORT/]")
def a2a(host: str, port: int, url: str | None) -> None:
    """Serve the agent to other agents, by the Agent2Agent protocol.

    Its card lies at /.well-known/agent-card.json. A purchase waits as a task that needs input until the confirmation is
    answered; docs/guard.md shows how. There is no sign-in: keep it on this machine, or put a proxy in front.

    \b
    Examples:
      personalized-shopping a2a
      personalized-shopping a2a --host 0.0.0.0 --url https://shop.example/
    """
    # Every step of ADK's A2A would say that it is experimental.
    for name in ("ADK_SUPPRESS_A2A_EXPERIMENTAL_FEATURE_WARNINGS", "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS"):
        os.environ.setdefault(name, "true")
    try:
        from personalized_shopping.a2a import create_a2a, listen
    except ModuleNotFoundError as error:
        raise ShoppingError(f"A2A needs the extra `a2a` ({error}): pip install 'personalized-shopping[a2a]'.") from None

    with listen(host, port) as bound:
        use_for_agent()
        name = f"[{host}]" if ":" in host else host
        address = url or f"http://{name}:{bound.getsockname()[1]}/"
        import uvicorn

        from personalized_shopping.agent import app

        application = create_a2a(address, app)

        if url is None and host in {"0.0.0.0", "::"}:
            say("Other machines cannot use the address in its card: name one that they reach with --url.")
        say(f"The agent's card: {address.rstrip('/')}/.well-known/agent-card.json (Ctrl-C ends it).")
        uvicorn.Server(uvicorn.Config(application, log_level="warning")).run(sockets=[bound])
