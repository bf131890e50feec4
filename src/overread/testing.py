"""For plugin authors: conformance checks of their components, and fakes to test against.

A check builds the component from its spec, as configuration would, and tries it on invented reports:

    def test_my_metric() -> None:
        check_metric(MY_METRIC)

It raises an AssertionError that names every problem found; what the component itself raises passes through.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.ports import Extraction, Metric
from overread.domain.alignment import AlignedPair, Alignment
from overread.domain.cost import CostWeights, PairCosts, TableTwoCost, jaccard, tokens
from overread.domain.readout import Contribution, Risk
from overread.domain.report import Report, ReportPair
from overread.domain.result import Outcome, Scale, Scored, Unscored
from overread.domain.unit import ClinicalUnit, Polarity
from overread.exceptions import ConfigurationError
from overread.plugins.catalogue import spec_problem
from overread.plugins.specs import Components, ComponentSpec, MetricSpec, Spec

__all__ = [
    "SAMPLE_COSTS",
    "SAMPLE_PAIRS",
    "SAMPLE_REPORTS",
    "FakeAligner",
    "FakeComponents",
    "FakeExtractor",
    "FakeMetric",
    "FakeReadout",
    "check_aligner",
    "check_extractor",
    "check_metric",
]

Array = npt.NDArray[np.float64]
Problems = Iterator[str]
T = TypeVar("T")
R = TypeVar("R")

_SENTENCE: Final = re.compile(r"[^.\s][^.]*")
_MASS_TOLERANCE: Final = 1e-6
_RANGE_TOLERANCE: Final = 1e-9
_QUOTED_WORDS: Final = 3
_BATCH_TOLERANCE: Final = 1e-6
"""Answers in another batch may differ by this much: solvers and networks round by the company they keep."""


@frozen
class FakeExtractor:
    """Reads every sentence as one unit whose finding is its last word; "no ..." is absent.

    Attributes:
        refused: reason by text, for reports that it shall not read.

    >>> [unit] = FakeExtractor().extract([Report("No left effusion.")])[0]
    >>> unit.canonical_finding, unit.polarity.value, (unit.start, unit.end)
    ('effusion', 'absent', (0, 16))
    """

    refused: Mapping[str, str] = field(factory=dict, repr=False)

    @property
    def identity(self) -> str:
        """Always the same."""
        return "fake"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report."""
        return [self._read(report.text) for report in reports]

    def _read(self, text: str) -> Extraction:
        if text in self.refused:
            return Unscored(self.refused[text], "the fake refuses it")
        return tuple(_unit(match, index) for index, match in enumerate(_SENTENCE.finditer(text)))


def _unit(sentence: re.Match[str], index: int) -> ClinicalUnit:
    words = sentence.group().lower().split()
    return ClinicalUnit(
        span_text=sentence.group(),
        start=sentence.start(),
        end=sentence.end(),
        sentence_index=index,
        canonical_finding=words[-1],
        polarity=Polarity.ABSENT if words[0] == "no" else Polarity.PRESENT,
    )


@frozen
class FakeAligner:
    """Spreads every unit's mass evenly over the units of the other report.

    Attributes:
        converged: what it says of its plans.
    """

    converged: bool = True

    @property
    def identity(self) -> str:
        """Always the same."""
        return "fake"

    def align(self, costs: Sequence[PairCosts]) -> list[Alignment]:
        """An even plan for each pair's costs."""
        return [self._spread(pair) for pair in costs]

    def _spread(self, costs: PairCosts) -> Alignment:
        ground = costs.weighted(CostWeights())
        rows, columns = ground.shape
        return Alignment(
            plan=np.full((rows, columns), 1 / (rows * columns)),
            ground=ground,
            channels=costs.ground,
            side=costs.side,
            row_mass=np.full(rows, 1 / rows),
            column_mass=np.full(columns, 1 / columns),
            converged=self.converged,
        )


