"""Texts in memory that processes share, so that ``gymnasium.vector.AsyncVectorEnv`` takes this space as any other.

Gymnasium reads its shared memory once, when the vector environment is made, and then hands out copies of what it read.
That suits arrays, which look at the memory, and would show the first texts for ever. What is read here looks as well.
"""

from collections.abc import Sequence
from ctypes import c_int64, c_uint8
from typing import Any, NamedTuple

from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

from personalized_shopping.shared_libraries.web_agent_site.envs.spaces import UnicodeText

SHARED_TEXT_BYTES = 256 * 1024
"""Room for one observation in UTF-8; the longest page of WebShop's 1,000 products has 18 kB of HTML."""
_ENCODING, _ERRORS = "utf-8", "surrogatepass"


class TextMemory(NamedTuple):
    """How many bytes each text has, and the bytes, a slot of ``SHARED_TEXT_BYTES`` for each."""

    sizes: Any
    slots: Any


class SharedTexts(Sequence[str]):
    """The texts that stand in the memory now. A deep copy of it is a tuple that stays as it is."""

    def __init__(self, memory: TextMemory) -> None:
        self._memory = memory

    def __len__(self) -> int:
        return len(self._memory.sizes)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = range(len(self))[index]
        start = number * SHARED_TEXT_BYTES
        data = memoryview(self._memory.slots).cast("B")[start : start + self._memory.sizes[number]]
        return str(data, _ENCODING, _ERRORS)

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"SharedTexts({tuple(self)!r})"


@create_shared_memory.register(UnicodeText)
def _create(space: UnicodeText, n: int = 1, ctx: Any = None) -> TextMemory:
    return TextMemory(ctx.RawArray(c_int64, n), ctx.RawArray(c_uint8, n * SHARED_TEXT_BYTES))


@read_from_shared_memory.register(UnicodeText)
def _read(space: UnicodeText, shared_memory: TextMemory, n: int = 1) -> SharedTexts:
    return SharedTexts(shared_memory)


@write_to_shared_memory.register(UnicodeText)
def _write(space: UnicodeText, index: int, value: str, shared_memory: TextMemory) -> None:
    data = value.encode(_ENCODING, _ERRORS)
    if len(data) > SHARED_TEXT_BYTES:
        raise ValueError(
            f"An observation of {len(data)} bytes does not fit into the shared memory, which has "
            f"{SHARED_TEXT_BYTES} for each environment. Make the vector environment without it: "
            "vector_kwargs={'shared_memory': False}."
        )
    start = index * SHARED_TEXT_BYTES
    memoryview(shared_memory.slots).cast("B")[start : start + len(data)] = data
    shared_memory.sizes[index] = len(data)
