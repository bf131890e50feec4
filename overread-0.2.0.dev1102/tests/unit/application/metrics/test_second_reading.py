"""What a second reader changes: the risk, what counts as significant, and what is found beside."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve, frozen

from overread.adapters.transport.importance.plugin import overread_readouts
from overread.application.metrics.notation import NotationMetric
from overread.application.metrics.radot import RadotMetric
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Scored
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.exceptions import ComponentError
from overread.plugins.specs import NoOptions
from overread.testing import FakeComponents, FakeSecondReader

from ..fakes import pair
from .test_notation import LEXICON, scored, weighed


def noted(doubted: dict[str, float] | None) -> Scored:
    """Edema and effusion against a report of neither."""
    again = None if doubted is None else FakeSecondReader(doubted=doubted)
    metric = NotationMetric(weighed(second_reader=again), LEXICON)
    return scored(metric.evaluate([pair("a", "Edema. Effusion.", "Scar.")])[0])


def test_who_doubts_nothing_changes_nothing() -> None:
    """Probability 1 for all leaves the score, the risk and every severity as the first reading has them."""
    first, again = noted(None), noted({})
    assert again.discrepancies == first.discrepancies
    assert (again.score, again.subscores) == (first.score, first.subscores)


def test_a_doubtful_discrepancy_is_kept_and_counts_for_little() -> None:
    """It keeps its weight and its reason, is insignificant, and adds its weight times its probability."""
    first, again = noted(None), noted({"edema": 0.4})
    before = next(d for d in first.discrepancies if d.finding == "edema")
    after = next(d for d in again.discrepancies if d.finding == "edema")
    assert (after.weight, after.reason, after.reference_spans) == (before.weight, before.reason, before.reference_spans)
    assert (before.severity, after.severity) == ("significant", "insignificant")
    assert after.is_doubtful
    assert before.weight is not None
    assert again.subscores["risk"] == pytest.approx(first.subscores["risk"] - before.weight * (1 - 0.4))
    assert again.subscores["errors"] == pytest.approx(first.subscores["errors"] - 0.6)
    assert again.subscores["significant"] == first.subscores["significant"] - 1
    assert again.score > first.score


def test_an_unlikely_discrepancy_counts_for_nothing() -> None:
    """Below three in ten it stays in the list, and adds neither to the risk nor to the errors."""
    first, again = noted(None), noted({"edema": 0.29})
    before = next(d for d in first.discrepancies if d.finding == "edema")
    assert len(again.discrepancies) == len(first.discrepancies)
    assert before.weight is not None
    assert again.subscores["risk"] == pytest.approx(first.subscores["risk"] - before.weight)
    assert again.subscores["errors"] == first.subscores["errors"] - 1


def test_a_likely_discrepancy_keeps_its_severity() -> None:
    """From even odds on it counts as the first reading says, though it weighs a little less."""
    again = noted({"edema": 0.5})
    assert next(d for d in again.discrepancies if d.finding == "edema").severity == "significant"


def test_a_generator_cannot_live_off_doubt() -> None:
    """The reward for training is the first reading's, so that nothing is gained by wording that a reader doubts."""
    assert noted({"edema": 0.0, "effusion": 0.0}).subscores["reward"] == noted(None).subscores["reward"]


def test_radot_and_notation_see_the_same_doubt() -> None:
    """Both read one plan and one second reading of it: radot is 1 less notation's score, its total the risk."""
    reader = weighed(second_reader=FakeSecondReader(doubted={"effusion": 0.3}))
    [plan] = (spec.factory(NoOptions(), FakeComponents()) for spec in overread_readouts())
    pairs = [pair("a", "Edema. Effusion.", "Scar."), pair("b", "Edema.", "Edema.")]
    for notation, radot in zip(
        NotationMetric(reader, LEXICON).evaluate(pairs), RadotMetric(reader, plan).evaluate(pairs), strict=True
    ):
        assert scored(radot).score == pytest.approx(1 - scored(notation).score)
        assert scored(radot).subscores["total"] == pytest.approx(scored(notation).subscores["risk"])


def test_the_signature_names_who_reads_again_and_only_then() -> None:
    """Scores with and without a second reader are never taken for each other."""
    assert "second_reader" not in dict(weighed().signature_parts)
    assert (
        dict(weighed(second_reader=FakeSecondReader()).signature_parts)["second_reader"] == FakeSecondReader().identity
    )


def test_all_pairs_of_a_batch_are_asked_about_at_once() -> None:
    """A network is quick in batches, so each claim of each pair goes into one question, in order."""
    asked: list[list[str]] = []

    @frozen
    class Counting(FakeSecondReader):
        def read_again(self, readings: Sequence[FirstReading]) -> list[SecondReading]:
            asked.append([d.finding for first in readings for d in first.discrepancies])
            return super().read_again(readings)

    metric = NotationMetric(weighed(second_reader=Counting()), LEXICON)
    metric.evaluate([pair("a", "Edema.", "Scar."), pair("b", "Edema.", "Edema."), pair("c", "Effusion.", "Scar.")])
    assert len(asked) == 1
    assert [finding for finding in asked[0] if finding != "scar"] == ["edema", "effusion"]


