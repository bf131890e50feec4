"""Faults on the way to a server and back: what is tried again, what is not, and what ends a run."""

from __future__ import annotations

import threading
import time
from email.utils import formatdate
from threading import Barrier, Event

import pytest
from attrs import evolve

from overread.adapters.llm.chat_server._line import _seconds
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

from .....servers import Received, Reply, answer, broken_off, free_port, refusal, scripted
from .conftest import MakeModel, ask, replies, reply, text_of

GOOD = answer("fine")


@pytest.mark.parametrize(
    "fault",
    [
        refusal(500),
        refusal(503),
        refusal(429),
        refusal(408),
        refusal(409),
        broken_off(GOOD),
        broken_off(refusal(500)),
        Reply(),
        Reply(b"<html>proxy</html>", headers={"Content-Type": "text/html"}),
        Reply(GOOD.body[:40]),
        Reply(b'{"choices": []}'),
    ],
)
def test_a_fault_is_tried_again(fault: Reply, make_model: MakeModel) -> None:
    """Overloads, broken connections and torn answers pass."""
    with scripted(fault, GOOD) as server:
        assert text_of(reply(make_model(server.url))) == "fine"
    assert len(server.received) == 2
    assert server.received[0].body == server.received[1].body


def test_a_fault_that_stays_is_no_answer(make_model: MakeModel) -> None:
    """The status is told, the server's message is not."""
    with scripted(refusal(500, "the report says effusion")) as server:
        outcome = reply(make_model(server.url, retries=2))
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "no answer"
    assert "status 500" in outcome.detail
    assert "effusion" not in repr(outcome)
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (Reply(b"hm", headers={"Content-Type": "text/plain"}), "content type"),
        (Reply(b'{"choices": ['), "is not JSON"),
        (Reply(b'{"choices": []}'), "no choice"),
    ],
)
def test_an_answer_that_makes_no_sense_is_asked_for_once_more(body: Reply, problem: str, make_model: MakeModel) -> None:
    """A server that words nonsense once may do so always."""
    with scripted(body) as server:
        outcome = reply(make_model(server.url, retries=5))
    assert isinstance(outcome, Unscored)
    assert (outcome.reason, len(server.received)) == ("no answer", 2)
    assert problem in outcome.detail


def test_an_answer_without_end_is_dropped(make_model: MakeModel) -> None:
    """A model that repeats itself does not fill the memory, and is not asked again."""
    with scripted(answer("x" * 10_000_000)) as server:
        outcome = reply(make_model(server.url))
    assert isinstance(outcome, Unscored)
    assert (outcome.reason, len(server.received)) == ("no answer", 1)
    assert "more than 4194304 bytes" in outcome.detail


def test_the_longest_answer_can_be_set(make_model: MakeModel) -> None:
    """Models that think aloud need more room."""
    with scripted(answer("x" * 10_000_000)) as server:
        assert len(text_of(reply(make_model(server.url, max_answer_mib=16)))) == 10_000_000


def test_a_slow_answer_is_given_up(make_model: MakeModel) -> None:
    """A server that hangs does not hang the run."""
    with scripted(answer("late", wait_s=60)) as server:
        outcome = reply(make_model(server.url, timeout_s=0.3, retries=1))
        server.wait_for(2)
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "no answer"
    assert "within 0.3 s" in outcome.detail


def test_an_answer_that_trickles_in_is_given_up(make_model: MakeModel) -> None:
    """The time is that of the whole answer and not of each part."""
    with scripted(evolve(GOOD, pause_s=0.2)) as server:
        start = time.monotonic()
        outcome = reply(make_model(server.url, timeout_s=0.3, retries=0))
    assert isinstance(outcome, Unscored)
    assert "within 0.3 s" in outcome.detail
    assert time.monotonic() - start < len(GOOD.body) * 0.2 / 2


def test_headers_that_trickle_in_are_given_up(make_model: MakeModel) -> None:
    """However small the wait for each of them is."""
    with scripted(evolve(GOOD, head_pause_s=0.05)) as server:
        start = time.monotonic()
        outcome = reply(make_model(server.url, timeout_s=0.3, retries=0))
        took = time.monotonic() - start
    assert isinstance(outcome, Unscored)
    assert "within 0.3 s" in outcome.detail
    assert took < 25  # all of it takes 50 s


def test_a_refusal_that_trickles_in_is_given_up(make_model: MakeModel) -> None:
    """The time holds for the bodies of errors, too."""
    with scripted(evolve(refusal(400, "x" * 1000), pause_s=0.05)) as server:
        start = time.monotonic()
        outcome = reply(make_model(server.url, timeout_s=0.3, retries=0))
        took = time.monotonic() - start
    assert isinstance(outcome, Unscored)
    assert (outcome.reason, "within 0.3 s" in outcome.detail) == ("no answer", True)
    assert took < 25  # all of it takes 50 s


