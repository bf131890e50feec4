"""Evaluating pairs: every outcome in its place, whatever a metric does."""

from __future__ import annotations

import asyncio
import inspect
import math
import signal
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Outcome, Scale, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.exceptions import ConfigurationError, InputError, MissingDependencyError, PluginError

from ..fakes import FakeLog, FakeStore, ScriptedMetric, length, named, pair

FILE = Path(__file__).name
PAIRS = [pair(f"case-{index}", f"ref {index}", "qzx" + "." * index) for index in range(5)]


def outcomes(service: EvaluationService, pairs: Sequence[ReportPair] = PAIRS, metric: str = "script") -> list[Outcome]:
    return [results[metric].outcome for results in service.evaluate(pairs)]


# --- order and ids ---


@given(st.lists(st.text(max_size=5), max_size=12), st.integers(1, 6))
def test_every_pair_keeps_its_place_and_id_in_batches_of_any_size(texts: list[str], size: int) -> None:
    """As many results as pairs, in their order, under their ids, repeated ids and texts included."""
    pairs = [pair(f"case-{index % 3}", "x", text) for index, text in enumerate(texts)]
    service = EvaluationService([named(ScriptedMetric()), named(ScriptedMetric(), "other")], batch_size=size)
    results = service.evaluate(pairs)
    for name in ("script", "other"):
        assert [r[name].pair_id for r in results] == [p.id for p in pairs]
        assert [r[name].score for r in results] == [len(p.candidate.text) for p in pairs]
        assert {r[name].metric for r in results} <= {name}


def test_metrics_answer_in_the_order_asked_for() -> None:
    """Each pair's results stand in the order of the metrics."""
    service = EvaluationService([named(ScriptedMetric(), name) for name in ("b", "a", "c")])
    assert [list(results) for results in service.evaluate(PAIRS)] == [["b", "a", "c"]] * 5


def test_pairs_reach_a_metric_in_batches_of_the_size_asked_for() -> None:
    """No batch is larger, only the last may be smaller, and there is no empty one."""
    metric = ScriptedMetric()
    EvaluationService([named(metric)], batch_size=2).evaluate(iter(PAIRS))
    assert [len(batch) for batch in metric.batches] == [2, 2, 1]


def test_each_batch_is_a_span_around_its_metrics() -> None:
    """With the number of its pairs; one that is refused is a span, too."""
    told: list[object] = []

    @contextmanager
    def tracer(name: str, **attributes: object) -> Iterator[None]:
        told.append((name, attributes))
        try:
            yield
        finally:
            told.append("end")

    metric = ScriptedMetric()
    service = EvaluationService([named(metric)], batch_size=2, tracer=tracer)
    service.evaluate(iter(PAIRS[:3]))
    with pytest.raises(InputError):
        service.evaluate_batch(["no pair"])  # type: ignore[list-item]
    assert told == [
        ("score", {"pairs": 2}),
        "end",
        ("score", {"pairs": 1}),
        "end",
        ("score", {"pairs": 1}),
        "end",
    ]


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_holds_at_least_one_pair(size: int) -> None:
    """A batch size that would lose every pair is refused."""
    with pytest.raises(ValueError, match="batch_size"):
        EvaluationService([], batch_size=size)


def test_nothing_asked_is_nothing_answered() -> None:
    """No pairs give no results and reach no metric; no metrics give an empty answer for each pair."""
    metric = ScriptedMetric()
    assert EvaluationService([named(metric)]).evaluate([]) == []
    assert metric.batches == []
    assert EvaluationService([]).evaluate(PAIRS) == [{}] * 5


def test_progress_is_told_pair_by_pair() -> None:
    """Whoever watches sees every pair counted once."""
    seen: list[int] = []
    EvaluationService([named(ScriptedMetric())], batch_size=2).evaluate(PAIRS, on_progress=seen.append)
    assert seen == [1, 2, 3, 4, 5]


def test_a_stream_reads_no_further_than_it_must() -> None:
    """The first result is there when the first batch is read: pairs are not gathered."""
    read: list[str] = []

    def source() -> Iterator[ReportPair]:
        for one in PAIRS:
            read.append(one.id)
            yield one

    stream = EvaluationService([named(ScriptedMetric())], batch_size=2).stream(source())
    next(stream)
    assert read == ["case-0", "case-1"]