@pytest.mark.parametrize("answers", [[], [1.5], [float("nan")], [-0.1]])
def test_what_is_no_probability_is_the_second_readers_fault(answers: list[float]) -> None:
    """Too few answers, or such as are no probability, are refused by name and not taken for a score."""

    @frozen
    class Broken(FakeSecondReader):
        def read_again(self, readings: Sequence[FirstReading]) -> list[SecondReading]:
            return [SecondReading(answers * len(first.discrepancies)) for first in readings]

    metric = NotationMetric(weighed(second_reader=Broken()), LEXICON)
    with pytest.raises(ComponentError, match=r"the second reader .* did not return"):
        metric.evaluate([pair("a", "Edema.", "Scar.")])


def error(weight: float, *, at: Span, probability: float = 1.0) -> Discrepancy:
    """An error in the candidate of so much weight."""
    return Discrepancy(
        category=ErrorCategory.FALSE_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.FABRICATION,
        severity=Severity.SIGNIFICANT,
        reason="actionable; not in the reference",
        finding="",
        importance=Importance.ACTIONABLE,
        extent=weight / 0.5,
        candidate_spans=(at,),
        probability=probability,
    )


def read(*found: Discrepancy, candidate: str = "Edema. Something odd.") -> Scored:
    metric = NotationMetric(weighed(second_reader=FakeSecondReader(found=found)), LEXICON)
    return scored(metric.evaluate([pair("a", "Edema.", candidate)])[0])


def test_what_is_found_where_nothing_is_noted_weighs_in_full() -> None:
    """It is a discrepancy like any other, with its place, and adds its weight times its probability."""
    before, after = read(), read(error(0.31, at=Span(0, 5), probability=0.8))
    [new] = [d for d in after.discrepancies if d.weight == pytest.approx(0.31)]
    assert (new.candidate_spans, new.probability, new.severity) == ((Span(0, 5),), 0.8, "significant")
    assert after.subscores["risk"] == pytest.approx(before.subscores["risk"] + 0.31 * 0.8)
    assert after.subscores["significant"] == before.subscores["significant"] + 1


def test_what_is_noted_already_is_not_counted_twice() -> None:
    """Of an error at a noted place only the weight counts that slight notes leave over; none where they leave none."""
    candidate = "Edema. Scar."
    first = read(candidate=candidate)
    [scar] = [d for d in first.discrepancies if d.finding == "scar"]
    assert scar.weight is not None
    place = scar.candidate_spans[0]
    heavier = read(error(scar.weight + 0.05, at=place), candidate=candidate)
    assert heavier.subscores["risk"] == pytest.approx(first.subscores["risk"] + 0.05)
    lighter = read(error(scar.weight - 0.05, at=place), candidate=candidate)
    assert lighter.discrepancies == first.discrepancies


def test_what_is_found_of_a_noted_category_is_told_with_it() -> None:
    """One discrepancy of the risk of both, under the noted finding; the reward knows the plan's weight alone."""
    candidate = "Edema. Scar."
    first = read(candidate=candidate)
    [scar] = [d for d in first.discrepancies if d.finding == "scar"]
    again = read(evolve(error(0.4, at=scar.candidate_spans[0]), category=scar.category), candidate=candidate)
    [told] = [d for d in again.discrepancies if d.finding == "scar"]
    assert len(again.discrepancies) == len(first.discrepancies)
    assert told.weight == pytest.approx(0.4)
    assert told.severity.counts_as_significant
    assert told.importance is Importance.ACTIONABLE
    assert told.reason == "actionable; only in the candidate, judged by the whole sentence"
    assert again.subscores["reward"] == first.subscores["reward"]


def test_what_is_found_where_a_significant_discrepancy_stands_is_told_already() -> None:
    """However much more the second reader thinks of it."""
    candidate = "Edema. Effusion."
    first = read(candidate=candidate)
    [effusion] = [d for d in first.discrepancies if d.finding == "effusion"]
    assert effusion.severity.counts_as_significant
    graver = read(error(0.5, at=effusion.candidate_spans[0]), candidate=candidate)
    assert graver.discrepancies == first.discrepancies


def test_the_reward_knows_nothing_of_what_is_found() -> None:
    """A generator is taught by the first reading alone."""
    assert read(error(0.31, at=Span(0, 5))).subscores["reward"] == pytest.approx(read().subscores["reward"])


def test_a_doubtful_find_is_insignificant() -> None:
    """Below even odds it stays in the evidence, marked as doubtful."""
    after = read(error(0.4, at=Span(0, 5), probability=0.4))
    [new] = [d for d in after.discrepancies if d.probability == 0.4]
    assert (new.is_doubtful, new.severity) == (True, "insignificant")


def test_the_same_words_are_not_read_again() -> None:
    """Whatever a second reader would say, a report agrees with itself, laid out otherwise too."""
    assert read(error(0.5, at=Span(0, 3)), candidate="EDEMA.").score == 1.0


@pytest.mark.parametrize("place", [Span(7, 99), Span(3, 3)])
def test_what_is_found_must_stand_in_a_report(place: Span) -> None:
    """A place beyond the text, or an empty one, is the second reader's fault."""
    with pytest.raises(ComponentError, match=r"the second reader .* found a discrepancy that is in neither report"):
        read(error(0.3, at=place))
