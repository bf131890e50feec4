"""Reading pairs into units and plans: each text once, each pair in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

from overread.application.metrics.pair_reader import PairReader, ReadPair
from overread.application.ports import Extraction
from overread.domain.differences.cost import PairCosts, TableTwoCost
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.alignment import Alignment
from overread.domain.results.result import Unscored
from overread.exceptions import ComponentError
from overread.testing import FakeAligner, FakeExtractor

from ..fakes import CountingAligner, CountingExtractor, pair, reader

CLEAR, FLUID, BOTH = "No effusion", "Small effusion", "Small effusion. No edema"


def read_one(a_reader: PairReader, reference: str, candidate: str, *, with_selves: bool = False) -> ReadPair:
    [read] = a_reader.read([pair("one", reference, candidate)], with_selves=with_selves)
    assert isinstance(read, ReadPair)
    return read


def test_both_reports_become_units_and_a_plan() -> None:
    """Reference units are rows and candidate units are columns."""
    read = read_one(reader(), BOTH, FLUID)
    assert [unit.canonical_finding for unit in read.units.reference] == ["effusion", "edema"]
    assert [unit.canonical_finding for unit in read.units.candidate] == ["effusion"]
    assert read.aligned.cross.shape == (2, 1)
    assert read.aligned.reference_self is read.aligned.candidate_self is None


def test_each_text_is_extracted_once() -> None:
    """A report in several pairs, or on both sides, is read once."""
    extractor = CountingExtractor()
    reader(extractor=extractor).read([pair("a", CLEAR, CLEAR), pair("b", CLEAR, FLUID), pair("c", FLUID, CLEAR)])
    assert extractor.batches == [[CLEAR, FLUID]]


def test_the_same_pair_is_read_once_under_any_id() -> None:
    """A second metric, or a pair that comes again, finds what was read; reference and candidate are not confused."""
    extractor, aligner = CountingExtractor(), CountingAligner()
    shared = reader(extractor=extractor, aligner=aligner)
    first = read_one(shared, BOTH, FLUID)
    assert read_one(shared, BOTH, FLUID) is first
    assert aligner.shapes == [(2, 1)]
    assert read_one(shared, FLUID, BOTH).aligned.cross.shape == (1, 2)


def test_self_alignments_are_made_when_they_are_asked_for() -> None:
    """Each text is aligned with itself once; who does not need it later gets the same pair."""
    aligner = CountingAligner()
    shared = reader(aligner=aligner)
    assert read_one(shared, BOTH, FLUID).aligned.reference_self is None
    read = read_one(shared, BOTH, FLUID, with_selves=True)
    selves = (read.aligned.reference_self, read.aligned.candidate_self)
    assert [plan.shape for plan in selves if isinstance(plan, Alignment)] == [(2, 2), (1, 1)]
    assert read_one(shared, BOTH, FLUID) is read_one(shared, BOTH, FLUID, with_selves=True) is read
    read_one(shared, FLUID, BOTH, with_selves=True)
    assert sorted(aligner.shapes) == [(1, 1), (1, 2), (2, 1), (2, 1), (2, 2)]


@pytest.mark.parametrize(("reference", "candidate"), [("", ""), (" \n", "\t"), ("", "\u00a0")])
def test_two_empty_reports_are_unscored(reference: str, candidate: str) -> None:
    """Where nothing is said there is nothing to compare."""
    assert reader().read([pair("a", reference, candidate)]) == [Unscored("empty", "both reports are empty")]


@pytest.mark.parametrize(
    ("reference", "candidate", "shape"), [(BOTH, "", (2, 1)), (" ", BOTH, (1, 2)), ("... .", "...  .", (1, 1))]
)
def test_a_report_without_units_is_transported_to_one_null_unit(
    reference: str, candidate: str, shape: tuple[int, int]
) -> None:
    """The plan has one row or column for it, the units stay none."""
    read = read_one(reader(), reference, candidate, with_selves=True)
    assert read.aligned.cross.shape == shape
    assert len(read.units.reference) == (2 if reference == BOTH else 0)
    assert len(read.units.candidate) == (2 if candidate == BOTH else 0)


@pytest.mark.parametrize(("reference", "candidate"), [("...", "."), ("", "..."), ("...", " ")])
def test_two_different_reports_without_units_are_unscored(reference: str, candidate: str) -> None:
    """Nothing was read of either, so nothing can be said of how they differ."""
    [read] = reader().read([pair("a", reference, candidate)])
    assert isinstance(read, Unscored)
    assert read.reason == "nothing to read"


@pytest.mark.parametrize(
    ("reference", "candidate", "side"), [("胸部", CLEAR, "reference"), (CLEAR, "胸部", "candidate")]
)
def test_a_report_the_extractor_refuses_is_unscored_with_its_reason(reference: str, candidate: str, side: str) -> None:
    """The reason is the extractor's, the detail names the report and does not quote it."""
    extractor = FakeExtractor(refused={"胸部": "language"})
    assert reader(extractor=extractor).read([pair("a", reference, candidate)]) == [
        Unscored("language", f"{side}: the fake refuses it")
    ]