def test_time_that_is_over_between_requests_harms_none(make_model: MakeModel) -> None:
    """The end of one request's time meets neither the next nor the thread that waits for nothing."""
    with scripted(GOOD) as server:
        model = make_model(server.url, timeout_s=2, retries=0, concurrency=1)
        texts = []
        for _ in range(6):
            texts.append(text_of(reply(model)))
            time.sleep(0.5)
    assert texts == ["fine"] * 6
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def test_the_server_says_when_to_come_back(make_model: MakeModel) -> None:
    """Coming sooner would be refused again."""
    with scripted(refusal(429, headers={"Retry-After": "1"}), GOOD) as server:
        start = time.monotonic()
        assert text_of(reply(make_model(server.url))) == "fine"
    assert time.monotonic() - start >= 1.0


def test_coming_back_has_a_limit(make_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server cannot hold up a run for hours."""
    monkeypatch.setattr("overread.adapters.llm.chat_server._line._LONGEST_RETRY_AFTER_S", 0.01)
    with scripted(refusal(429, headers={"Retry-After": "3600"}), GOOD) as server:
        assert text_of(reply(make_model(server.url))) == "fine"


def test_the_time_to_come_back_may_be_a_date() -> None:
    """Seconds and dates are both allowed by HTTP; nonsense is no time."""
    in_a_minute = _seconds(formatdate(time.time() + 60, usegmt=True))
    assert in_a_minute is not None
    assert 30 < in_a_minute <= 60
    assert _seconds(formatdate(time.time() - 60, usegmt=True)) == 0
    assert [_seconds(text) for text in ("2", "soon", "-1", "", None)] == [2, None, None, None, None]


def test_closing_ends_waits_and_is_no_fault_of_the_server(make_model: MakeModel) -> None:
    """A model that was stopped can be asked again."""
    all_wait = Barrier(7, timeout=300)

    def script(received: Received) -> Reply:
        if received.said == "again":
            return GOOD
        all_wait.wait()
        return answer("fine", wait_s=0.3) if received.said == "quick" else refusal(429, headers={"Retry-After": "50"})

    with scripted(script) as server:
        model = make_model(server.url, concurrency=7)
        outcomes = model.complete([ask("quick"), *[ask("wait")] * 6])
        index, _ = next(outcomes)
        assert index == 0
        start = time.monotonic()
        outcomes.close()  # type: ignore[attr-defined]
        Event().wait(0.3)
        assert len(server.received) == 7
        assert text_of(reply(model, ask("again"))) == "fine"
    assert time.monotonic() - start < 40


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_request_that_is_refused_is_not_tried_again(status: int, make_model: MakeModel) -> None:
    """The same request would be refused again; the code is told, the words are not."""
    with scripted(refusal(status, "no effusion, please", code="invalid_request")) as server:
        outcome = reply(make_model(server.url))
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "refused"
    assert f"({status}, invalid_request)" in outcome.detail
    assert "effusion" not in outcome.detail
    assert len(server.received) == 1


def test_one_request_that_is_too_long_leaves_the_others_alone(make_model: MakeModel) -> None:
    """A run of long reports does not pass for a broken server."""

    def script(received: Received) -> Reply:
        long = len(received.said) > 100
        return refusal(400, "maximum context length is 100", code="context_length_exceeded") if long else GOOD

    with scripted(script) as server:
        requests = [ask("x" * 200 if index % 2 else "short") for index in range(20)]
        outcomes = replies(make_model(server.url, concurrency=1), *requests)
        assert [isinstance(o, Unscored) and o.reason for o in outcomes] == [False, "too long"] * 10
        only_long = replies(make_model(server.url), *requests[1::2])
        assert {isinstance(o, Unscored) and o.reason for o in only_long} == {"too long"}


def test_requests_that_fail_now_and_then_do_not_end_the_run(make_model: MakeModel) -> None:
    """Every answer in between shows that the server works."""

    def script(received: Received) -> Reply:
        return refusal(400) if received.said == "bad" else GOOD

    with scripted(script) as server:
        requests = [ask("bad" if index % 2 else "good") for index in range(20)]
        outcomes = replies(make_model(server.url, concurrency=1), *requests)
    assert [isinstance(o, Unscored) and o.reason for o in outcomes] == [False, "refused"] * 10


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (refusal(401), r"does not accept the key \(401\)"),
        (refusal(404, code="model_not_found"), r"has no model 'm'.*'/v1' \(404\)"),
        (refusal(402), "payment"),
        (refusal(429, code="insufficient_quota"), "quota"),
    ],
)
def test_a_server_that_no_request_can_use_ends_the_run(response: Reply, problem: str, make_model: MakeModel) -> None:
    """A wrong key would fail a thousand times; a few requests tell, and the remedy with them."""
    with scripted(response) as server:
        model = make_model(server.url, concurrency=2)
        with pytest.raises(ConfigurationError, match=problem):
            list(model.complete([ask(str(number)) for number in range(1000)]))
        sent = len(server.received)
        assert sent <= 8
        with pytest.raises(ConfigurationError, match=problem):
            reply(model)
        assert len(server.received) == sent


def test_nobody_there_ends_the_run(make_model: MakeModel) -> None:
    """The address is told with the likeliest reason."""
    model = make_model(f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:\d+ cannot be reached; is the server running"):
        list(model.complete([ask(str(number)) for number in range(1000)]))


@pytest.mark.parametrize("response", [refusal(500), refusal(403), refusal(400), Reply(b"[]")])
def test_a_server_that_never_answers_ends_the_run(response: Reply, make_model: MakeModel) -> None:
    """Failure after failure is the fault of the server and not of the pairs."""
    with scripted(response) as server:
        model = make_model(server.url, retries=1, concurrency=2)
        with pytest.raises(ConfigurationError, match="5 requests in a row got no answer"):
            list(model.complete([ask(str(number)) for number in range(1000)]))
    assert len(server.received) <= 20


def test_what_came_before_the_end_is_handed_over(make_model: MakeModel) -> None:
    """Answers that were paid for are not lost."""
    with scripted(GOOD, GOOD, refusal(401)) as server:
        outcomes = make_model(server.url, concurrency=1).complete([ask(str(number)) for number in range(5)])
        assert [text_of(next(outcomes)[1]) for _ in range(2)] == ["fine", "fine"]
        with pytest.raises(ConfigurationError):
            next(outcomes)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(status: int, make_model: MakeModel, tried: list[str]) -> None:
    """A redirect would take reports to another machine."""
    with scripted(GOOD) as other:
        here, away = f"{other.url}/chat/completions", "http://example.org/v1/chat/completions"
        with scripted(*(Reply(status=status, headers={"Location": target}) for target in (here, away))) as server:
            for _ in range(2):
                with pytest.raises(ConfigurationError, match=rf"redirects to another address \({status}\)"):
                    reply(make_model(server.url))
        assert len(server.received) == 2
        assert other.received == []
    assert tried == []


def set_proxy(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "hush")


@pytest.mark.parametrize("options", [{}, {"proxy": True}])
def test_proxies_of_the_environment_are_not_used_for_this_machine(
    options: dict[str, bool], make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports for a local model stay on the machine."""
    with scripted(refusal(500)) as proxy, scripted(GOOD) as server:
        set_proxy(monkeypatch, proxy.port)
        assert text_of(reply(make_model(server.url, allow_remote=True, **options))) == "fine"
    assert proxy.received == []


def test_another_machine_is_reached_through_a_proxy_only_where_asked_for(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch, tried: list[str]
) -> None:
    """A proxy is another machine that reads along."""
    with scripted(GOOD) as proxy:
        set_proxy(monkeypatch, proxy.port)
        url = "http://llm.example.org/v1"
        with pytest.raises(ConfigurationError, match="cannot be reached"):
            reply(make_model(url, allow_remote=True, retries=0))
        assert (tried, proxy.received) == (["llm.example.org"], [])
        assert text_of(reply(make_model(url, allow_remote=True, proxy=True))) == "fine"
    assert [received.path for received in proxy.received] == ["http://llm.example.org/v1/chat/completions"]
    assert tried == ["llm.example.org"]


def test_an_address_that_no_client_takes_is_told_before_anything_is_sent(make_model: MakeModel) -> None:
    """Odd spellings of an address are refused even where remote servers are allowed."""
    with pytest.raises(ConfigurationError, match="base_url must be"):
        make_model("http://0177.0.0.1/v1", allow_remote=True)


def test_an_answer_that_was_broken_off_is_asked_for_once_more(make_model: MakeModel) -> None:
    """An answer that does not say it is complete may lack its end."""
    with scripted(answer("1", "abort")) as server:
        outcome = reply(make_model(server.url, retries=5))
    assert isinstance(outcome, Unscored)
    assert (outcome.reason, len(server.received)) == ("no answer", 2)
    assert "does not say that it is complete" in outcome.detail
