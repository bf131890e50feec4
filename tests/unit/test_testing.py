"""The checks for plugin authors: the sound passes, each fault is found and named. The fakes do what they say."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest
from attrs import define, evolve, field, frozen

from overread.application.metrics.pair_reader import PairReader
from overread.application.metrics.radot import RADOT_SCALE, RadotMetric
from overread.application.ports import Extraction
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import CostWeights, PairCosts, TableTwoCost
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Report, ReportPair, Span
from overread.domain.results.alignment import Alignment
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Outcome, Scale, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.exceptions import ConfigurationError
from overread.plugins.specs import Components, ComponentSpec, MetricSpec
from overread.testing import (
    SAMPLE_COSTS,
    SAMPLE_PAIRS,
    SAMPLE_REPORTS,
    ConformanceError,
    FakeAligner,
    FakeComponents,
    FakeEncoder,
    FakeErrorCounter,
    FakeExtractor,
    FakeJudge,
    FakeLanguageModel,
    FakeMetric,
    FakeReadout,
    FakeRecognizer,
    check_aligner,
    check_extractor,
    check_metric,
)

_PLUGIN: Final = Path(__file__).parents[1] / "data" / "plugins" / "good_plugin" / "overread_good.py"


def metric_spec(factory: Callable[[], Any], **fields: Any) -> MetricSpec:
    """A spec whose factory needs nothing."""
    values: dict[str, Any] = {"name": "tried", "version": "1.0", "summary": "tried", "scale": FakeMetric.scale}
    return MetricSpec(**values | fields, factory=lambda _options, _components: factory())


def component_spec(factory: Callable[[], Any], **fields: Any) -> ComponentSpec:
    """A spec whose factory needs nothing."""
    values: dict[str, Any] = {"name": "tried", "version": "1.0", "summary": "tried"}
    return ComponentSpec(**values | fields, factory=lambda _options, _components: factory())


def problems_of(check: Callable[[Any], None], spec: object) -> list[str]:
    """The lines of the check's error."""
    with pytest.raises(AssertionError) as caught:
        check(spec)
    first, *problems = str(caught.value).split("\n- ")
    assert first == "tried does not conform:"
    return problems


