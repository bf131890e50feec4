"""Agreement within a protocol: of readers, of what was decided, and of the program."""

from __future__ import annotations

import pytest

from overread.application.statistics.estimating import Estimate
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.agreement import PROGRAM, VERDICT, Agreement, Case, agreement_of
from overread.hospital.domain.judgement import Judgement
from overread.hospital.domain.review import Radpeer

NONE = Judgement(radpeer=Radpeer.CONCUR)
GRAVE = Judgement(
    severity=Severity.SIGNIFICANT,
    categories=frozenset({ErrorCategory.OMITTED_FINDING}),
    radpeer=Radpeer.EXPECTED_SIGNIFICANT,
)
SLIGHT = Judgement(severity=Severity.INSIGNIFICANT, radpeer=Radpeer.CONCUR)


def case(ann: Judgement, ben: Judgement | None, times: int = 1, **more: object) -> list[Case]:
    """A pair as two readers judge it, so many times; the program is of ann's mind."""
    readings = {"ann": ann} | ({} if ben is None else {"ben": ben})
    verdict = ann if ann == ben else None
    given = {"program": ann, "verdict": verdict, "importance": Importance.URGENT, "modality": "CT"} | more
    return [Case(readings=readings, **given)] * times  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def agreement() -> Agreement:
    """Of fifty pairs, twenty grave and fifteen not to both; five and ten to one of them alone; one that ann read."""
    cases = [
        *case(GRAVE, GRAVE, 20),
        *case(GRAVE, NONE, 5),
        *case(NONE, GRAVE, 10, importance=None, modality=""),
        *case(NONE, NONE, 15, importance=None, modality="MR"),
        *case(SLIGHT, None),
    ]
    return agreement_of(7, cases, ["ann", "ben"], draws=200)


def test_kappa_is_over_the_pairs_that_both_read(agreement: Agreement) -> None:
    """By hand: observed 0.7, by chance 0.5."""
    [row] = agreement.readers
    assert (row.one, row.other, row.pairs) == ("ann", "ben", 50)
    assert row.significant.value == pytest.approx(0.4)
    assert row.quadratic.value == row.linear.value == pytest.approx(0.4)
    assert row.concordant.value == pytest.approx(0.4)
    low, high = row.significant.low, row.significant.high
    assert low is not None
    assert high is not None
    assert low < 0.4 < high


def test_the_program_and_the_verdict_are_raters_too(agreement: Agreement) -> None:
    """The verdict has the pairs that were decided alone; with what they agree on readers agree."""
    assert [(row.one, row.other) for row in agreement.verdict] == [
        ("ann", VERDICT),
        ("ben", VERDICT),
        (PROGRAM, VERDICT),
    ]
    assert [row.pairs for row in agreement.verdict] == [35, 35, 35]
    assert [row.significant.value for row in agreement.verdict] == [1.0, 1.0, 1.0]
    assert [(row.other, row.pairs) for row in agreement.program] == [("ann", 51), ("ben", 50)]
    assert [row.significant.value for row in agreement.program] == [1.0, pytest.approx(0.4)]


def test_groups_are_told_apart(agreement: Agreement) -> None:
    """By the program's importance, the modality, and the categories that a reader saw."""
    groups = {(group.by, group.name): group for group in agreement.groups}
    assert {key: group.pairs for key, group in groups.items()} == {
        ("all", "all pairs"): 50,
        ("importance", "urgent"): 25,
        ("importance", "none"): 25,
        ("modality", "CT"): 25,
        ("modality", "MR"): 15,
        ("modality", "not given"): 10,
        ("category", "omitted finding"): 50,
    }
    # Both gave 55 of 100 ratings: by chance they agree on 0.55 squared and 0.45 squared.
    assert groups["all", "all pairs"].fleiss.value == pytest.approx((0.7 - 0.505) / (1 - 0.505))
    assert groups["category", "omitted finding"].fleiss == groups["all", "all pairs"].fleiss
    assert groups["modality", "MR"].nominal == Estimate(None)


def test_it_is_shown_as_tables_without_text(agreement: Agreement) -> None:
    """A table for each kind of comparison, and a plot where there is something to draw."""
    tabulation = agreement.tabulation()
    assert [table.name for table in tabulation.tables] == ["groups", "readers", "verdict", "program"]
    assert [plot.name for plot in tabulation.plots] == ["readers-forest", "verdict-forest", "program-forest"]
    assert tabulation.count("pairs") == 51


def test_a_protocol_that_nobody_read_has_no_figures() -> None:
    """And no fault."""
    empty = agreement_of(1, [], ["ann", "ben"], draws=10)
    assert (empty.pairs, empty.readers[0].significant, empty.groups[0].fleiss) == (0, Estimate(None), Estimate(None))
    assert empty.tabulation().tables
