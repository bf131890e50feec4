"""What is sent, what comes back, and what a server's ways teach."""

from __future__ import annotations

import logging
import os
from threading import Barrier, Event

import pytest

from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

from .....servers import Received, Reply, answer, refusal, scripted
from .conftest import SCHEMA, MakeModel, ask, replies, reply, text_of

VALID = answer('{"errors": 2}')


def form(received: Received) -> str:
    return str(received.body.get("response_format", {}).get("type", "off"))


def test_what_is_sent(make_model: MakeModel) -> None:
    """Temperature and seed are sent, so that the answer can be had again."""
    with scripted(VALID) as server:
        reply(make_model(server.url), ask("any errors?", max_tokens=99))
    [received] = server.received
    assert received.path == "/v1/chat/completions"
    assert received.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "any errors?"}],
        "max_tokens": 99,
        "temperature": 0.0,
        "seed": 7,
    }
    assert received.headers["Authorization"] == "Bearer none"
    assert received.headers["Accept-Encoding"] == "identity"


def test_what_a_model_does_not_take_can_be_left_out(make_model: MakeModel) -> None:
    """Some models refuse a temperature; the identity tells that there is none."""
    with scripted(VALID) as server:
        model = make_model(server.url, temperature=-1, seed=-1)
        reply(model)
    assert not {"temperature", "seed"} & server.received[0].body.keys()
    assert model.identity == "openai:m,temperature=default,seed=none,structured=auto"


def test_what_comes_back(make_model: MakeModel) -> None:
    """Text, end, model and tokens are all that is kept."""
    with scripted(answer("<think>hm</think>two", "length")) as server:
        completion = reply(make_model(server.url))
    assert completion == Completion("<think>hm</think>two", Finish.LENGTH, "served-model@fp1", 11, 5)


def test_answers_come_as_they_are_ready_and_under_their_own_index(make_model: MakeModel) -> None:
    """One slow answer does not hold up the others."""
    first_may_end = Event()

    def script(received: Received) -> Reply:
        if received.said == "0":
            assert first_may_end.wait(300)
        return answer(f"answer {received.said}")

    with scripted(script) as server:
        outcomes = make_model(server.url, concurrency=4).complete([ask(str(number)) for number in range(12)])
        early = [next(outcomes) for _ in range(11)]
        first_may_end.set()
        late = list(outcomes)
    assert sorted((index, text_of(c)) for index, c in early) == [(n, f"answer {n}") for n in range(1, 12)]
    assert [(index, text_of(c)) for index, c in late] == [(0, "answer 0")]