@pytest.mark.parametrize(
    ("units", "reason"), [(2, None), (3, None), (4, "candidate: 4 units, more than the limit of 3")]
)
def test_a_report_of_too_many_units_is_unscored(units: int, reason: str | None) -> None:
    """The limit itself is still read."""
    [read] = reader(max_units=3).read([pair("a", CLEAR, "Small effusion. " * units)])
    assert (read.detail if isinstance(read, Unscored) else None) == reason
    assert isinstance(read, ReadPair) or read.reason == "too long"


def test_what_cannot_be_read_is_not_read_again() -> None:
    """A refusal is remembered too."""
    extractor = CountingExtractor()
    shared = reader(extractor=extractor, max_units=1)
    for _ in range(2):
        shared.read([pair("a", BOTH, FLUID)], with_selves=True)
    assert extractor.texts == [BOTH, FLUID]


def test_one_unreadable_pair_does_not_shift_the_others() -> None:
    """Each pair's reading stands where the pair stood."""
    pairs = [pair("a", BOTH, CLEAR), pair("b", "", ""), pair("c", CLEAR, "Seen. " * 5), pair("d", CLEAR, BOTH)]
    read = reader(max_units=4).read(pairs, with_selves=True)
    assert [r.reason if isinstance(r, Unscored) else r.aligned.cross.shape for r in read] == [
        (2, 1),
        "empty",
        "too long",
        (1, 2),
    ]


class FakeForgetfulExtractor:
    """Leaves out the last report."""

    identity = "forgetful"

    def extract(self, reports: list[Report]) -> list[Extraction]:
        return FakeExtractor().extract(reports[:-1])


class FakeForgetfulAligner:
    """Leaves out the last plan."""

    identity = "forgetful"

    def align(self, costs: list[object]) -> list[Alignment]:
        return FakeAligner().align(costs[:-1])  # type: ignore[arg-type]


@pytest.mark.parametrize("part", [{"extractor": FakeForgetfulExtractor()}, {"aligner": FakeForgetfulAligner()}])
def test_an_adapter_that_loses_an_answer_is_an_error(part: dict[str, object]) -> None:
    """Answers are never given to another pair for want of one."""
    with pytest.raises(ComponentError, match="answers for"):
        reader(**part).read([pair("a", BOTH, FLUID), pair("b", CLEAR, FLUID)])


TEXTS = st.sampled_from(["", " ", CLEAR, FLUID, BOTH, "Nodule. Scar. No edema", "Rib fracture", "x. " * 5])
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), max_size=10).map(
    lambda texts: [pair(f"case-{index}", *both) for index, both in enumerate(texts)]
)


def _facts(read: ReadPair | Unscored) -> object:
    if isinstance(read, Unscored):
        return read
    selves = (read.aligned.reference_self, read.aligned.candidate_self)
    plans = [read.aligned.cross.plan, *(s.plan for s in selves if s is not None)]
    units: tuple[ClinicalUnit, ...] = read.units.reference + read.units.candidate
    return units, [np.round(plan, 12).tolist() for plan in plans]


