"""Packed answers and refusals are read, and none of them fills the memory."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache

import pytest

from overread.domain.results.answer import Completion
from overread.domain.results.result import Unscored

from .....servers import Reply, answer, refusal, scripted
from .conftest import MakeModel, reply, text_of

HUGE = 200 * 2**20
MOST = 24 * 2**20
"""Bytes that server, client and an answer of at most 4 MiB may take together; the huge body is none of them."""


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "identity": lambda data: data,
}


@cache
def bomb(wbits: int) -> bytes:
    """200 MiB of zeros, packed into 200 KiB."""
    packer = zlib.compressobj(wbits=wbits)
    return b"".join([packer.compress(bytes(2**20)) for _ in range(200)]) + packer.flush()


BODIES: dict[str, Callable[[], Reply]] = {
    "plain": lambda: Reply(b" " * 2**20, times=HUGE >> 20),
    "in chunks": lambda: Reply(b" " * 2**20, times=HUGE >> 20, chunked=True),
    "in chunks without end": lambda: Reply(b" " * 2**16, times=10**9, chunked=True),
    "gzip": lambda: Reply(bomb(16 + zlib.MAX_WBITS), headers={"Content-Encoding": "gzip"}),
    "deflate": lambda: Reply(bomb(zlib.MAX_WBITS), headers={"Content-Encoding": "deflate"}),
    "raw deflate": lambda: Reply(bomb(-zlib.MAX_WBITS), headers={"Content-Encoding": "deflate"}),
    "zstd": lambda: Reply(b" " * 2**20, times=HUGE >> 20, headers={"Content-Encoding": "zstd"}),
    "br": lambda: Reply(b" " * 2**20, times=HUGE >> 20, headers={"Content-Encoding": "br"}),
}


@pytest.mark.parametrize("status", [200, 302, 400, 413, 500])
@pytest.mark.parametrize("body", BODIES)
def test_no_body_fills_the_memory(body: str, status: int, make_model: MakeModel) -> None:
    """However a server sends 200 MiB or more, as an answer or an error, some MiB are the most that is ever held."""
    sent = BODIES[body]()
    headers = {"Content-Type": "application/json", "Location": "http://127.0.0.1/", **sent.headers}
    with scripted(Reply(sent.body, status, headers, times=sent.times, chunked=sent.chunked)) as server:
        model = make_model(server.url, retries=0)
        tracemalloc.start()
        try:
            outcome: Completion | Unscored | Exception = reply(model)
        except Exception as error:  # noqa: BLE001 - a redirect ends a run
            outcome = error
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    assert peak < MOST
    if status == 302:
        assert "redirects to another address (302)" in str(outcome)
    else:
        assert isinstance(outcome, Unscored)
        assert outcome.reason == {200: "no answer", 400: "refused", 413: "too long", 500: "no answer"}[status]
        if status == 200:
            packed = "not requested" if body in ("br", "zstd") else "more than 4194304 bytes"
            assert packed in outcome.detail


@pytest.mark.parametrize("packing", PACKERS)
def test_a_packed_answer_is_read(packing: str, make_model: MakeModel) -> None:
    """Some servers pack what nobody asked them to."""
    whole = answer("fine" * 100_000)
    headers = {"Content-Type": "application/json", "Content-Encoding": packing.removeprefix("raw ")}
    with scripted(Reply(PACKERS[packing](whole.body), headers=headers)) as server:
        assert text_of(reply(make_model(server.url))) == "fine" * 100_000


def test_a_packed_refusal_is_understood(make_model: MakeModel) -> None:
    """What a server explains is read at the size that explanations have."""
    told = refusal(400, "This model's maximum context length is 10 tokens.")
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    with scripted(Reply(gzip.compress(told.body), 400, headers)) as server:
        outcome = reply(make_model(server.url))
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "too long"