def test_nothing_is_sent_for_nothing(make_model: MakeModel) -> None:
    """Requests begin with the first answer that is taken."""
    with scripted(VALID) as server:
        model = make_model(server.url)
        assert list(model.complete([])) == []
        model.complete([ask()])
    assert server.received == []


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_line_of_its_own(make_model: MakeModel) -> None:
    """On a connection that both used, the one might read the answer to the other; the parent keeps its own."""
    with scripted(VALID) as server:
        model = make_model(server.url)
        reply(model)
        child = os.fork()
        if child == 0:
            os._exit(0 if model._line is None else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert model._line is not None


def test_half_a_surrogate_pair_in_a_report_can_be_sent(make_model: MakeModel) -> None:
    """A report with half a character is asked about and not lost."""
    with scripted(VALID) as server:
        assert text_of(reply(make_model(server.url), ask("a\ud800b")))
    assert server.received[0].said == "a\N{REPLACEMENT CHARACTER}b"


def test_a_schema_that_is_followed_stays(make_model: MakeModel) -> None:
    """A server that follows the schema is asked with it throughout."""
    with scripted(VALID) as server:
        model = make_model(server.url)
        replies(model, *[ask(str(number), schema=SCHEMA) for number in range(5)])
    assert {form(received) for received in server.received} == {"json_schema"}
    assert model.form == "schema"


def test_what_is_refused_is_left_out_from_then_on(make_model: MakeModel) -> None:
    """A form that the server does not know costs one request."""

    def script(received: Received) -> Reply:
        return refusal(400, "unknown response_format") if form(received) == "json_schema" else VALID

    with scripted(script) as server:
        model = make_model(server.url, concurrency=1)
        outcomes = replies(model, *[ask(str(number), schema=SCHEMA) for number in range(3)])
    assert [text_of(outcome) for outcome in outcomes] == ['{"errors": 2}'] * 3
    assert [form(received) for received in server.received] == ["json_schema", *["json_object"] * 3]


def test_a_server_that_takes_no_form_at_all_is_asked_without(make_model: MakeModel) -> None:
    """Learning costs no more than a few requests of each thread."""

    def script(received: Received) -> Reply:
        return answer("two") if form(received) == "off" else refusal(422, "extra inputs are not permitted")

    with scripted(script) as server:
        model = make_model(server.url, concurrency=4)
        outcomes = replies(model, *[ask(str(number), schema=SCHEMA) for number in range(40)])
        sent = len(server.received)
    assert {text_of(outcome) for outcome in outcomes} == {"two"}
    assert sent <= 40 + 2 * 4
    assert model.form == "off"


def test_a_request_that_is_refused_in_every_form_teaches_nothing(make_model: MakeModel) -> None:
    """The request was at fault and not its form."""

    def script(received: Received) -> Reply:
        return refusal(400, "bad characters") if received.said == "bad" else VALID

    with scripted(script) as server:
        model = make_model(server.url)
        outcome = reply(model, ask("bad", schema=SCHEMA))
        assert isinstance(outcome, Unscored)
        assert outcome.reason == "refused"
        assert model.form == "schema"
        text_of(reply(model, ask("good", schema=SCHEMA)))
    assert form(server.received[-1]) == "json_schema"


def test_a_schema_that_is_ignored_is_no_longer_asked_for(make_model: MakeModel) -> None:
    """Servers that ignore a schema may still follow the prompt."""
    with scripted(answer('{"other": 1}'), answer("plain"), answer("plain")) as server:
        model = make_model(server.url)
        texts = [text_of(reply(model, ask(str(number), schema=SCHEMA))) for number in range(3)]
    assert texts == ['{"other": 1}', "plain", "plain"]
    assert [form(received) for received in server.received] == ["json_schema", "json_object", "off"]


def test_what_a_slow_answer_teaches_does_not_undo_what_was_learned_since(make_model: MakeModel) -> None:
    """Answers of several threads come in any order."""
    both_refused, early_done = Barrier(2, timeout=300), Event()

    def script(received: Received) -> Reply:
        if form(received) == "json_schema":
            both_refused.wait()
            return refusal(400)
        if received.said == "late":
            assert early_done.wait(300)
            return VALID
        return answer("plain")

    with scripted(script) as server:
        model = make_model(server.url)
        outcomes = model.complete([ask("late", schema=SCHEMA), ask("early", schema=SCHEMA)])
        assert next(outcomes)[0] == 1
        assert model.form == "off"
        early_done.set()
        assert next(outcomes)[0] == 0
    assert model.form == "off"


def test_an_answer_cut_off_says_nothing_of_the_server(make_model: MakeModel) -> None:
    """Half of an answer follows no schema."""
    with scripted(answer('{"err', "length")) as server:
        model = make_model(server.url)
        assert text_of(reply(model, ask(schema=SCHEMA))) == '{"err'
    assert model.form == "schema"


@pytest.mark.parametrize(("structured", "sent"), [("schema", "json_schema"), ("json", "json_object"), ("off", "off")])
def test_a_form_that_is_insisted_on_stays(structured: str, sent: str, make_model: MakeModel) -> None:
    """Who names the form wants no other."""
    with scripted(answer("plain"), refusal(400)) as server:
        model = make_model(server.url, structured=structured)
        assert text_of(reply(model, ask(schema=SCHEMA))) == "plain"
        assert isinstance(reply(model, ask(schema=SCHEMA)), Unscored)
    assert [form(received) for received in server.received] == [sent, sent]


def test_the_newer_name_of_the_length_is_learned(make_model: MakeModel) -> None:
    """The form stays as it was while the name of the length changes."""

    def script(received: Received) -> Reply:
        if "max_tokens" in received.body:
            return refusal(
                400, "Use 'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter"
            )
        return VALID

    with scripted(script) as server:
        model = make_model(server.url, concurrency=1)
        outcomes = replies(model, ask("a", schema=SCHEMA), ask("b", schema=SCHEMA))
    assert [text_of(outcome) for outcome in outcomes] == ['{"errors": 2}'] * 2
    assert ["max_tokens" in received.body for received in server.received] == [True, False, False]
    assert {form(received) for received in server.received} == {"json_schema"}


def test_content_that_is_filtered_on_the_way_in_never_ends_a_run(make_model: MakeModel) -> None:
    """Some servers filter reports of injuries; twenty in a row are no fault of the server."""
    with scripted(refusal(400, "blocked", code="content_filter")) as server:
        outcomes = replies(make_model(server.url), *[ask(str(number)) for number in range(20)])
    assert {isinstance(outcome, Unscored) and outcome.reason for outcome in outcomes} == {"refused"}


def test_tokens_are_estimated(make_model: MakeModel) -> None:
    """The server's tokenizer is not here; four characters make a token."""
    model = make_model("http://127.0.0.1:9/v1")
    assert model.count_tokens(ask("x" * 400)) == pytest.approx(100, abs=15)
    assert model.count_tokens(ask("x" * 800)) > model.count_tokens(ask("x" * 400))


def test_the_key_goes_to_the_server_and_nowhere_else(make_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither reprs nor messages show it, not even where the server repeats it."""
    monkeypatch.setenv("HOSPITAL_KEY", "hush-hush\n")
    with scripted(VALID, refusal(401, "wrong key hush-hush")) as server:
        model = make_model(server.url, key_env="HOSPITAL_KEY")
        outcome = reply(model)
        with pytest.raises(ConfigurationError) as caught:
            reply(model)
    assert server.received[0].headers["Authorization"] == "Bearer hush-hush"
    for shown in (model, model._line, model.identity, model.note, outcome, caught.value):
        assert "hush" not in repr(shown)
        assert "hush" not in str(shown)


def test_a_key_that_cannot_be_one_is_not_shown(make_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line break in a key could write headers."""
    monkeypatch.setenv("OPENAI_API_KEY", "hush\r\nHost: elsewhere")
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
        reply(make_model("http://127.0.0.1:9/v1"))
    assert "hush" not in str(caught.value)


def test_neither_reports_nor_keys_reach_a_log(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client library logs whole requests at its lowest level."""
    monkeypatch.setenv("OPENAI_API_KEY", "hush-hush")
    caplog.set_level(logging.DEBUG)
    for name in [name for name in logging.root.manager.loggerDict if name.startswith(("openai", "http"))]:
        caplog.set_level(logging.DEBUG, logger=name)
    echo = refusal(400, "cannot read: effusion", code="effusion in the left base")
    with scripted(refusal(500, "effusion"), refusal(429, "effusion"), answer("effusion"), echo) as server:
        model = make_model(server.url)
        shown = [repr(reply(model, ask("effusion", schema=SCHEMA))) for _ in range(2)]
    assert caplog.records, "the client logs something, or this would show nothing"
    for record in caplog.records:
        shown += [record.getMessage(), str(record.args), str(record.exc_info)]
    for text in shown:
        assert "effusion" not in text
        assert "hush" not in text


def test_a_remote_server_needs_a_key(make_model: MakeModel, tried: list[str]) -> None:
    """The variable to set is named, and nothing is sent."""
    assert "OPENAI_API_KEY" not in os.environ
    with pytest.raises(ConfigurationError, match=r"example\.org:443 needs a key.*OPENAI_API_KEY"):
        reply(make_model("https://example.org/v1", allow_remote=True))
    assert tried == []


def test_a_remote_server_is_asked_only_where_allowed(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch, tried: list[str]
) -> None:
    """No report leaves the machine by a default."""
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match=r"example\.org.*allow_remote=true"):
        make_model("https://example.org/v1")
    assert tried == []
    with pytest.raises(ConfigurationError, match="cannot be reached"):
        reply(make_model("https://example.org/v1", allow_remote=True, retries=0))
    assert tried == ["example.org"]


def test_a_model_that_was_closed_has_no_connection_and_opens_another(make_model: MakeModel) -> None:
    """Closing twice, or before anything was asked, is no matter."""
    with scripted(VALID, VALID) as server:
        model = make_model(server.url)
        model.close()
        before = reply(model)
        line = model._line
        model.close()
        model.close()
        assert line is not None
        assert line.client.is_closed()
        assert reply(model) == before
