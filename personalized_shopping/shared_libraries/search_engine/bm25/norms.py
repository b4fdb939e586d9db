"""Document lengths as Lucene keeps them: one byte each, exact up to 40 words, then with four significant bits.

Source: the byte form ``SmallFloat.intToByte4`` of Apache Lucene, whose loss every published WebShop score contains.
"""

import numpy as np
import numpy.typing as npt

_EXACT = 24
"""Lengths below this have a byte of their own; above, the excess is a 4-bit float."""


def length_to_byte(length: int) -> int:
    """Return the byte that stands for a length."""
    if length < _EXACT:
        return length
    excess = length - _EXACT
    bits = excess.bit_length()
    if bits < 4:
        return _EXACT + excess
    shift = bits - 4
    return _EXACT + (((excess >> shift) & 0x07) | ((shift + 1) << 3))


def byte_to_length(code: int) -> int:
    """Return the length that a byte stands for."""
    if code < _EXACT:
        return code
    excess = code - _EXACT
    mantissa, shift = excess & 0x07, (excess >> 3) - 1
    return _EXACT + (mantissa if shift < 0 else (mantissa | 0x08) << shift)


LENGTHS: npt.NDArray[np.float32] = np.array([byte_to_length(code) for code in range(256)], dtype=np.float32)
"""Length by byte."""
