"""radot's presets and options: the published mode's numbers stand, and what can be set changes the default's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import overread
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Scored, TransportEvidence
from overread.exceptions import ConfigurationError
from overread.studies.bootstrap.synthesis import synthetic_pairs

PAPER: Final = Path(__file__).parent.parent / "data" / "paper"

RISKS: Final = {
    # Of overread 0.1.0, on tests/data/paper/pairs.jsonl, ten invented pairs:
    #   overread units pairs.jsonl -o units.jsonl
    #   overread corpus pairs.jsonl -o risks.jsonl -m radot -s extractor=table:units.jsonl -s readout=paper
    "same": (0.3181489997504294, 0.17615075092622776, 0.13860211632843983),
    "omission": (1.2545370125722874, 0.6625070948155822, 0.6366784181022539),
    "fabrication": (1.3195840305070257, 0.6815534152116662, 0.653130547986224),
    "side": (1.8100318225693834, 0.7649008891819218, 1.0082170649855768),
    "degree": (1.9135108030870913, 0.8224531850144139, 1.0950086401941228),
    "change": (3.090488243456702, 1.8573929470165742, 1.2376243098526527),
    "denial": (1.569611330342939, 0.9106621145215696, 0.7375086856310641),
    "certainty": (2.182003497785421, 1.048386397625669, 1.1827928570040118),
    "order": (0.15845067450897257, 0.0695832149244193, 0.08487877802963487),
    "silent": (2.3824198966411805, 0.8461092997342397, 1.5607384304983052),
}


@pytest.mark.parametrize("setting", [{"radot": "paper"}, {"readout": "paper"}])
def test_the_published_mode_gives_what_it_always_gave(setting: dict[str, str]) -> None:
    """To 1e-12, by preset or by readout, on the same units."""
    settings = overread.Settings(choices={"extractor": f"table:{PAPER / 'units.jsonl'}", **setting})
    service = overread.open_service(settings, metrics=["radot"])
    lines = (PAPER / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [ReportPair(**json.loads(line)) for line in lines]
    assert [pair.id for pair in pairs] == list(RISKS)
    for pair, results in zip(pairs, service.evaluate(pairs), strict=True):
        subscores = results["radot"].scored.subscores
        found = [subscores[target] for target in ("total", "significant", "insignificant")]
        assert found == pytest.approx(RISKS[pair.id], abs=1e-12)


def scored(
    reference: str, candidate: str, metric: str = "radot", choices: Mapping[str, str] | None = None, **settings: Any
) -> Scored:
    """A score of the plan alone: no second reader takes from it."""
    chosen = overread.Settings(choices={"second_reader": "none", **(choices or {})}, **settings)
    results = overread.score(reference=reference, candidate=candidate, metrics=[metric], settings=chosen)
    return results[metric].scored


def test_epsilon_changes_the_default_score() -> None:
    """A blurred plan leaves mass alone that has a partner; what is named all the same costs nothing alone."""
    reference = "Small left pleural effusion. Pulmonary edema."
    for candidate, more in (("Large left pleural effusion.", 1e-2), (reference, 0.0)):
        exact, blurred = (
            scored(reference, candidate, options={"aligner": {"epsilon": epsilon}}).score for epsilon in (0.0, 0.2)
        )
        assert blurred >= exact + more


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.5])
def test_edges_add_up_to_the_risk_at_any_epsilon(epsilon: float) -> None:
    """Those of generated pairs, to 1e-9; and notation, from the same plan, tells the same risk."""
    settings = overread.Settings(choices={"second_reader": "none"}, options={"aligner": {"epsilon": epsilon}})
    rows = [pair.as_row() for pair in synthetic_pairs(seed=5, studies=6)]
    made = [
        ReportPair(id=str(row["id"]), reference=str(row["reference"]), candidate=str(row["candidate"])) for row in rows
    ]
    crossed = [
        ReportPair(id=f"x{p.id}", reference=p.reference, candidate=q.candidate)
        for p, q in zip(made, made[5:], strict=False)
    ]
    for results in overread.open_service(settings).evaluate(made + crossed):
        radot, notation = results["radot"].scored, results["notation"].scored
        assert isinstance(radot.evidence, TransportEvidence)
        edges = sum(edge.risk for edge in radot.evidence.alignment.edges())
        assert edges == pytest.approx(radot.subscores["total"], abs=1e-9)
        assert notation.subscores["risk"] == pytest.approx(edges, abs=1e-9)
        assert radot.score == pytest.approx(1.0 - notation.score, abs=1e-9)


DIFFERING: Final = {
    "finding": ("Left lower lobe pneumonia.", "Left lower lobe consolidation."),
    "anatomy": ("Left upper lobe pneumonia.", "Right upper lobe pneumonia."),
    "comparison": ("Unchanged pneumothorax.", "Enlarging pneumothorax."),
    "uncertainty": ("Right lower lobe pneumonia.", "Possible right lower lobe pneumonia."),
    "device": (
        "Right internal jugular central venous catheter with its tip in the superior vena cava.",
        "Right internal jugular central venous catheter with its tip in the right atrium.",
    ),
    "modifier": ("Displaced rib fracture.", "Nondisplaced rib fracture."),
    "severity": ("Small left pleural effusion.", "Large left pleural effusion."),
}
"""By channel, two reports that differ in it alone."""


@pytest.mark.parametrize("channel", DIFFERING)
def test_each_weight_changes_the_default_score(channel: str) -> None:
    """Of a pair that differs in its channel; half the weight is less risk, and edges still add up to it."""
    channels = (*GROUND_CHANNELS, *SIDE_CHANNELS)
    weights = [0.5 if name == channel else 1.0 for name in channels]
    plain, halved = (
        scored(*DIFFERING[channel], options=options) for options in ({}, {"aligner": {"weights": weights}})
    )
    assert halved.score < plain.score - 1e-3
    assert isinstance(halved.evidence, TransportEvidence)
    assert halved.evidence.alignment.total_risk() == pytest.approx(halved.subscores["total"], abs=1e-9)


@pytest.mark.parametrize("metric", ["radot", "notation"])
def test_weights_of_channels_without_cost_are_noted(metric: str) -> None:
    """A denial has no partner: no weight of it changes a result. That of text multiplies remarks alone."""
    assert {*GROUND_CHANNELS, *SIDE_CHANNELS} - DIFFERING.keys() == {"polarity", "text"}
    weights = (1.0, 1.0, 0.5, *[1.0] * 6)
    pair = ("No effusion. Small nodule.", "Large effusion. A nodule that is small.")
    weighted, plain = scored(*pair, metric, options={"aligner": {"weights": weights}}), scored(*pair, metric)
    assert weighted.score == plain.score
    assert weighted.notes == ("weights of polarity change nothing: no cost of importance stands there",)
    assert plain.notes == ()


@pytest.mark.parametrize("aligner", ["balanced", "partial", "unbalanced"])
def test_another_aligner_changes_the_default_score_and_says_so(aligner: str) -> None:
    """Its plans are read out by the debiased readout; notation keeps its own plans, and says so."""
    pair = ("Small left pleural effusion. Old rib fracture.", "Large left pleural effusion. Pneumothorax.")
    plain, spread = scored(*pair), scored(*pair, choices={"aligner": aligner})
    assert plain.score != pytest.approx(spread.score, abs=1e-3)
    debiased = scored(*pair, choices={"aligner": aligner, "readout": "debiased"})
    assert (spread.score, spread.subscores, spread.notes) == (debiased.score, debiased.subscores, debiased.notes)
    with pytest.raises(ConfigurationError, match="readout plan reads plans of importance"):
        scored(*pair, choices={"aligner": aligner, "readout": "plan"})
    own, kept = scored(*pair, "notation"), scored(*pair, "notation", choices={"aligner": aligner})
    assert (kept.score, kept.subscores, kept.discrepancies) == (own.score, own.subscores, own.discrepancies)
    assert kept.notes == ("read off plans of importance, not of the aligner that is chosen",)
    assert own.notes == ()


def test_no_option_of_an_aligner_changes_the_relaxed_score() -> None:
    """Its notes say so."""
    pair = ("Small left pleural effusion. Old rib fracture.", "Large left pleural effusion. Pneumothorax.")
    plain = scored(*pair, choices={"radot": "relaxed"})
    for choice in ("importance", "partial", "balanced:uniform"):
        other = scored(*pair, choices={"radot": "relaxed", "aligner": choice})
        assert (other.subscores, other.notes) == (plain.subscores, plain.notes)
    assert plain.notes[0].startswith("no transport plan enters the relaxed readout")
