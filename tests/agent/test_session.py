"""The registry of conversations."""

import asyncio

import pytest

from personalized_shopping.session import Registry, load_session, save_session
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession


async def test_calls_are_taken_first_come_first_served() -> None:
    conversation = Registry().conversation("app", "user", "session")
    done: list[int] = []

    async def visit(number: int) -> None:
        async with conversation.turn(f"call-{number}"):
            for _ in range(5 - number):
                await asyncio.sleep(0)
            done.append(number)

    await asyncio.gather(*(visit(number) for number in range(5)))
    assert done == [0, 1, 2, 3, 4]


async def test_a_call_that_has_its_turn_may_enter_again_and_others_wait() -> None:
    conversation = Registry().conversation("app", "user", "session")
    order: list[str] = []

    async def other() -> None:
        async with conversation.turn("b"):
            order.append("b")

    async with conversation.turn("a"):
        waiting = asyncio.create_task(other())
        await asyncio.sleep(0)
        async with conversation.turn("a"):
            order.append("a inside")
        await asyncio.sleep(0)
        order.append("a")
    await waiting
    assert order == ["a inside", "a", "b"]


async def test_a_failing_call_gives_its_turn_back() -> None:
    conversation = Registry().conversation("app", "user", "session")
    with pytest.raises(ValueError):
        async with conversation.turn("a"):
            raise ValueError
    assert not conversation.busy
    async with conversation.turn("a"):
        pass


async def test_entries_are_one_per_conversation() -> None:
    registry = Registry()
    one = registry.conversation("app", "user", "one")
    assert registry.conversation("app", "user", "one") is one
    assert registry.conversation("app", "user", "two") is not one
    assert registry.conversation("app", "other", "one") is not one


async def test_the_least_recently_used_idle_conversations_are_forgotten() -> None:
    registry = Registry(limit=3)
    busy = registry.conversation("app", "user", "busy")
    async with busy.turn("call"):
        for number in range(10):
            registry.conversation("app", "user", str(number))
            assert len(registry) <= 3
        assert registry.conversation("app", "user", "busy") is busy
    nine = registry.conversation("app", "user", "9")
    assert registry.conversation("app", "user", "9") is nine


def test_a_conversation_survives_a_new_event_loop() -> None:
    registry, visits = Registry(), []

    async def crowd() -> None:
        conversation = registry.conversation("app", "user", "session")

        async def visit(call: str) -> None:
            async with conversation.turn(call):
                await asyncio.sleep(0)
                visits.append(call)

        await asyncio.gather(visit("a"), visit("b"))

    asyncio.run(crowd())
    asyncio.run(crowd())
    assert visits == ["a", "b", "a", "b"]


def test_a_place_in_the_shop_goes_through_state_unchanged() -> None:
    place = ShopSession(kind="item", keywords=("a", ""), asin="B1", options={"size": "7"}, counts={"search": 2})
    state: dict[str, object] = {}
    save_session(state, place)
    assert load_session(state) == place
    assert load_session({}) is None
    assert load_session({"shop": None}) is None