@frozen
class ChangedMetric:
    """The fake metric with its outcomes, or signature, changed."""

    change: Callable[[Sequence[ReportPair], list[Outcome]], Any] = lambda _pairs, outcomes: outcomes
    signature_parts: Any = (("words", "fake"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> Any:
        return self.change(pairs, FakeMetric().evaluate(pairs))


@frozen
class ChangedExtractor:
    """The fake extractor with its extractions, or identity, changed."""

    change: Callable[[Sequence[Report], list[Extraction]], Any] = lambda _reports, extractions: extractions
    identity: Any = "changed"

    def extract(self, reports: Sequence[Report]) -> Any:
        return self.change(reports, FakeExtractor().extract(reports))


@frozen
class ChangedAligner:
    """The fake aligner with its alignments, or identity, changed."""

    change: Callable[[list[Alignment]], Any] = lambda alignments: alignments
    identity: Any = "changed"

    def align(self, costs: Sequence[PairCosts]) -> Any:
        return self.change(FakeAligner().align(costs))


@pytest.mark.parametrize(
    "factory",
    [
        FakeMetric,
        lambda: FakeMetric(scores={"sample-2": 0.5}),
        lambda: ChangedMetric(lambda _, outcomes: tuple(outcomes)),
    ],
)
def test_sound_metrics_pass(factory: Callable[[], Any]) -> None:
    """A tuple is as good as a list."""
    check_metric(metric_spec(factory))


@pytest.mark.parametrize("factory", [FakeExtractor, lambda: FakeExtractor({SAMPLE_REPORTS[0].text: "too odd"})])
def test_sound_extractors_pass(factory: Callable[[], Any]) -> None:
    """A report that is not blank may be refused."""
    check_extractor(component_spec(factory))


@pytest.mark.parametrize("converged", [True, False])
def test_sound_aligners_pass(converged: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A plan that says it did not converge is an answer."""
    check_aligner(component_spec(lambda: FakeAligner(converged)))


@pytest.fixture(scope="module")
def plugin() -> ModuleType:
    """The third-party plugin of the integration tests, without installing it."""
    spec = importlib.util.spec_from_file_location("overread_good_checked", _PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_third_party_plugin_passes(plugin: ModuleType) -> None:
    """With its defaults and with other options."""
    (extractor,) = plugin.overread_extractors()
    (aligner,) = plugin.overread_aligners()
    (metric,) = plugin.overread_metrics()
    check_extractor(extractor)
    check_extractor(extractor, options=plugin.FixedOptions(finding="mass"))
    check_aligner(aligner)
    check_aligner(aligner, options=plugin.DiagonalOptions(even=True))
    check_metric(metric)
    check_metric(metric, options=plugin.LengthRatioOptions(count="characters"))


def test_a_metric_gets_fakes_for_its_components() -> None:
    """A transport metric is checked without a reader or a solver."""

    def radot(_: object, components: Components) -> RadotMetric:
        reader = PairReader(components.get("extractor"), components.get("aligner"))
        return RadotMetric(reader, components.get("readout"))

    spec = evolve(metric_spec(FakeMetric), scale=RADOT_SCALE, factory=radot)
    for readout in (FakeReadout(), FakeReadout(uses_self_alignments=True)):
        check_metric(spec, components=FakeComponents({"readout": readout}))


def _first_scored(change: Callable[[ReportPair, Scored], Any]) -> Callable[[], ChangedMetric]:
    """A metric that changes the outcome of sample-1."""

    def changed(pairs: Sequence[ReportPair], outcomes: list[Outcome]) -> list[Any]:
        return [
            change(pair, outcome) if pair.id == "sample-1" and isinstance(outcome, Scored) else outcome
            for pair, outcome in zip(pairs, outcomes, strict=True)
        ]

    return lambda: ChangedMetric(changed)


def _pointing(_: ReportPair, outcome: Scored) -> Scored:
    beyond = Discrepancy(
        category=None,
        aspect=next(iter(ErrorAspect)),
        type=None,
        severity=next(iter(Severity)),
        reason="",
        finding="",
        candidate_spans=(Span(0, 10_000),),
    )
    return evolve(outcome, discrepancies=(beyond,))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _, o: evolve(o, score=1.5), "score 1.5 lies outside its scale, 0 to 1, higher is better"),
        (lambda _, o: evolve(o, score=-0.1), "score -0.1 lies outside its scale, 0 to 1, higher is better"),
        (lambda _, o: evolve(o, score=math.inf), "the score must be a finite number"),
        (lambda _, o: evolve(o, score=math.nan), "the score must be a finite number"),
        (lambda _, o: evolve(o, score="1"), "the score must be a finite number"),
        (lambda _, o: evolve(o, score=True), "the score must be a finite number"),
        (lambda _, o: evolve(o, subscores={"part": math.inf}), "subscore 'part' must be a finite number"),
        (lambda p, o: evolve(o, notes=(f"read {p.reference.text}",)), "a note quotes a report"),
        (_pointing, "a discrepancy points outside its report"),
        (lambda _p, _o: Unscored(""), "Unscored must give a reason"),
        (lambda p, _: Unscored("odd", f"cannot read {p.candidate.text}"), "the reason quotes a report"),
        (lambda _p, _o: 0.5, "must be Scored or Unscored, not float"),
    ],
)
def test_a_faulty_outcome_is_named_with_its_pair(change: Callable[[ReportPair, Scored], Any], problem: str) -> None:
    """Nothing else is wrong with it."""
    assert problems_of(check_metric, metric_spec(_first_scored(change))) == [f"pair sample-1: {problem}"]


_COUNTER: Final = count()


@define(eq=False)
class Forgetful:
    """A metric that answers by how often it was asked."""

    calls: int = field(default=0)
    signature_parts: Any = (("calls", "many"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        self.calls += 1
        return [Scored(score=1 / self.calls) for _ in pairs]


def _by_position(pairs: Sequence[ReportPair], _: list[Outcome]) -> list[Outcome]:
    return [Scored(score=index / len(pairs)) for index in range(len(pairs))]


def _by_batch(pairs: Sequence[ReportPair], outcomes: list[Outcome]) -> list[Outcome]:
    return [Scored(score=1 / len(pairs)) for _ in outcomes]


def _by_instance() -> ChangedMetric:
    score = 1 / (1 + next(_COUNTER))
    return ChangedMetric(lambda pairs, _: [Scored(score=score) for _ in pairs])


_ALONE: Final = "an item alone has another answer than in a batch"
_ORDER: Final = "answers do not follow the order of the batch"
_AGAIN: Final = "the same batch again gives other answers"
_TWIN: Final = "another that is built alike gives other answers"


@pytest.mark.parametrize(
    ("factory", "problems"),
    [
        (lambda: ChangedMetric(lambda _, o: o[1:]), ["10 items give 9 answers"]),
        (
            lambda: ChangedMetric(lambda _, o: [*o, Unscored("x")]),
            ["an empty batch gives 1 answers", "10 items give 11 answers"],
        ),
        (lambda: ChangedMetric(lambda _, o: o or [Unscored("x")]), ["an empty batch gives 1 answers"]),
        (lambda: ChangedMetric(lambda _, o: iter(o)), ["must return a sequence, not list_iterator"]),
        (lambda: ChangedMetric(lambda _p, _o: None), ["must return a sequence, not NoneType"]),
        (lambda: ChangedMetric(_by_position), [_ORDER, _ALONE]),
        (lambda: ChangedMetric(_by_batch), [_ALONE]),
        (_by_instance, [_TWIN]),
    ],
)
def test_a_faulty_batch_is_told(factory: Callable[[], Any], problems: list[str]) -> None:
    """One answer an item, in order, whatever the company."""
    assert problems_of(check_metric, metric_spec(factory)) == problems


def test_a_metric_that_changes_its_mind_is_told() -> None:
    """The second time counts as much as the first."""
    assert _AGAIN in problems_of(check_metric, metric_spec(Forgetful))


def test_rounding_by_the_batch_is_allowed_but_not_from_one_time_to_the_next() -> None:
    """Solvers round by the company they keep."""

    def rounding(pairs: Sequence[ReportPair], _: list[Outcome]) -> list[Outcome]:
        return [Scored(score=0.5 + 1e-9 * len(pairs)) for _ in pairs]

    drift = count()

    def drifting(pairs: Sequence[ReportPair], _: list[Outcome]) -> list[Outcome]:
        return [Scored(score=0.5 + 1e-9 * next(drift)) for _ in pairs]

    check_metric(metric_spec(lambda: ChangedMetric(rounding)))
    assert problems_of(check_metric, metric_spec(lambda: ChangedMetric(drifting))) == [_AGAIN, _TWIN]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ([("words", "")], "signature part 'words' must be text that is not empty"),
        ([("words", None)], "signature part 'words' must be text that is not empty"),
        ([("", "fake")], "signature part '' must be text that is not empty"),
        ([("words", "a|b")], "signature part 'words' must hold no bar and no line break"),
        ([("words", "a\nb")], "signature part 'words' must hold no bar and no line break"),
        ([("words", "a"), ("words", "b")], "two signature parts have the same name"),
    ],
)
def test_a_faulty_signature_is_told(parts: list[tuple[Any, Any]], problem: str) -> None:
    """It must print as one line that can be taken apart again."""
    assert problems_of(check_metric, metric_spec(lambda: ChangedMetric(signature_parts=parts))) == [problem]


def test_identities_must_be_the_same_for_two_that_are_built_alike() -> None:
    """An object's address is no identity."""
    numbers = map(str, count())
    differs = "identity differs between two that are built alike"
    extractor = component_spec(lambda: ChangedExtractor(identity=next(numbers)))
    aligner = component_spec(lambda: ChangedAligner(identity=next(numbers)))
    metric = metric_spec(lambda: ChangedMetric(signature_parts=(("words", next(numbers)),)))
    assert problems_of(check_extractor, extractor) == [differs]
    assert problems_of(check_aligner, aligner) == [differs]
    assert problems_of(check_metric, metric) == ["signature_parts differ between two that are built alike"]


@pytest.mark.parametrize("identity", ["", " ", None])
def test_an_identity_must_not_be_empty(identity: object) -> None:
    """Extractors and aligners alike."""
    expected = ["identity must be text that is not empty"]
    assert problems_of(check_extractor, component_spec(lambda: ChangedExtractor(identity=identity))) == expected
    assert problems_of(check_aligner, component_spec(lambda: ChangedAligner(identity=identity))) == expected


def test_a_spec_that_the_catalogue_would_refuse_is_told() -> None:
    """Before anything is built."""

    def never() -> Iterator[Any]:
        raise AssertionError("built")

    spec = metric_spec(never, requires="torch")
    assert problems_of(check_metric, spec) == ["requires must be a tuple of module names"]
    with pytest.raises(ConformanceError, match="a MetricSpec is needed, not ComponentSpec"):
        check_metric(component_spec(never))  # type: ignore[arg-type]


def test_what_the_component_raises_passes_through() -> None:
    """With its own traceback, which says more than any check."""

    def fails(_pairs: object, _outcomes: object) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        check_metric(metric_spec(lambda: ChangedMetric(fails)))


def test_a_component_is_handed_tuples() -> None:
    """As where reports are scored, also where the caller gives a list."""
    given: set[type] = set()

    def note(pairs: object, outcomes: Any) -> Any:
        given.add(type(pairs))
        return outcomes

    check_metric(metric_spec(lambda: ChangedMetric(note)), pairs=list(SAMPLE_PAIRS))
    assert given == {tuple}


@pytest.mark.parametrize("code", [0, 3])
def test_a_component_that_leaves_the_process_fails_its_check(code: int) -> None:
    """Also where it would leave with success, when it is asked or when it is built; the place is told."""

    def leaves(*_: object) -> Any:
        raise SystemExit(code)

    place = r"leaves the process: SystemExit at .*test_testing\.py:\d+"
    with pytest.raises(ConformanceError, match=place):
        check_metric(metric_spec(lambda: ChangedMetric(leaves)))
    with pytest.raises(ConformanceError, match=place):
        check_extractor(component_spec(leaves))


def _of_first(change: Callable[[tuple[ClinicalUnit, ...]], Any]) -> Callable[[], ChangedExtractor]:
    """An extractor that changes the units of the first sample report."""

    def changed(reports: Sequence[Report], extractions: list[Any]) -> list[Any]:
        return [
            change(extraction) if report == SAMPLE_REPORTS[0] else extraction
            for report, extraction in zip(reports, extractions, strict=True)
        ]

    return lambda: ChangedExtractor(changed)


_QUOTE: Final = "span_text of each unit must be what stands in the report from start to end"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda units: units[::-1], "units must stand in reading order"),
        (lambda units: (units[0].moved(1, section="", sentence_index=0), *units[1:]), _QUOTE),
        (lambda units: (evolve(units[0], span_text=units[0].span_text.upper()), *units[1:]), _QUOTE),
        (lambda units: (evolve(units[0], start=0, end=0, span_text=""), *units[1:]), _QUOTE),
        (lambda units: (evolve(units[0], confidence=1.5), *units[1:]), "confidence must lie on 0 to 1"),
        (list, "must be a tuple of ClinicalUnit, or Unscored"),
        (lambda _: ("unit",), "must be a tuple of ClinicalUnit, or Unscored"),
        (lambda _: None, "must be a tuple of ClinicalUnit, or Unscored"),
        (lambda _: Unscored(""), "Unscored must give a reason"),
    ],
)
def test_a_faulty_extraction_is_named_with_its_report(change: Callable[[Any], Any], problem: str) -> None:
    """Nothing else is wrong with it."""
    assert problems_of(check_extractor, component_spec(_of_first(change))) == [f"report 1: {problem}"]


