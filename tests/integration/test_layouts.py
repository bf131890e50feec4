"""One report reads alike in any layout, and two reports differ alike.

Layouts are those of `overread.studies.application.cards.layouts`. A part of the gold corpus is read in each of them;
`make slow` reads the whole, and a thousand reports of Open-i where they are found (see ``test_reader_checks``).
"""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

import overread
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Scored
from overread.domain.vocabulary.severity import Severity
from overread.hospital.infrastructure.demo_day import hospital_day
from overread.hospital.infrastructure.demo_day.layouts import laid_out
from overread.hospital.infrastructure.demo_day.tables import toml
from overread.studies.application.cards.layouts import LAYOUTS, relaid
from overread.studies.infrastructure.datasets.annotated_sets.gold import read_gold
from overread.studies.infrastructure.datasets.reader_labels.openi import read_coded_reports

_ROOT: Final = Path(__file__).parents[2]
_GOLD: Final = Path(overread.__file__).parent / "studies" / "infrastructure" / "datasets" / "gold"
_PARTS: Final = ("open", "select")
"""Those that may be looked at."""

_OPEN_I: Final = (
    Path(os.environ.get("OVERREAD_DATA") or _ROOT.parent / "shared" / "data") / "openi" / "NLMCXR_reports.tgz"
)

_COMPARED: Final = ("radot", "notation")
"""Metrics whose scores no layout moves."""

_SAMPLE: Final = 40
"""Texts and pairs of a layout in an ordinary run, other ones for each."""

_POOL: Final = 300
"""Pairs from which the samples of pairs are drawn, so that most were scored as they are for another layout."""

_SHARE: Final = 0.01
"""Texts that may differ from themselves in another layout, none of them significantly."""

_MOVE: Final = 0.02
"""How far layout may move a score between two different reports."""

_MOVED: Final = 0.005
"""Pairs whose score a layout may move further, for example where no line ends and none is of a known kind."""


@functools.cache
def _pairs() -> tuple[ReportPair, ...]:
    pairs = [rated.pair for part in _PARTS for rated in read_gold(_GOLD, part=part).pairs]
    random.Random(3).shuffle(pairs)  # noqa: S311 - no secret
    return tuple(pairs)


@functools.cache
def _texts() -> dict[str, str]:
    texts = {pair.id: pair.candidate.text for pair in _pairs()}
    return texts | {f"reference of {pair.id}": text for text, pair in {p.reference.text: p for p in _pairs()}.items()}


def _evaluated(rows: Sequence[tuple[str, str, str]], *metrics: str) -> list[EvaluationResult]:
    pairs = [{"id": name, "reference": one, "candidate": other} for name, one, other in rows]
    return [result[metric] for result in overread.score_many(pairs, metrics=metrics) for metric in metrics]


def _differing(texts: dict[str, str], layout: str) -> tuple[set[str], set[str]]:
    """Ids of the texts that differ from themselves in a layout, and of those that do so significantly.

    A text that cannot be scored against another one, for example for its language, cannot be told apart from itself.
    """
    found = _evaluated([(name, text, relaid(text, layout)) for name, text in texts.items()], "notation")
    scored = [(result.pair_id, result) for result in found if isinstance(result.outcome, Scored)]
    assert len(found) - len(scored) <= 2 * max(1, _SHARE * len(found))
    differing = {name for name, result in scored if result.discrepancies}
    significant = {
        name for name, result in scored if any(d.severity > Severity.INSIGNIFICANT for d in result.discrepancies)
    }
    return differing, significant


def _holds(texts: dict[str, str], layout: str) -> None:
    differing, significant = _differing(texts, layout)
    assert len(differing) <= max(1, _SHARE * len(texts))
    assert not significant


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_report_says_the_same_in_another_layout(layout: str) -> None:
    """A sample of the gold corpus against itself."""
    names = random.Random(layout).sample(sorted(_texts()), _SAMPLE)  # noqa: S311 - no secret
    _holds({name: _texts()[name] for name in names}, layout)


@functools.cache
def _as_they_are(pair: ReportPair) -> tuple[EvaluationResult, ...]:
    return tuple(_evaluated([(pair.id, pair.reference.text, pair.candidate.text)], *_COMPARED))


def _moves(pairs: Sequence[ReportPair], layout: str) -> set[str]:
    """Ids of the pairs whose scores a layout of the candidate moves by more than is allowed."""
    plain = [result for pair in pairs for result in _as_they_are(pair)]
    other = [(pair.id, pair.reference.text, relaid(pair.candidate.text, layout)) for pair in pairs]
    both = zip(plain, _evaluated(other, *_COMPARED), strict=True)
    scores = [(one.pair_id, one.outcome, two.outcome) for one, two in both]
    return {
        name
        for name, one, two in scores
        if isinstance(one, Scored) and isinstance(two, Scored) and abs(one.score - two.score) > _MOVE
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_moves_no_score_between_two_reports(layout: str) -> None:
    """A sample of the gold corpus, candidates in another layout than their references."""
    pairs = random.Random(layout).sample(_pairs()[:_POOL], _SAMPLE)  # noqa: S311 - no secret
    assert len(_moves(pairs, layout)) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_whole_corpus_says_the_same_in_another_layout(layout: str) -> None:
    """All texts of the gold corpus against themselves."""
    _holds(_texts(), layout)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_moves_no_score_of_500_pairs(layout: str) -> None:
    """Candidates in another layout than their references."""
    assert len(_moves(_pairs()[:500], layout)) <= _MOVED * 500


@pytest.mark.slow
@pytest.mark.skipif(not _OPEN_I.exists(), reason="the reports of Open-i are not here")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reports_of_open_i_say_the_same_in_another_layout(layout: str) -> None:
    """A thousand of them, as they were published."""
    reports = read_coded_reports(_OPEN_I)[:1000]
    _holds({coded.id: coded.report.text for coded in reports}, layout)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reports_of_the_invented_day_say_the_same_in_another_layout(layout: str) -> None:
    """With the heads, banners and signatures that its three sites give them."""
    texts = sorted({sending.version.text.text for sending in hospital_day() if sending.version.text.text.strip()})
    _holds({str(number): text for number, text in enumerate(texts)}, layout)


@pytest.mark.parametrize("site", ["N", "L", "A"])
def test_the_same_body_under_every_banner_and_signature_of_a_site(site: str) -> None:
    """A first and a final report that say the same have no risk, whoever signed them and however they are headed."""
    known = toml("sites.toml")["sites"][site]
    fields = {
        "reader": "Tanaka",
        "when": "10 Mar 2026 09:15",
        "exam": "Chest radiograph",
        "history": "Cough.",
        "comparison": "None available.",
        "technique": "PA and lateral.",
        "findings": "Small left pleural effusion. No pneumothorax.",
        "impression": "Small left effusion.",
    }
    statuses = sorted({*known["banners"], *known["signatures"]})
    texts = [
        laid_out(
            known["report"],
            {
                **fields,
                "banner": known["banners"].get(status, ""),
                "signature": known["signatures"].get(status, ""),
            },
        )
        for status in statuses
    ]
    rows = [(f"{site}{i}-{j}", one, other) for i, one in enumerate(texts) for j, other in enumerate(texts) if i != j]
    assert rows
    assert {result.score for result in _evaluated(rows, "radot")} == {0.0}