# --- metrics that break ---


def raising(*ids: str, error: type[BaseException] = RuntimeError) -> Callable[[Sequence[ReportPair]], Any]:
    """An answer that fails on some pairs, quoting the report as careless code does."""

    def answer(pairs: Sequence[ReportPair]) -> list[Outcome]:
        for one in pairs:
            if one.id in ids:
                raise error(one.candidate.text)
        return [length(one) for one in pairs]

    return answer


def raised(error: type[BaseException] = RuntimeError) -> Unscored:
    """What is said of a pair that `raising` fails on: type, file and line, and not a word of the message."""
    first = raising.__code__.co_firstlineno
    source = inspect.getsource(raising).splitlines()
    line = first + next(place for place, text in enumerate(source) if "raise error" in text)
    return Unscored("error", f"the metric raised {error.__name__} at tests/unit/application/scoring/{FILE}:{line}")


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_a_metric_that_raises_on_one_pair_loses_that_pair_only(size: int) -> None:
    """The others are scored as if it were not there."""
    log = FakeLog()
    service = EvaluationService([named(ScriptedMetric(raising("case-2")))], batch_size=size, log=log)
    expected: list[Outcome] = [length(one) for one in PAIRS]
    expected[2] = raised()
    assert outcomes(service) == expected
    told = {"metric": "script", "pair": "case-2", "reason": "error", "detail": raised().detail}
    assert log.told == [("metric_failed", told)]


def test_a_broken_metric_does_not_hurt_another() -> None:
    """Each metric has outcomes of its own."""
    broken = named(ScriptedMetric(raising(*(one.id for one in PAIRS))), "broken")
    service = EvaluationService([broken, named(ScriptedMetric())])
    assert outcomes(service) == [length(one) for one in PAIRS]
    assert {type(outcome) for outcome in outcomes(service, metric="broken")} == {Unscored}


def test_what_a_metric_says_when_it_breaks_goes_nowhere() -> None:
    """An exception may quote a report; neither result nor log repeats it."""
    log = FakeLog()
    service = EvaluationService([named(ScriptedMetric(raising("case-1")))], log=log)
    assert "qzx" not in repr(service.evaluate(PAIRS)) + repr(log.told)


def test_without_a_log_a_broken_metric_is_still_told_in_the_result() -> None:
    """A log is optional, the reason is not."""
    assert outcomes(EvaluationService([named(ScriptedMetric(raising("case-0")))]), PAIRS[:1]) == [raised()]


def interrupting(_: Sequence[ReportPair]) -> Any:
    """Somebody presses Ctrl-C while a metric works."""
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_is_no_broken_metric() -> None:
    """Who presses Ctrl-C is obeyed."""
    service = EvaluationService([named(ScriptedMetric(interrupting))])
    with pytest.raises(KeyboardInterrupt):
        service.evaluate(PAIRS)


@pytest.mark.parametrize(
    "error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, RecursionError]
)
def test_no_metric_ends_the_work_of_others(error: type[BaseException]) -> None:
    """Whatever a metric raises by itself, its pair is unscored by name, and everything else is scored."""
    service = EvaluationService(
        [named(ScriptedMetric(raising("case-2", error=error))), named(ScriptedMetric(), "other")]
    )
    found = outcomes(service)
    assert found[2] == raised(error)
    assert [outcome for place, outcome in enumerate(found) if place != 2] == [
        length(p) for p in PAIRS if p is not PAIRS[2]
    ]
    assert outcomes(service, metric="other") == [length(one) for one in PAIRS]


def test_what_breaks_everywhere_is_told_once_and_counted() -> None:
    """One line for the first pair and one for all, not one for each of ten thousand."""
    log = FakeLog()
    metric = ScriptedMetric(raising(*(one.id for one in PAIRS)))
    EvaluationService([named(metric)], batch_size=2, log=log).evaluate(PAIRS)
    assert [event for event, _ in log.told] == ["metric_failed", "metric_failed_on"]
    assert log.told[1][1] == {"metric": "script", "pairs": 5, "detail": raised().detail}


# --- memory, time ---


def hungry(*ids: str) -> Callable[[Sequence[ReportPair]], Any]:
    def answer(pairs: Sequence[ReportPair]) -> list[Outcome]:
        if any(one.id in ids for one in pairs):
            raise MemoryError
        return [length(one) for one in pairs]

    return answer