def test_blank_reports_have_no_units() -> None:
    """They are neither refused nor read into something; reports 3 and 5 of the samples are blank."""
    blank = {SAMPLE_REPORTS[index].text: "blank" for index in (2, 4)}
    refused = problems_of(check_extractor, component_spec(lambda: FakeExtractor(blank)))
    assert refused == [f"report {number}: a blank report must be read, into no units" for number in (3, 5)]

    def padded(_: Sequence[Report], extractions: list[Any]) -> list[Any]:
        return [units or (ClinicalUnit(span_text="", start=0, end=0),) for units in extractions]

    problems = problems_of(check_extractor, component_spec(lambda: ChangedExtractor(padded)))
    assert "report 3: a blank report must be read into no units" in problems


def test_an_extractor_that_confuses_reports_is_told() -> None:
    """Sorting by length, for speed, without sorting back."""

    def sorted_by_length(_: Sequence[Report], extractions: list[Any]) -> list[Any]:
        return sorted(extractions, key=len)

    problems = problems_of(check_extractor, component_spec(lambda: ChangedExtractor(sorted_by_length)))
    assert {_ORDER, _ALONE, "report 3: a blank report must be read into no units"} <= set(problems)


def _of_shape(rows: int, columns: int, **changes: Callable[[Alignment], Any]) -> Callable[[], ChangedAligner]:
    """An aligner that changes fields of every alignment of a shape."""

    def changed(alignments: list[Alignment]) -> list[Alignment]:
        return [
            evolve(a, **{name: change(a) for name, change in changes.items()}) if a.shape == (rows, columns) else a
            for a in alignments
        ]

    return lambda: ChangedAligner(changed)


