"""The embedded models of crepe and ratescore on the samples, and on real reports where those are at hand."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import kendalltau

from overread.bootstrap.interface import score_many
from overread.domain.reports.report import ReportPair
from overread.infrastructure.samples import sample_pairs
from overread.studies.bootstrap.synthesis import synthetic_pairs
from overread.studies.infrastructure.datasets.reader_labels.openi import read_coded_reports

_ROOT: Final = Path(__file__).parents[2]
_DATA: Final = Path(os.environ.get("OVERREAD_DATA") or _ROOT.parent / "shared" / "data")
_OPEN_I: Final = _DATA / "openi" / "NLMCXR_reports.tgz"
_CARD: Final = _ROOT / "src" / "overread" / "adapters" / "bert" / "crepe" / "data" / "small" / "README.md"


def scores(pairs: Sequence[ReportPair], metric: str) -> npt.NDArray[np.float64]:
    results = score_many(pairs, metrics=[metric])
    assert [result[metric].pair_id for result in results] == [pair.id for pair in pairs]
    return np.array([result[metric].score for result in results])


def copies(pairs: Sequence[ReportPair]) -> list[ReportPair]:
    return [ReportPair(id=pair.id, reference=pair.reference, candidate=pair.reference) for pair in pairs]


@functools.cache
def real_reports() -> tuple[ReportPair, ...]:
    """590 Open-i reports, each against the next."""
    reports = (coded.report for coded in read_coded_reports(_OPEN_I))
    texts = [report.text for report in reports if not report.is_blank][:590]
    return tuple(
        ReportPair(id=str(i), reference=text, candidate=texts[(i + 1) % len(texts)]) for i, text in enumerate(texts)
    )


needs_open_i = pytest.mark.skipif(not _OPEN_I.exists(), reason=f"the Open-i reports are not at {_OPEN_I}")


def test_both_rank_the_samples_by_their_errors() -> None:
    """Small stand-ins must at least order what a reader can tell apart."""
    samples = sample_pairs()
    errors = [len(sample.expected) for sample in samples]
    pairs = [sample.pair for sample in samples]
    assert kendalltau(errors, scores(pairs, "crepe")).statistic > 0.3
    assert kendalltau(errors, -scores(pairs, "ratescore")).statistic > 0.2


def test_sample_reports_agree_with_themselves() -> None:
    """A copy has next to no predicted errors and full similarity."""
    pairs = copies([sample.pair for sample in sample_pairs()])
    crepe = scores(pairs, "crepe")
    assert (crepe < 0.3).mean() > 0.9
    assert crepe.max() < 0.6
    assert scores(pairs, "ratescore").min() > 1 - 1e-6


def test_a_dropped_or_added_negation_is_charged() -> None:
    """On generated reports told in the same words but for their errors."""
    made = [pair for pair in synthetic_pairs(seed=77, studies=60, purpose="contrast") if pair.total]
    turned = [ReportPair(id=p.id, reference=p.reference, candidate=p.candidate) for p in made]
    assert (scores(turned, "crepe") > scores(copies(turned), "crepe")).mean() > 0.9


def test_the_card_of_the_embedded_model_is_its_own() -> None:
    """The card that is shipped names the weights that are shipped."""
    [result] = score_many([sample_pairs()[0].pair], metrics=["crepe"])
    digest = str(result["crepe"].signature).split("small@")[1].split(",")[0]
    assert digest in _CARD.read_text(encoding="utf-8")


@needs_open_i
def test_real_reports_agree_with_themselves() -> None:
    """What holds of invented reports holds of real ones."""
    pairs = copies(real_reports())
    crepe, ratescore = scores(pairs, "crepe"), scores(pairs, "ratescore")
    assert (crepe < 0.3).mean() > 0.97
    assert np.median(crepe) < 0.15
    assert ratescore.min() > 1 - 1e-6


@needs_open_i
def test_another_patients_report_is_told_from_a_copy() -> None:
    """A metric that calls everything alike would pass the tests above."""
    pairs = real_reports()
    assert (scores(pairs, "crepe") > scores(copies(pairs), "crepe")).mean() > 0.9
    assert (scores(pairs, "ratescore") < 1).mean() > 0.9
