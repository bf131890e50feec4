"""Judged pairs: divided by study, and judges tried on them by the D/R rule."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from overread.application.training.judged_pairs import JudgedPair, MarkedSpan, evaluate_judge
from overread.application.training.splitting import split_by_study
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect


def judged(name: str, *severities: Severity, study: str = "s") -> JudgedPair:
    pair = ReportPair(id=name, reference="No effusion.", candidate="Effusion.")
    spans = tuple(MarkedSpan(f"{i}", ErrorAspect.NEGATION, None, severity) for i, severity in enumerate(severities))
    return JudgedPair(pair=pair, study=study, spans=spans)


@frozen
class Fixed:
    """A judge that finds one discrepancy of a given severity in each pair, none, or cannot tell."""

    severities: Sequence[Severity | Unscored | None]
    identity: str = "fixed"
    note: str = ""

    def judge(self, pairs: Sequence[ReportPair]) -> list[Judgement | Unscored]:
        return [self._judgement(severity) for severity, _ in zip(self.severities, pairs, strict=True)]

    def _judgement(self, severity: Severity | Unscored | None) -> Judgement | Unscored:
        if isinstance(severity, Unscored):
            return severity
        named = () if severity is None else (severity,)
        found = (
            Discrepancy(category=None, aspect=ErrorAspect.NOISE, type=None, severity=s, reason="judged", finding="")
            for s in named
        )
        return Judgement(discrepancies=tuple(found))


def test_a_pair_is_significant_if_any_span_is() -> None:
    """One grave difference outweighs the slight ones."""
    assert judged("a", Severity.INSIGNIFICANT, Severity.CRITICAL).is_significant
    assert not judged("a", Severity.INSIGNIFICANT).is_significant
    assert not judged("a").is_significant


def test_no_study_is_on_both_sides_and_none_is_empty() -> None:
    """The seed decides the split, and no share empties a side."""
    pairs = [judged(f"{i}", study=f"{i // 3}") for i in range(30)]
    training, held = split_by_study(pairs, 0.2, 7)
    assert {pair.study for pair in training}.isdisjoint(pair.study for pair in held)
    assert (len(training), len(held)) == (24, 6)
    assert split_by_study(pairs, 0.2, 7) == (training, held)
    assert split_by_study(pairs, 0.2, 8) != (training, held)
    for share in (0.001, 0.999):
        assert all(split_by_study(pairs[:6], share, 7))


def test_d_and_r_are_shares_of_their_own_pairs_and_what_was_not_judged_is_wrong() -> None:
    """A judge gains nothing by refusing what is hard."""
    grave, slight = Severity.SIGNIFICANT, Severity.INSIGNIFICANT
    pairs = [judged(f"{i}", grave) for i in range(4)] + [judged(f"{i}", slight) for i in range(2)]
    answers = (grave, Severity.CRITICAL, slight, Unscored("refusal"), None, Unscored("no answer"))
    evaluation = evaluate_judge(Fixed(answers), pairs)
    assert (evaluation.discrimination.value, evaluation.robustness.value) == (0.5, 0.5)
    assert (evaluation.pairs, evaluation.unscored) == (6, 2)


def test_without_pairs_of_a_kind_its_share_is_unknown() -> None:
    """No pair is no failure."""
    evaluation = evaluate_judge(Fixed([None]), [judged("a", Severity.INSIGNIFICANT)])
    assert (evaluation.discrimination.value, evaluation.robustness.value) == (None, 1.0)