_PLAN: Final = "the plan must be finite and nonnegative"
_ALL_ZERO: Final = "the plan must not be all zero, unless row_null and column_null say what it costs to have no partner"
_NULLS: Final = {"row_null": lambda _: np.ones(4), "column_null": lambda _: np.ones(3)}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"plan": lambda a: a.plan[:, :1]}, "plan and ground must have the shape of the costs, 4 x 3"),
        ({"ground": lambda a: a.ground.T}, "plan and ground must have the shape of the costs, 4 x 3"),
        ({"plan": lambda a: a.plan * 0}, _ALL_ZERO),
        ({"plan": lambda a: a.plan - 0.1}, _PLAN),
        ({"plan": lambda a: a.plan * np.inf}, _PLAN),
        ({"plan": lambda a: a.plan * np.nan}, _PLAN),
        ({"ground": lambda a: a.ground + 1.5}, "ground must lie on 0 to 1"),
        ({"row_mass": lambda a: a.row_mass * 2}, "row_mass must be 4 positive numbers that sum to 1"),
        ({"row_mass": lambda a: a.column_mass}, "row_mass must be 4 positive numbers that sum to 1"),
        ({"column_mass": lambda _: np.array([1.0, 0.0, 0.0])}, "column_mass must be 3 positive numbers that sum to 1"),
        ({"channels": lambda _: {}}, "channels and side must be the costs that were given"),
        ({"side": lambda a: a.channels}, "channels and side must be the costs that were given"),
        (_NULLS | {"ground": lambda a: a.ground - 2.0}, "ground must be finite and nonnegative"),
        (_NULLS | {"row_mass": lambda a: -a.row_mass}, "row_mass must be 4 finite numbers of 0 or more"),
        (_NULLS | {"column_null": lambda _: np.ones(2)}, "column_null must be 3 finite numbers of 0 or more"),
        (_NULLS | {"column_mass": lambda a: a.column_mass / 2}, "the plan must carry no more than column_mass"),
        ({"marginal_error": lambda _: -1.0}, "marginal_error must be 0 or more"),
        ({"marginal_error": lambda _: math.nan}, "marginal_error must be 0 or more"),
    ],
)
def test_a_faulty_alignment_is_named_with_its_costs(change: dict[str, Any], problem: str) -> None:
    """Costs 4 of the samples are the only ones of four rows and three columns."""
    assert problems_of(check_aligner, component_spec(_of_shape(4, 3, **change))) == [f"costs 4: {problem}"]


