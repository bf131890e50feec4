"""Texts for tests whose reports should read as real ones do, all of them from the home of invented reports."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from hypothesis import strategies as st

from overread.domain.reports.report import ReportPair
from overread.studies.application.synthesis.credible.examinations import Examination, load_examinations
from overread.studies.application.synthesis.credible.reports import credible_reports
from overread.studies.application.synthesis.credible.sayings import say
from overread.studies.application.synthesis.draws import Draws

__all__ = ["credible_pairs", "credible_statements", "credible_texts"]

_FRAMES: Final = ("There {be} {np}.", "{np} {be} seen.", "")


@cache
def credible_texts(count: int, *, seed: int) -> tuple[str, ...]:
    """Reports of all examinations and lengths."""
    return tuple(report.text for report in credible_reports(seed=seed, studies=count))


def credible_pairs(count: int, *, seed: int) -> list[ReportPair]:
    """Reports, each against the one before it of the same kind of examination."""
    latest: dict[str, str] = {}
    pairs: list[ReportPair] = []
    for report in credible_reports(seed=seed, studies=count + len(load_examinations())):
        if report.examination in latest and len(pairs) < count:
            reference = latest[report.examination]
            pairs.append(ReportPair(id=report.study, reference=reference, candidate=report.text))
        latest[report.examination] = report.text
    return pairs


def credible_statements(least: int = 0, most: int = 8) -> st.SearchStrategy[list[str]]:
    """Sentences that reports of one examination hold, in any order, some perhaps twice."""
    lists = [
        st.lists(st.sampled_from(_statements(examination)), min_size=least, max_size=most)
        for examination in load_examinations()
    ]
    return st.one_of(lists)


def _statements(examination: Examination) -> tuple[str, ...]:
    """The normal statements of an examination, its findings, compared and not, and what is advised of them."""

    def sentences() -> Iterator[str]:
        draws = Draws.from_parts("statements", examination.id)
        for finding in examination.finding:
            for compared in (False, True):
                yield say(finding, draws, compared=compared).sentence(draws.pick(_FRAMES))
            yield from finding.advice
        yield from (draws.pick(normal.text) for normal in examination.normal)

    return tuple(dict.fromkeys(sentences()))