def test_a_pair_that_asks_for_too_much_memory_is_unscored_alone() -> None:
    """The others of its batch are scored."""
    found = outcomes(EvaluationService([named(ScriptedMetric(hungry("case-1")))]))
    assert [getattr(outcome, "reason", "") for outcome in found] == ["", "out of memory", "", "", ""]


@pytest.mark.parametrize("size", [1, 2, 5, 256])
def test_a_want_of_memory_on_every_pair_leaves_each_unscored_in_its_place(size: int) -> None:
    """The other metric is not touched, and the call ends as any other."""
    starving, well = ScriptedMetric(hungry(*(one.id for one in PAIRS))), ScriptedMetric()
    service = EvaluationService([named(starving), named(well, "other")], batch_size=size)
    found = service.evaluate(PAIRS)
    assert [results["script"].pair_id for results in found] == [one.id for one in PAIRS]
    assert {results["script"].outcome.reason for results in found} == {"out of memory"}  # type: ignore[union-attr]
    assert all(results["other"].is_scored for results in found)


def test_a_batch_that_is_too_large_is_halved_until_it_fits() -> None:
    """Memory that suffices for two pairs scores all of them, in few attempts."""

    def roomy(pairs: Sequence[ReportPair]) -> list[Outcome]:
        if len(pairs) > 2:
            raise MemoryError
        return [length(one) for one in pairs]

    metric = ScriptedMetric(roomy)
    assert all(isinstance(outcome, Scored) for outcome in outcomes(EvaluationService([named(metric)])))
    assert [len(batch) for batch in metric.batches] == [5, 3, 2, 1, 2]


class OutOfMemoryError(RuntimeError):
    """As torch calls it on a GPU."""


@pytest.mark.parametrize(
    "error",
    [OutOfMemoryError(), RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), MemoryError()],
)
def test_a_want_of_memory_is_known_whoever_tells_of_it(error: Exception) -> None:
    """torch has exceptions of its own for it."""

    def starving(_: Sequence[ReportPair]) -> list[Outcome]:
        raise error

    service = EvaluationService([named(ScriptedMetric(starving))])
    assert {getattr(outcome, "reason", "") for outcome in outcomes(service)} == {"out of memory"}


def test_what_a_failed_attempt_held_is_free_when_the_next_is_made() -> None:
    """Else half of a batch would find no more room than the whole."""

    class Block:
        """Stands for much memory."""

    held: list[weakref.ref[Block]] = []
    alive: list[int] = []

    def starving(pairs: Sequence[ReportPair]) -> list[Outcome]:
        alive.append(sum(block() is not None for block in held))
        block = Block()
        held.append(weakref.ref(block))
        if len(pairs) > 1:
            raise MemoryError
        return [length(one) for one in pairs]

    EvaluationService([named(ScriptedMetric(starving))]).evaluate(PAIRS)
    assert set(alive) == {0}


def test_a_metric_that_hangs_is_given_up_and_the_others_go_on() -> None:
    """The pairs of its batch, and of later ones while it is busy, are unscored with the reason and keep their place."""
    release = threading.Event()
    hanging = ScriptedMetric(lambda pairs: release.wait(60) and [length(one) for one in pairs])
    metrics = [named(hanging, "hanging"), named(ScriptedMetric())]
    service = EvaluationService(metrics, batch_size=2, time_limit=0.05)
    try:
        results = service.evaluate(PAIRS)
    finally:
        release.set()
    assert [r["script"].outcome for r in results] == [length(one) for one in PAIRS]
    details = [outcome.detail for outcome in (r["hanging"].outcome for r in results) if isinstance(outcome, Unscored)]
    assert details[0] == "the metric took more than 0.05 seconds over 2 pairs"
    assert len(details) == len(PAIRS)
    assert hanging.ids == ["case-0", "case-1"]


def test_within_its_time_a_metric_scores_and_breaks_as_without_a_limit() -> None:
    """The limit changes no answer."""
    answer = raising("case-3")
    free, limited = (
        outcomes(EvaluationService([named(ScriptedMetric(answer))], time_limit=limit)) for limit in (None, 60.0)
    )
    assert free == limited


# --- answers that are none ---