@given(PAIRS, st.integers(1, 4), st.integers(1, 3))
def test_batches_and_memory_do_not_change_what_is_read(pairs: list[ReportPair], size: int, remembered: int) -> None:
    """All at once, a few at a time with hardly any memory, or each by a fresh reader: the same."""
    at_once = reader(max_units=4).read(pairs, with_selves=True)
    small = reader(max_units=4, remembered=remembered)
    chunks = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    in_chunks = [read for chunk in chunks for read in small.read(chunk, with_selves=True)]
    alone = [reader(max_units=4).read([one], with_selves=True)[0] for one in pairs]
    assert [*map(_facts, at_once)] == [*map(_facts, in_chunks)] == [*map(_facts, alone)]
    assert len(small._pairs) <= remembered
    assert len(small._selves) <= remembered


@define
class FakeCost:
    """Table II under another name; it weighs every unit by the length of its text, and keeps what it was asked."""

    identity: str = "fake-cost"
    asked: list[tuple[int, int]] = field(factory=list)
    weighed: list[int] = field(factory=list)

    def between(self, reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> PairCosts:
        self.asked.append((len(reference), len(candidate)))
        return TableTwoCost().between(reference, candidate)

    def burden(self, units: Sequence[ClinicalUnit]) -> npt.NDArray[np.float64]:
        self.weighed.append(len(units))
        return np.array([(len(unit.span_text), 1.0) for unit in units], dtype=np.float64)


def test_the_cost_prices_pairs_selves_and_units() -> None:
    """The cost that is given carries each unit, also within a report, and its weights reach the readout."""
    cost = FakeCost()
    read = read_one(reader(cost=cost), BOTH, FLUID, with_selves=True)
    assert sorted(cost.asked) == [(1, 1), (2, 1), (2, 2)]
    assert read.aligned.reference_burden is not None
    assert read.aligned.candidate_burden is not None
    assert read.aligned.reference_burden.tolist() == [[14.0, 1.0], [8.0, 1.0]]
    assert read.aligned.candidate_burden.tolist() == [[14.0, 1.0]]


def test_a_null_unit_weighs_as_the_cost_says() -> None:
    """A plan, its weights and its costs have one shape, also where a report says nothing."""
    read = read_one(reader(), BOTH, "")
    assert read.aligned.candidate_burden is not None
    assert read.aligned.candidate_burden.tolist() == [[0.0, 0.0]]


@define
class AsideExtractor:
    """The fake extractor; what it reads after a colon is administrative."""

    identity: str = "asides"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        return [
            tuple(evolve(u, administrative="technique" if ":" in u.span_text else "") for u in units)
            for units in FakeExtractor().extract(reports)
            if not isinstance(units, Unscored)
        ]


def test_administrative_sentences_stand_aside() -> None:
    """They are no rows of the plan and not lost either; a report of nothing else is as one without a unit."""
    read = read_one(reader(extractor=AsideExtractor()), "Effusion. Views: two. No edema", "Views: one")
    assert [unit.canonical_finding for unit in read.units.reference] == ["effusion", "edema"]
    assert [unit.canonical_finding for unit in read.units.reference_asides] == ["two"]
    assert read.units.candidate == ()
    assert [unit.canonical_finding for unit in read.units.candidate_asides] == ["one"]
    assert read.aligned.cross.shape == (2, 1)


def test_the_signature_names_extractor_cost_and_aligner() -> None:
    """Each changes a score, so each is named."""
    parts = reader(
        extractor=CountingExtractor(identity="x@1"), aligner=CountingAligner(identity="y,eps=.1"), cost=FakeCost()
    )
    assert parts.signature_parts == (("extractor", "x@1"), ("cost", "fake-cost"), ("aligner", "y,eps=.1"))


def test_a_report_of_which_nothing_was_read_is_unscored_against_one_that_was() -> None:
    """A message of a program in a report's place is none; two unread sentences are compared by their words."""
    pairs = [pair("a", CLEAR, "Error: gone"), pair("b", "Error: gone", CLEAR), pair("c", "Error: gone", "Error: lost")]
    read = reader(extractor=FakeUnreadingExtractor()).read(pairs)
    assert [r.reason if isinstance(r, Unscored) else "" for r in read] == ["unread", "unread", ""]


class FakeUnreadingExtractor(FakeExtractor):
    """Reads no sentence about an error."""

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        return [
            (ClinicalUnit(span_text=report.text, start=0, end=len(report.text)),)
            if "Error" in report.text
            else extraction
            for report, extraction in zip(reports, super().extract(reports), strict=True)
        ]