@frozen
class FakeReadout:
    """Total risk is the expected ground cost; three quarters of it are significant.

    Attributes:
        uses_self_alignments: whether it takes off the mean cost of each report against itself.
    """

    uses_self_alignments: bool = False

    @property
    def identity(self) -> str:
        """With or without self-alignments."""
        return f"fake,selves={str(self.uses_self_alignments).lower()}"

    def read_out(self, pairs: Sequence[AlignedPair]) -> list[Risk]:
        """Risk for each aligned pair."""
        return [_risk(self._cost(pair)) for pair in pairs]

    def _cost(self, pair: AlignedPair) -> float:
        if not self.uses_self_alignments:
            return pair.cross.expected_cost()
        if pair.reference_self is None or pair.candidate_self is None:
            msg = "the self-alignments that this readout uses are not there"
            raise ValueError(msg)
        bias = (pair.reference_self.expected_cost() + pair.candidate_self.expected_cost()) / 2
        return max(0.0, pair.cross.expected_cost() - bias)


_SHARES: Final = {"total": 1.0, "significant": 0.75, "insignificant": 0.25}


def _risk(cost: float) -> Risk:
    return Risk(
        scores={target: share * cost for target, share in _SHARES.items()},
        contributions={
            target: (Contribution("expected_cost", cost, share, share * cost),) for target, share in _SHARES.items()
        },
    )