def test_a_metric_that_sorts_what_it_is_given_shifts_nobody() -> None:
    """What is handed out cannot be changed; the metric itself is unscored, for it finds no list."""
    spoiling = ScriptedMetric(lambda pairs: pairs.sort(key=lambda p: p.candidate.text, reverse=True))  # type: ignore[attr-defined]
    service = EvaluationService([named(ScriptedMetric(), "before"), named(spoiling), named(ScriptedMetric(), "after")])
    results = service.evaluate(PAIRS)
    for name in ("before", "after"):
        assert [r[name].outcome for r in results] == [length(one) for one in PAIRS]
    assert {getattr(r["script"].outcome, "reason", "") for r in results} == {"error"}


SPAN = Span(0, 10_000)
OUTSIDE = Discrepancy(
    category=None,
    aspect=ErrorAspect.DESCRIPTION,
    type=None,
    severity=Severity.SIGNIFICANT,
    reason="x",
    finding="",
    reference_spans=(SPAN,),
)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"score": True}, "not a number"),
        ({"score": "high"}, "not a number"),
        ({"score": None}, "not a number"),
        ({"score": 1e9}, "out of range"),
        ({"score": 1.0, "subscores": {"a": "high"}}, "not a number"),
        ({"score": 1.0, "subscores": {"a": None}}, "not a number"),
        ({"score": 1.0, "subscores": {"a": [1.0]}}, "not a number"),
        ({"score": 1.0, "subscores": {"a": math.nan}}, "not a number"),
        ({"score": 1.0, "subscores": {1: 1.0}}, "error"),
        ({"score": 1.0, "subscores": None}, "error"),
        ({"score": 1.0, "discrepancies": [OUTSIDE]}, "error"),
        ({"score": 1.0, "discrepancies": (OUTSIDE,)}, "error"),
        ({"score": 1.0, "discrepancies": ("wrong",)}, "error"),
        ({"score": 1.0, "notes": "a note"}, "error"),
        ({"score": 1.0, "notes": (1,)}, "error"),
        ({"score": 1.0, "evidence": "seen"}, "error"),
        ({"score": 1.0, "truncated": 1}, "error"),
    ],
)
def test_a_value_that_is_none_of_its_kind_is_no_score(answer: dict[str, Any], reason: str) -> None:
    """Its pair is unscored, says why, and the others are scored."""
    log = FakeLog()
    metric = ScriptedMetric(lambda pairs: [Scored(**answer) if p.id == "case-3" else length(p) for p in pairs])
    found = outcomes(EvaluationService([named(metric)], log=log))
    assert isinstance(found[3], Unscored)
    assert [(event, told["pair"], told["detail"]) for event, told in log.told] == [
        ("metric_failed", "case-3", found[3].detail)
    ]
    assert (found[3].reason, found[3].detail[:10]) == (reason, "the metric")
    assert found[:3] + found[4:] == [length(p) for p in PAIRS if p.id != "case-3"]


@pytest.mark.parametrize("outcome", [Unscored(""), Unscored(None), Unscored("x", None)])  # type: ignore[arg-type]
def test_no_score_without_a_reason(outcome: Unscored) -> None:
    """A reason that is none is told as the metric's fault."""
    [found] = outcomes(EvaluationService([named(ScriptedMetric(lambda _: [outcome]))]), PAIRS[:1])
    assert found == Unscored("error", "the metric returned Unscored without a reason in words")


def test_numbers_of_numpy_become_plain_ones() -> None:
    """Whoever stores or prints a result finds floats."""
    answer = Scored(score=np.float32(0.5), subscores={"a": np.int64(2), "b": np.float64(0.25)})  # type: ignore[arg-type, dict-item]
    [found] = outcomes(EvaluationService([named(ScriptedMetric(lambda _: [answer]))]), PAIRS[:1])
    assert found == Scored(score=0.5, subscores={"a": 2.0, "b": 0.25})
    assert isinstance(found, Scored)
    assert {type(value) for value in (found.score, *found.subscores.values())} == {float}


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: [],
        lambda pairs: [length(one) for one in pairs] * 2,
        lambda _: None,
        lambda pairs: [0.5 for _ in pairs],
        lambda pairs: [None for _ in pairs],
        lambda pairs: (length(one) for one in pairs),
        lambda pairs: {one.id: length(one) for one in pairs},
        lambda _: "abcde",
    ],
    ids=["too few", "too many", "nothing", "bare numbers", "none each", "a generator", "a mapping", "a word"],
)
def test_an_answer_that_is_none_makes_errors_and_no_shift(answer: Callable[[Sequence[ReportPair]], Any]) -> None:
    """Wrong length or kind: every pair is there, unscored."""
    service = EvaluationService([named(ScriptedMetric(answer))])
    results = service.evaluate(PAIRS)
    assert [r["script"].pair_id for r in results] == [one.id for one in PAIRS]
    assert {getattr(r["script"].outcome, "reason", None) for r in results} == {"error"}


