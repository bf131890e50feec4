"""The fit from rated pairs to the file that scores with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.metrics.ratescore.search import TpeSearch
from overread.adapters.metrics.ratescore.tables import learned_record, load_table
from overread.application.metrics.entity_reader import EntityReader
from overread.application.training.fit_ratescore import FitAffinity, FittedAffinity
from overread.domain.entities.affinity import Orientation, PenaltyRule
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.testing import FakeEncoder, FakeRecognizer

DRAFTS = ("Mass. Cyst.", "No mass. Cyst.", "Mass.", "Lesion. No fluid.", "No mass. No edema.", "Mass. Edema.")


def rated() -> list[AnnotatedPair]:
    """Six studies, in which a mass is what matters."""
    return [
        AnnotatedPair(
            pair=ReportPair(id=f"{study}{index}", reference=f"Mass. Cyst. {study}.", candidate=draft),
            study="",
            ratings={"rating": (float("Mass" in draft) + index / 100,)},
        )
        for study in ("Edema", "Node", "Cyst", "Fluid", "Fracture", "Nodule")
        for index, draft in enumerate(DRAFTS)
    ]


def fitted(
    pairs: list[AnnotatedPair], note: str = "", *, lower_is_better: bool = False, **settings: Any
) -> tuple[FittedAffinity, dict[str, Any]]:
    """What a fit came to, and its record."""
    fit = FitAffinity(reader=EntityReader(FakeRecognizer(), FakeEncoder()), search=TpeSearch())
    report = fit(pairs, lower_is_better=lower_is_better, **settings)
    return report, learned_record(report, fit.reader, note=note, lower_is_better=lower_is_better)


def test_the_record_of_a_fit_is_the_table_and_how_it_came_about(tmp_path: Path) -> None:
    """Written as JSON, it is a table that scores as the fit says."""
    report, record = fitted(
        rated(),
        name="mine",
        note="rated by one reader",
        correlation="spearman",
        orientation=Orientation.PAPER,
        penalty=PenaltyRule.ANY_MISMATCH,
        trials=6,
        seed=2,
    )
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    loaded = load_table(str(path))
    assert loaded == report.table
    assert (loaded.orientation, loaded.penalty) == (Orientation.PAPER, PenaltyRule.ANY_MISMATCH)
    provenance = record["provenance"]
    assert provenance["fitted"]["table"] == loaded.identity
    assert provenance["fitted"]["held_out"] == report.fitted.held_out
    assert provenance["start"]["table"] == "release-0.6-long"
    expected = {
        "note": "rated by one reader",
        "recognizer": "fake",
        "encoder": "fake",
        "ratings": "higher is better",
        "correlation": "spearman",
        "trials": 6,
        "seed": 2,
        "train_pairs": 30,
        "held_out_pairs": 6,
        "skipped": 0,
    }
    assert {key: provenance[key] for key in expected} == expected
    assert provenance["search"].startswith("tpe,optuna=")


def test_the_learned_table_agrees_at_least_as_well_as_the_published_ones_it_began_with() -> None:
    """The search begins with them and keeps the best."""
    report, _ = fitted(rated(), trials=12, seed=0)
    assert report.fitted.train["kendall"] >= report.start.train["kendall"]


def test_errors_are_ratings_too() -> None:
    """The same pairs with the rating turned round give the same table."""
    turned = [evolve(one, ratings={"rating": (2 - one.mean("rating"),)}) for one in rated()]
    grades, _ = fitted(rated(), trials=6)
    errors, record = fitted(turned, trials=6, lower_is_better=True)
    assert errors.table == grades.table
    assert record["provenance"]["ratings"] == "lower is better"
    assert errors.fitted.held_out == pytest.approx(grades.fitted.held_out)
