"""Bodies are unpacked in small steps, and no further than they may be."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.httpclient._unpacking import UnpackingError, unpack


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "identity": lambda data: data,
}


def in_pieces(data: bytes, size: int) -> Iterator[bytes]:
    yield from (data[start : start + size] for start in range(0, len(data), size))


@pytest.mark.parametrize("packing", PACKERS)
@given(data=st.binary(max_size=300), times=st.integers(1, 2000), size=st.integers(1, 5000))
def test_what_is_short_enough_comes_whole(packing: str, data: bytes, times: int, size: int) -> None:
    """However it is packed, and into whichever pieces the network cuts it."""
    body = data * times
    pieces = in_pieces(PACKERS[packing](body), size)
    assert b"".join(unpack(pieces, packing.removeprefix("raw "), len(body) + 1)) == body


@pytest.mark.parametrize("packing", PACKERS)
def test_no_piece_beyond_the_limit_is_asked_for(packing: str) -> None:
    """A body without end ends at the limit."""
    taken = []

    def pieces() -> Iterator[bytes]:
        for piece in in_pieces(PACKERS[packing](bytes(10**7)), 1000):
            taken.append(len(piece))
            yield piece

    come = b"".join(unpack(pieces(), packing.removeprefix("raw "), 5000))
    assert 5000 <= len(come) < 5000 + 2**16
    assert len(taken) <= 5


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "nonsense"])
def test_what_was_not_asked_for_is_not_unpacked(encoding: str) -> None:
    """Nor is what is packed twice."""
    with pytest.raises(UnpackingError, match="not requested"):
        list(unpack([b"x"], encoding, 10))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_is_damaged_is_told(encoding: str) -> None:
    """In words that quote nothing."""
    with pytest.raises(UnpackingError, match="cannot be decompressed"):
        list(unpack([b"x\x9ceffusion effusion"], encoding, 1000))
