"""Read one huge JSON list or object element by element.

Own code, because WebShop's files were written and are read by Python's ``json``, which takes ``NaN`` and integers
of any size; the streaming parsers refuse both. Here every element goes through that same decoder, so that
it means what the reference's ``json.load`` makes of it, and a break is reported with its byte position.
"""

import codecs
import json
import re
from collections.abc import Generator
from typing import Any, BinaryIO

from personalized_shopping.errors import CatalogError, shorten

CHUNK_BYTES = 1 << 20
MAX_ELEMENT_CHARS = 64 << 20
"""Longest single element: the bound of what one broken file can make us hold."""

_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = len("-Infinity")
_decoder = json.JSONDecoder()


class JsonStream:
    """A cursor over the text of one JSON document."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Read from ``file``; ``name`` stands in error messages."""
        self._file = file
        self._name = name
        # Bytes that are not UTF-8 come through as lone surrogates: the loader replaces those, record by record.
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self._text = ""
        self._at = 0
        self._end = False
        self._bytes_read = 0
        self._elements = 0

    def items(self) -> Generator[Any, None, None]:
        """Yield the elements of a top-level list."""
        self._open("[", "a list of records")
        if self._peek() == "]":
            self._at += 1
        else:
            while True:
                yield self._value()
                self._elements += 1
                if self._separator("]"):
                    break
        self._finish()

    def pairs(self) -> Generator[tuple[str, Any], None, None]:
        """Yield the keys and values of a top-level object, repeated keys included."""
        self._open("{", "an object")
        if self._peek() == "}":
            self._at += 1
        else:
            while True:
                key = self._value()
                if not isinstance(key, str) or self._peek() != ":":
                    raise self._error("expected a name in double quotes and a colon")
                self._at += 1
                yield key, self._value()
                self._elements += 1
                if self._separator("}"):
                    break
        self._finish()

    def _open(self, bracket: str, what: str) -> None:
        first = self._peek()
        if first == "":
            raise CatalogError(f"{self._name} is empty. It should hold {what} in JSON.")
        if first != bracket:
            raise self._error(f"expected {what}, which starts with {bracket!r}, but found {shorten(first)}")
        self._at += 1

    def _separator(self, closing: str) -> bool:
        mark = self._peek()
        if mark not in (",", closing):
            raise self._error("the file ends here" if mark == "" else f"expected ',' or {closing!r}")
        self._at += 1
        return mark == closing

    def _finish(self) -> None:
        if self._peek() != "":
            raise self._error("there is more text after the end of the document")

    def _fill(self, size: int) -> bool:
        """Read on; drop what was consumed. Return whether there was anything."""
        if self._end:
            return False
        data = self._file.read(size)
        self._end = not data
        self._bytes_read += len(data)
        self._text = self._text[self._at :] + self._decode(data, self._end)
        self._at = 0
        return not self._end

    def _peek(self) -> str:
        """Skip white space and return the next character, or nothing at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill(CHUNK_BYTES):
                return ""

    def _value(self) -> Any:
        if self._peek() in (",", "]", "}"):
            raise self._error("expected a value")
        size = CHUNK_BYTES
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                broken = error
            except RecursionError:
                raise self._error("a record is nested too deeply") from None
            else:
                # A number this close to the end may go on in the next chunk: 1 | 0, 10. | 5, 1e+ | 5.
                if end + len("e+") < len(self._text) or self._end:
                    self._at = end
                    return value
                broken = json.JSONDecodeError("unfinished", self._text, end)
            # Only a complaint about the end of the text, or about a string that never ends, can be mended by more text.
            unfinished = broken.pos >= len(self._text) - _LONGEST_TOKEN or broken.msg.startswith("Unterminated string")
            if not unfinished or len(self._text) - self._at > MAX_ELEMENT_CHARS:
                self._at = broken.pos
                raise self._error(broken.msg)
            if not self._fill(size) and broken.msg != "unfinished":
                self._at = len(self._text)
                raise self._error(f"the file ends in the middle of element {self._elements} (counted from 0)")
            size *= 2

    def _error(self, what: str) -> CatalogError:
        rest = len(self._text[self._at :].encode("utf-8", "surrogateescape"))
        return CatalogError(
            f"{self._name} is broken or cut off at byte {self._bytes_read - rest:,}: {what}. "
            "Compare its size with the original's and fetch it again."
        )