def test_a_plan_may_leave_alone_what_has_no_partner() -> None:
    """With null costs a plan may be empty, and unrelated units may cost more than 1."""
    empty: dict[str, Any] = {"plan": lambda a: a.plan * 0, "ground": lambda a: a.ground + 2.0}
    check_aligner(component_spec(_of_shape(4, 3, **_NULLS, **empty)))


def test_an_aligner_that_forgets_one_is_told() -> None:
    """Pairs of one unit each need no transport, but they do need an answer."""
    factory = lambda: ChangedAligner(lambda alignments: [a for a in alignments if a.shape != (1, 1)])  # noqa: E731
    assert problems_of(check_aligner, component_spec(factory)) == ["8 items give 7 answers"]


def test_an_aligner_must_answer_with_alignments() -> None:
    """A bare plan explains nothing."""
    bare = component_spec(lambda: ChangedAligner(lambda alignments: [a.plan for a in alignments]))
    assert problems_of(check_aligner, bare) == [
        f"costs {number}: must be Alignment, not ndarray" for number in range(1, len(SAMPLE_COSTS) + 1)
    ]


def test_samples_are_what_the_checks_need() -> None:
    """Blank reports, every sort of pair, costs of many shapes, and scores that tell an order from its reverse."""
    assert [report.is_blank for report in SAMPLE_REPORTS].count(True) == 2
    blank = [(pair.reference.is_blank, pair.candidate.is_blank) for pair in SAMPLE_PAIRS]
    assert {(False, False), (False, True), (True, False), (True, True)} == set(blank)
    assert len({pair.id for pair in SAMPLE_PAIRS}) == len(SAMPLE_PAIRS)
    assert {costs.ground["text"].shape for costs in SAMPLE_COSTS} >= {(1, 1), (1, 7), (7, 1), (3, 3), (3, 4), (4, 3)}
    outcomes = FakeMetric().evaluate(SAMPLE_PAIRS)
    assert outcomes != outcomes[::-1]