def test_a_metric_that_miscounts_in_batches_is_asked_pair_by_pair() -> None:
    """Answers whose number does not fit are not trusted, but single ones are."""
    metric = ScriptedMetric(lambda pairs: [length(one) for one in pairs][: max(1, len(pairs) - 1)])
    assert outcomes(EvaluationService([named(metric)])) == [length(one) for one in PAIRS]
    assert metric.batches == [[one.id for one in PAIRS], *([one.id] for one in PAIRS)]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_is_no_score(score: float) -> None:
    """It is unscored in its place, and the metric is not asked again."""
    metric = ScriptedMetric(lambda pairs: [Scored(score=score) if p.id == "case-3" else length(p) for p in pairs])
    found = outcomes(EvaluationService([named(metric)]))
    assert found[3] == Unscored("not a number", f"the metric returned {score}")
    assert found[:3] + found[4:] == [length(p) for p in PAIRS if p.id != "case-3"]
    assert len(metric.batches) == 1


def test_an_unscored_outcome_passes_as_it_is() -> None:
    """A metric's own reason reaches the result."""
    metric = ScriptedMetric(lambda pairs: [Unscored("language", "unknown") for _ in pairs])
    assert outcomes(EvaluationService([named(metric)])) == [Unscored("language", "unknown")] * 5


# --- signature ---


