"""The embedded ratescore on invented reports: what is said in other words stands above what is said wrong."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import Scored
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.studies.application.synthesis.invented import Style
from overread.studies.bootstrap.synthesis import synthetic_pairs

from .....credible_texts import credible_texts

ERRORS = ("side", "degree", "diagnosis")
REPORTS = tomllib.loads(Path(__file__).with_name("rewordings.toml").read_text(encoding="utf-8"))["report"]
SIDE = re.compile(r"\b(?:left|right)\b")
OTHER = {"left": "right", "right": "left"}

Texts = tuple[str, str]


@pytest.fixture(scope="module")
def assembly() -> Assembly:
    return Assembly(Catalogue.discover())


def scores(assembly: Assembly, pairs: Sequence[Texts]) -> list[float]:
    given = [ReportPair(id=str(i), reference=Report(r), candidate=Report(c)) for i, (r, c) in enumerate(pairs)]
    return [
        found.score if isinstance(found, Scored) else math.nan for found in assembly.metric("ratescore").evaluate(given)
    ]


def test_a_rewording_scores_above_each_error_in_nine_of_ten_reports(assembly: Assembly) -> None:
    """Another side, another degree or another diagnosis in the reference's own words is the worse report."""
    reworded = scores(assembly, [(report["reference"], report["reworded"]) for report in REPORTS])
    above = {
        error: [
            right > wrong
            for right, wrong in zip(
                reworded, scores(assembly, [(r["reference"], r[error]) for r in REPORTS]), strict=True
            )
        ]
        for error in ERRORS
    }
    assert len(REPORTS) == 30
    assert min(map(sum, above.values())) >= 27
    assert sum(map(all, zip(*above.values(), strict=True))) >= 27


def swaps(text: str) -> Iterator[str]:
    for found in SIDE.finditer(text):
        yield text[: found.start()] + OTHER[found[0]] + text[found.end() :]


def test_a_swapped_side_never_raises_the_score_of_a_correct_candidate(assembly: Assembly) -> None:
    """Of the reference itself, and of its rewording; it lowers nearly every score."""
    correct = [(report["reference"], report[key]) for report in REPORTS for key in ("reference", "reworded")]
    made = synthetic_pairs(seed=91, studies=60, candidates_per_study=1, style=Style.PROSE)
    correct += [(pair.reference, pair.reference) for pair in made]
    swapped = [(reference, wrong, at) for at, (reference, right) in enumerate(correct) for wrong in swaps(right)]
    before, after = scores(assembly, correct), scores(assembly, [(r, c) for r, c, _ in swapped])
    changes = [now - before[at] for now, (_, _, at) in zip(after, swapped, strict=True)]
    assert len(changes) > 100
    assert max(changes) <= 1e-9
    assert sum(change < -0.01 for change in changes) >= 0.95 * len(changes)


def test_reports_that_agree_with_themselves_score_1(assembly: Assembly) -> None:
    """Whatever the table and however they are written."""
    texts = credible_texts(60, seed=92)
    found = [score for score in scores(assembly, [(text, text) for text in texts]) if not math.isnan(score)]
    assert len(found) > 50
    assert found == pytest.approx([1.0] * len(found))


def test_the_signature_names_what_compares_meanings(assembly: Assembly) -> None:
    """Scores of names alone are told apart from these."""
    assert ("likeness", "meaning@1") in assembly.metric("ratescore").signature_parts