def test_fake_extractor_reads_sentences() -> None:
    """Offsets quote the report, and the last word is the finding."""
    report = Report("Left effusion.  No pneumothorax")
    (units,) = FakeExtractor().extract([report])
    assert not isinstance(units, Unscored)
    assert [unit.canonical_finding for unit in units] == ["effusion", "pneumothorax"]
    assert [unit.polarity for unit in units] == [Polarity.PRESENT, Polarity.ABSENT]
    assert [unit.span.of(report.text) for unit in units] == ["Left effusion", "No pneumothorax"]
    assert [unit.sentence_index for unit in units] == [0, 1]


def test_fake_extractor_refuses_what_it_is_told_to() -> None:
    """Only that report, with that reason."""
    extractor = FakeExtractor({"Odd.": "too odd"})
    refused, read = extractor.extract([Report("Odd."), Report("Even.")])
    assert refused == Unscored("too odd", "the fake refuses it")
    assert isinstance(read, tuple)
    assert "Odd" not in repr(extractor)


def _alignment(reference: str, candidate: str) -> Alignment:
    extractor = FakeExtractor()
    units = [u if isinstance(u, tuple) else () for u in extractor.extract([Report(reference), Report(candidate)])]
    (alignment,) = FakeAligner().align([TableTwoCost().between(*units)])
    return alignment


def test_fake_aligner_spreads_mass_evenly() -> None:
    """Its marginals are the even ones it says."""
    alignment = _alignment("Left effusion. Nodule", "Effusion. Nodule. No mass")
    assert alignment.plan.tolist() == [[pytest.approx(1 / 6)] * 3] * 2
    assert alignment.plan.sum(axis=1) == pytest.approx(alignment.row_mass)
    assert alignment.plan.sum(axis=0) == pytest.approx(alignment.column_mass)
    assert alignment.converged
    assert not FakeAligner(converged=False).align(SAMPLE_COSTS[:1])[0].converged


def test_fake_readout_reads_the_expected_cost() -> None:
    """By hand: finding and text channels are 1, the others 0, so the cost is their weights' sum."""
    cross = _alignment("Effusion", "Nodule")
    (risk,) = FakeReadout().read_out([AlignedPair(cross=cross)])
    expected = CostWeights().finding + CostWeights().text
    assert risk.scores == pytest.approx(
        {"total": expected, "significant": 0.75 * expected, "insignificant": 0.25 * expected}
    )
    for target, score in risk.scores.items():
        assert sum(term.contribution for term in risk.contributions[target]) == pytest.approx(score)


def test_fake_readout_takes_off_the_cost_of_each_report_against_itself() -> None:
    """A report against itself is then without risk; without self-alignments it cannot say."""
    twice = _alignment("Effusion. Nodule", "Effusion. Nodule")
    readout = FakeReadout(uses_self_alignments=True)
    assert twice.expected_cost() > 0
    (risk,) = readout.read_out([AlignedPair(cross=twice, reference_self=twice, candidate_self=twice)])
    assert risk.scores["total"] == 0
    with pytest.raises(ValueError, match="self-alignments"):
        readout.read_out([AlignedPair(cross=twice)])


def test_fake_metric_scores_shared_words_or_what_it_is_told() -> None:
    """Two of three words are shared; a score by id comes first; two blank reports are unscored."""
    pairs = [
        ReportPair(id="a", reference="Left effusion.", candidate="left effusion seen"),
        ReportPair(id="b", reference="x", candidate="x"),
        ReportPair(id="c", reference="", candidate=" "),
    ]
    assert FakeMetric(scores={"b": 0.25}).evaluate(pairs) == [
        Scored(score=2 / 3),
        Scored(score=0.25),
        Unscored("empty", "both reports are empty"),
    ]
    assert FakeMetric.scale == Scale(0.0, 1.0, higher_is_better=True)


def test_fake_components_give_fakes_but_for_those_given() -> None:
    """What is neither known nor given is asked for in plain words."""
    own = FakeAligner(converged=False)
    components = FakeComponents({"aligner": own})
    assert components.get("aligner") is own
    assert isinstance(components.get("extractor"), FakeExtractor)
    assert isinstance(components.get("readout"), FakeReadout)
    assert isinstance(components.get("recognizer"), FakeRecognizer)
    assert isinstance(components.get("encoder"), FakeEncoder)
    assert isinstance(components.get("error_counter"), FakeErrorCounter)
    assert isinstance(components.get("judge"), FakeJudge)
    assert isinstance(components.get("model"), FakeLanguageModel)
    assert components.get("answers") is None
    with pytest.raises(ConfigurationError, match="no fake metric; give one in FakeComponents"):
        components.get("metric")