class Unnamed:
    """A metric that cannot tell what it is made of."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts

    @property
    def signature_parts(self) -> Any:
        if isinstance(self.parts, type):
            raise self.parts("qzx")
        return self.parts

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [length(one) for one in pairs]


@pytest.mark.parametrize("parts", [None, 3, "ab", [("a",)], [("a", None)], [(1, "b")], RuntimeError, SystemExit])
def test_without_a_signature_nothing_is_scored(parts: Any) -> None:
    """It is a clear error that names the metric, before any other is asked, and quotes nothing."""
    other = ScriptedMetric()
    service = EvaluationService([named(other, "other"), named(Unnamed(parts))])
    with pytest.raises(PluginError, match=r"metric 'script' .*signature_parts") as caught:
        service.evaluate(PAIRS)
    assert "qzx" not in str(caught.value)
    assert other.batches == []


def test_the_signature_names_parts_version_and_origin() -> None:
    """What the metric is made of, its version, and the plugin it comes from if it is not built in."""
    metric = ScriptedMetric(signature_parts=[("extractor", "x@1")])
    assert str(named(metric).signature) == "script|extractor:x@1|version:1.0"
    foreign = named(metric, origin=(("plugin", "good 2.0"),))
    assert str(foreign.signature) == "script|extractor:x@1|version:1.0|plugin:good 2.0"
    [results] = EvaluationService([foreign]).evaluate(PAIRS[:1])
    assert results["script"].signature == foreign.signature


# --- the store ---


def test_what_the_store_holds_is_not_scored_again() -> None:
    """A second run asks the metric for nothing and answers the same."""
    store, first, second = FakeStore(), ScriptedMetric(), ScriptedMetric()
    fresh = EvaluationService([named(first)], store=store, run="one").evaluate(PAIRS)
    assert EvaluationService([named(second)], store=store, run="two").evaluate(PAIRS) == fresh
    assert first.ids == [one.id for one in PAIRS]
    assert second.ids == []
    assert store.adds[0] == ("one", [one.id for one in PAIRS])


@given(st.sets(st.integers(0, 4)), st.integers(1, 6))
def test_only_new_pairs_are_scored_and_all_keep_their_place(known: set[int], size: int) -> None:
    """Stored and fresh results come out in the order of the pairs; each pair is looked up and added at most once."""
    store, metric = FakeStore(), ScriptedMetric()
    EvaluationService([named(ScriptedMetric())], store=store).evaluate([PAIRS[index] for index in sorted(known)])
    store.finds.clear()
    store.adds.clear()
    found = outcomes(EvaluationService([named(metric)], store=store, batch_size=size))
    assert found == [length(one) for one in PAIRS]
    new = [one.id for index, one in enumerate(PAIRS) if index not in known]
    assert metric.ids == new
    assert [i for batch in store.finds for i in batch] == [one.id for one in PAIRS]
    assert [i for _, batch in store.adds for i in batch] == new


def test_a_stored_result_comes_under_the_pairs_own_id() -> None:
    """The same reports under another id are known, and keep the id they come with."""
    store = FakeStore()
    service = EvaluationService([named(ScriptedMetric())], store=store)
    service.evaluate([pair("old", "a", "b")])
    [results] = service.evaluate([pair("new", "a", "b")])
    assert results["script"].pair_id == "new"
    assert len(store.kept) == 1


@pytest.mark.parametrize(
    "other",
    [named(ScriptedMetric(), "other"), named(ScriptedMetric(signature_parts=[("script", "2")]))],
    ids=["another metric", "another signature"],
)
def test_a_result_counts_for_its_metric_and_signature_only(other: Any) -> None:
    """Another metric, or the same made of other parts, scores anew."""
    store = FakeStore()
    EvaluationService([named(ScriptedMetric())], store=store).evaluate(PAIRS)
    other.metric.batches.clear()
    EvaluationService([other], store=store).evaluate(PAIRS)
    assert other.metric.ids == [one.id for one in PAIRS]


def test_refreshing_scores_anew_and_stores() -> None:
    """What is stored is not even looked up."""
    store, metric = FakeStore(), ScriptedMetric()
    EvaluationService([named(ScriptedMetric())], store=store).evaluate(PAIRS)
    store.finds.clear()
    EvaluationService([named(metric)], store=store, refresh=True).evaluate(PAIRS)
    assert metric.ids == [one.id for one in PAIRS]
    assert store.finds == []
    assert len(store.adds) == 2


def test_broken_pairs_reach_the_store_as_unscored() -> None:
    """The store sees what the caller sees."""
    store = FakeStore()
    EvaluationService([named(ScriptedMetric(raising("case-2")))], store=store).evaluate(PAIRS)
    assert [result.is_scored for result in store.kept.values()] == [True, True, False, True, True]


@pytest.mark.parametrize("error", [ConfigurationError(["nobody answers"]), MissingDependencyError("x", ["y"], "z")])
def test_what_no_pair_is_to_blame_for_ends_the_run(error: Exception) -> None:
    """A server that is not there must not become a reason in each of ten thousand rows."""

    class Dead:
        signature_parts = ()

        def evaluate(self, pairs: Sequence[ReportPair]) -> Sequence[Outcome]:  # noqa: ARG002 - the port's interface
            raise error

    service = EvaluationService([NamedMetric("dead", "1", Scale(0.0, 1.0, higher_is_better=True), Dead())])
    with pytest.raises(type(error)):
        service.evaluate([ReportPair(id=name, reference="x", candidate="y") for name in "ab"])


class Held:
    """Counts how often it is closed, and may fail to."""

    def __init__(self, error: type[BaseException] | None = None) -> None:
        self.closed = 0
        self.error = error

    def close(self) -> None:
        self.closed += 1
        if self.error is not None:
            raise self.error


def test_a_service_closes_what_it_holds_and_scores_again_afterwards() -> None:
    """At the end of a with statement as by ``close``: what is let go of is taken up again on next use."""
    held = [Held(), Held()]
    with EvaluationService([named(ScriptedMetric())], holds=held) as service:
        service.evaluate(PAIRS)
        assert [each.closed for each in held] == [0, 0]
    assert [each.closed for each in held] == [1, 1]
    assert outcomes(service) == [length(one) for one in PAIRS]
    service.close()
    assert [each.closed for each in held] == [2, 2]


def test_what_cannot_be_closed_keeps_nothing_else_open() -> None:
    """The error is raised when all others are closed."""
    held = [Held(), Held(OSError), Held()]
    with pytest.raises(OSError, match=r"^$"):
        EvaluationService([named(ScriptedMetric())], holds=held).close()
    assert [each.closed for each in held] == [1, 1, 1]