@frozen
class FakeMetric:
    """Share of words that both reports hold, 0 to 1, higher is better; two blank reports are unscored.

    Attributes:
        scores: score by pair id, instead of the share.
    """

    scale: ClassVar[Scale] = Scale(0.0, 1.0, higher_is_better=True)
    scores: Mapping[str, float] = field(factory=dict)

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        """Always the same."""
        return (("words", "fake"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Share of each pair."""
        return [self._outcome(pair) for pair in pairs]

    def _outcome(self, pair: ReportPair) -> Outcome:
        if pair.id in self.scores:
            return Scored(score=self.scores[pair.id])
        if pair.reference.is_blank and pair.candidate.is_blank:
            return Unscored("empty", "both reports are empty")
        return Scored(score=jaccard(tokens(pair.reference.text), tokens(pair.candidate.text)))


@frozen(eq=False)
class FakeComponents:
    """What a factory obtains components from: fakes, but for those given by kind."""

    given: Mapping[str, Any] = field(factory=dict)

    def get(self, kind: str) -> Any:
        """The component given, or the fake.

        Raises:
            ConfigurationError: if there is neither.
        """
        known = {"extractor": _EXTRACTOR, "aligner": _ALIGNER, "readout": _READOUT, **self.given}
        if kind not in known:
            raise ConfigurationError([f"there is no fake {kind.replace('_', ' ')}; give one in FakeComponents"])
        return known[kind]


_EXTRACTOR: Final = FakeExtractor()
_ALIGNER: Final = FakeAligner()
_READOUT: Final = FakeReadout()

_PLAIN: Final = "Small left pleural effusion. No pneumothorax. The heart is mildly enlarged."
_OTHER: Final = "Moderate right pleural effusion. Small apical pneumothorax. Heart size is normal."
_HEADED: Final = (
    "EXAMINATION: Chest radiograph\n\nFINDINGS:\n  Stable 8 mm nodule in the right upper lobe.\r\n"
    "  The endotracheal tube ends 4 cm above the carina.\n\nIMPRESSION:\n1. Unchanged nodule.\n2. No new consolidation."
)
_ODD: Final = "Überlagerung — no <b>effusion</b>; T°: 37,5 \u200b| 0/10 \U0001fac1 opacity"

SAMPLE_REPORTS: Final = tuple(map(Report, (_PLAIN, _OTHER, "", _HEADED, " \n\t", _ODD, "Effusion", f"{_OTHER} " * 20)))
"""Invented reports: plain, with headings, blank, with unusual characters, of one word, and long."""

SAMPLE_PAIRS: Final = tuple(
    ReportPair(id=f"sample-{index}", reference=reference, candidate=candidate)
    for index, (reference, candidate) in enumerate(
        [
            (_PLAIN, _PLAIN),
            (_PLAIN, _OTHER),
            (_OTHER, _PLAIN),
            (_PLAIN, ""),
            (" \n", _OTHER),
            ("", " "),
            (_HEADED, _PLAIN),
            (_ODD, _HEADED),
            (_PLAIN, f"{_OTHER} " * 20),
            (_PLAIN, _OTHER),
        ],
        start=1,
    )
)
"""Invented pairs: equal and different, blank on either side and on both, one twice."""


def _units(*texts: str) -> tuple[ClinicalUnit, ...]:
    extractions = _EXTRACTOR.extract([Report(text) for text in texts])
    return tuple(unit for units in extractions if not isinstance(units, Unscored) for unit in units)


_UNITS: Final = {1: _units("Effusion"), 3: _units(_PLAIN), 4: _units(_OTHER, "Effusion"), 7: _units(*[_OTHER] * 2, "a")}

SAMPLE_COSTS: Final = tuple(
    TableTwoCost().between(_UNITS[rows], _UNITS[columns])
    for rows, columns in [(3, 3), (3, 4), (1, 1), (4, 3), (1, 7), (7, 1), (7, 4), (3, 4)]
)
"""Costs between invented units: of one report with itself, square or not, down to a single unit."""


def check_metric(
    spec: MetricSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    pairs: Sequence[ReportPair] = SAMPLE_PAIRS,
) -> None:
    """Checks a metric: one outcome a pair whatever the batch, on its scale, the same every time.

    Args:
        spec: as the plugin lists it.
        options: of the spec's options class; its defaults where omitted.
        components: what the factory draws components from; fakes where omitted.
        pairs: what to try it on.

    Raises:
        AssertionError: naming every problem found.
    """
    metric, twin = _built_twice(spec, MetricSpec, options, components)
    problems = [*_signature_problems(metric, twin), *_behaviour(pairs, metric.evaluate, twin.evaluate, _same_outcomes)]
    for pair, outcome in _matched(pairs, metric.evaluate(pairs)):
        problems += [f"pair {pair.id}: {problem}" for problem in _outcome_problems(spec.scale, pair, outcome)]
    _conclude(spec, problems)


def check_extractor(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    reports: Sequence[Report] = SAMPLE_REPORTS,
) -> None:
    """Checks an extractor: units in reading order that quote the report, none for a blank one, the same every time.

    Args:
        spec: as the plugin lists it.
        options: of the spec's options class; its defaults where omitted.
        components: what the factory draws components from; fakes where omitted.
        reports: what to try it on.

    Raises:
        AssertionError: naming every problem found.
    """
    extractor, twin = _built_twice(spec, ComponentSpec, options, components)
    problems = [*_identity_problems(extractor, twin)]
    problems += _behaviour(reports, extractor.extract, twin.extract, _same_units)
    for number, (report, extraction) in enumerate(_matched(reports, extractor.extract(reports)), start=1):
        problems += [f"report {number}: {problem}" for problem in _extraction_problems(report, extraction)]
    _conclude(spec, problems)


def check_aligner(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    costs: Sequence[PairCosts] = SAMPLE_COSTS,
) -> None:
    """Checks an aligner: a nonnegative plan of the costs' shape with the costs that explain it, the same every time.

    Args:
        spec: as the plugin lists it.
        options: of the spec's options class; its defaults where omitted.
        components: what the factory draws components from; fakes where omitted.
        costs: what to try it on.

    Raises:
        AssertionError: naming every problem found.
    """
    aligner, twin = _built_twice(spec, ComponentSpec, options, components)
    problems = [*_identity_problems(aligner, twin), *_behaviour(costs, aligner.align, twin.align, _same_alignments)]
    for number, (pair, alignment) in enumerate(_matched(costs, aligner.align(costs)), start=1):
        problems += [f"costs {number}: {problem}" for problem in _alignment_problems(pair, alignment)]
    _conclude(spec, problems)


def _conclude(spec: Spec, problems: Iterable[str]) -> None:
    found = list(dict.fromkeys(problems))
    if found:
        raise AssertionError("\n- ".join([f"{spec.name} does not conform:", *found]))


def _built_twice(spec: Spec, expected: type[Spec], options: Any, components: Components | None) -> tuple[Any, Any]:
    if not isinstance(spec, expected):
        msg = f"a {expected.__name__} is needed, not {type(spec).__name__}"
        raise AssertionError(msg)  # noqa: TRY004 - as every other finding
    if problem := spec_problem(spec):
        _conclude(spec, [problem])
    components = components or FakeComponents()
    options = spec.options() if options is None else options
    return spec.factory(options, components), spec.factory(options, components)


class _Identified(Protocol):
    @property
    def identity(self) -> str: ...


def _identity_problems(built: _Identified, twin: _Identified) -> Problems:
    if problem := _unprintable(built.identity):
        yield f"identity {problem}"
    elif built.identity != twin.identity:
        yield "identity differs between two that are built alike"


def _signature_problems(metric: Metric, twin: Metric) -> Problems:
    parts = list(metric.signature_parts)
    for name, identity in parts:
        if problem := _unprintable(name) or _unprintable(identity):
            yield f"signature part {name!r} {problem}"
    if len({name for name, _ in parts}) < len(parts):
        yield "two signature parts have the same name"
    if parts != list(twin.signature_parts):
        yield "signature_parts differ between two that are built alike"


def _unprintable(identity: object) -> str:
    """What keeps a text out of a signature, which is one line with bars between its parts."""
    if not isinstance(identity, str) or not identity.strip():
        return "must be text that is not empty"
    return "must hold no bar and no line break" if re.search(r"[|\r\n]", identity) else ""


def _behaviour(
    items: Sequence[T],
    call: Callable[[Sequence[T]], Sequence[R]],
    twin_call: Callable[[Sequence[T]], Sequence[R]],
    same: Callable[[R, R, float], bool],
) -> Problems:
    """Problems that any batch method may have; ``same`` compares two answers within a tolerance."""
    answers, empty = call(items), call([])
    if not isinstance(answers, Sequence) or not isinstance(empty, Sequence):
        yield f"must return a sequence, not {type(answers).__name__}"
        return
    if empty:
        yield f"an empty batch gives {len(empty)} answers"
    if len(answers) != len(items):
        yield f"{len(items)} items give {len(answers)} answers"
        return
    others = {
        "the same batch again gives other answers": (call(items), 0.0),
        "another that is built alike gives other answers": (twin_call(items), 0.0),
        "answers do not follow the order of the batch": (call(items[::-1])[::-1], _BATCH_TOLERANCE),
        "an item alone has another answer than in a batch": ([r for i in items for r in call([i])], _BATCH_TOLERANCE),
    }
    for problem, (other, tolerance) in others.items():
        if len(other) != len(answers) or not all(same(a, b, tolerance) for a, b in zip(answers, other, strict=True)):
            yield problem


def _matched(items: Sequence[T], answers: object) -> list[tuple[T, Any]]:
    """Each item with its answer; none where they do not match, which `_behaviour` tells."""
    if not isinstance(answers, Sequence) or len(answers) != len(items):
        return []
    return list(zip(items, answers, strict=True))


def _same_units(one: Extraction, other: Extraction, _: float) -> bool:
    return one == other


def _same_outcomes(one: Outcome, other: Outcome, tolerance: float) -> bool:
    if not isinstance(one, Scored) or not isinstance(other, Scored):
        return one == other
    return (
        one.subscores.keys() == other.subscores.keys()
        and (one.discrepancies, one.truncated) == (other.discrepancies, other.truncated)
        and _near(one.score, other.score, tolerance)
        and all(_near(value, other.subscores[name], tolerance) for name, value in one.subscores.items())
    )


def _near(one: float, other: float, tolerance: float) -> bool:
    if not _is_number(one) or not _is_number(other):
        return repr(one) == repr(other)  # NaN is not equal to itself, and a faulty value is told on its own
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)


def _same_alignments(one: Alignment, other: Alignment, tolerance: float) -> bool:
    if not isinstance(one, Alignment) or not isinstance(other, Alignment):
        return type(one) is type(other)  # what is no alignment is told on its own
    return all(
        a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        for a, b in [(one.plan, other.plan), (one.ground, other.ground)]
    )


def _outcome_problems(scale: Scale, pair: ReportPair, outcome: object) -> Problems:
    if isinstance(outcome, Unscored):
        if not isinstance(outcome.reason, str) or not outcome.reason:
            yield "Unscored must give a reason"
        if _quotes(pair, f"{outcome.reason} {outcome.detail}"):
            yield "the reason quotes a report"
    elif isinstance(outcome, Scored):
        yield from _score_problems(scale, outcome)
        if any(_quotes(pair, note) for note in outcome.notes):
            yield "a note quotes a report"
        spans = [(span, pair.reference.text) for d in outcome.discrepancies for span in d.reference_spans]
        spans += [(span, pair.candidate.text) for d in outcome.discrepancies for span in d.candidate_spans]
        if not all(0 <= span.start <= span.end <= len(text) for span, text in spans):
            yield "a discrepancy points outside its report"
    else:
        yield f"must be Scored or Unscored, not {type(outcome).__name__}"


def _score_problems(scale: Scale, outcome: Scored) -> Problems:
    if not _is_number(outcome.score):
        yield "the score must be a finite number"
    elif not scale.low - _RANGE_TOLERANCE <= outcome.score <= scale.high + _RANGE_TOLERANCE:
        yield f"score {outcome.score:g} lies outside its scale, {scale.describe()}"
    for name, value in outcome.subscores.items():
        if not _is_number(value):
            yield f"subscore {name!r} must be a finite number"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _quotes(pair: ReportPair, text: str) -> bool:
    """Whether a text holds a sentence of either report; fewer words than three may stand there by chance."""
    sentences = [s for report in (pair.reference, pair.candidate) for s in _SENTENCE.findall(report.text)]
    return any(sentence.strip() in text for sentence in sentences if len(sentence.split()) >= _QUOTED_WORDS)


def _extraction_problems(report: Report, extraction: object) -> Problems:
    if isinstance(extraction, Unscored):
        if report.is_blank:
            yield "a blank report must be read, into no units"
        if not extraction.reason:
            yield "Unscored must give a reason"
        return
    if not isinstance(extraction, tuple) or not all(isinstance(unit, ClinicalUnit) for unit in extraction):
        yield "must be a tuple of ClinicalUnit, or Unscored"
        return
    if report.is_blank and extraction:
        yield "a blank report must be read into no units"
    if any(unit.span_text != unit.span.of(report.text) or not 0 <= unit.start < unit.end for unit in extraction):
        yield "span_text of each unit must be what stands in the report from start to end"
    if any(later.start < unit.start for unit, later in pairwise(extraction)):
        yield "units must stand in reading order"
    if not all(0 <= unit.confidence <= 1 for unit in extraction):
        yield "confidence must lie on 0 to 1"


def _alignment_problems(costs: PairCosts, alignment: object) -> Problems:
    if not isinstance(alignment, Alignment):
        yield f"must be Alignment, not {type(alignment).__name__}"
        return
    shape = next(iter(costs.ground.values())).shape
    if alignment.plan.shape != shape or alignment.ground.shape != shape:
        yield f"plan and ground must have the shape of the costs, {shape[0]} x {shape[1]}"
        return
    if not np.isfinite(alignment.plan).all() or (alignment.plan < 0).any() or alignment.plan.sum() <= 0:
        yield "the plan must be finite, nonnegative and not all zero"
    if not ((alignment.ground >= 0) & (alignment.ground <= 1)).all():
        yield "ground must lie on 0 to 1"
    for name, mass, length in zip(("row", "column"), (alignment.row_mass, alignment.column_mass), shape, strict=True):
        if mass.shape != (length,) or not (mass > 0).all() or not _near(mass.sum(), 1.0, _MASS_TOLERANCE):
            yield f"{name}_mass must be {length} positive numbers that sum to 1"
    if not _same_costs(alignment.channels, costs.ground) or not _same_costs(alignment.side, costs.side):
        yield "channels and side must be the costs that were given"
    if not alignment.marginal_error >= 0:
        yield "marginal_error must be 0 or more"


def _same_costs(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(matrix, other[name]) for name, matrix in one.items())
