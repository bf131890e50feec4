"""BERTScore over a tiny BERT of random weights, beside what bert-score's own scorer makes of the same."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import attrs
import pytest

from overread.adapters.bert.bertscore.options import BertScoreOptions
from overread.adapters.bert.bertscore.plugin import overread_metrics
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Fault, Outcome, Scored, Unscored
from overread.exceptions import ConfigurationError
from overread.testing import FakeComponents, check_metric

bert_score = pytest.importorskip("bert_score", reason="needs the extra: bertscore")

[SPEC] = overread_metrics()
PAIRS = [
    ("No pleural effusion. The heart is normal.", "The heart is normal. No effusion."),
    ("small left effusion", "large right effusion in the lower lobe of the right lung and mild edema"),
    ("Lungs are clear.", "Lungs are clear."),
    ("edema", "no edema , no opacity , no pneumonia ."),
]
BASELINE = "LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.25,0.3\n2,0.2,0.2,0.2\n"


def metric(folder: Path, **options: Any) -> Any:
    chosen = {"path": str(folder), "layers": 1, **options}
    return SPEC.factory(BertScoreOptions(**chosen), FakeComponents())


def evaluated(folder: Path, pairs: list[tuple[str, str]], **options: Any) -> list[Outcome]:
    reports = [ReportPair(id=str(n), reference=r, candidate=c) for n, (r, c) in enumerate(pairs)]
    found: list[Outcome] = metric(folder, **options).evaluate(reports)
    return found


def figures(outcomes: list[Outcome]) -> list[tuple[float, float, float]]:
    scored = [outcome for outcome in outcomes if isinstance(outcome, Scored)]
    assert len(scored) == len(outcomes)
    return [(each.subscores["precision"], each.subscores["recall"], each.score) for each in scored]


@pytest.mark.parametrize("layers", [0, 1, 2])
@pytest.mark.parametrize("rescaled", [False, True])
def test_the_figures_are_the_librarys(random_encoder: Path, tmp_path: Path, layers: int, *, rescaled: bool) -> None:
    """Precision, recall and F of each layer, with a baseline and without; pair by pair, so that no padding enters."""
    file = tmp_path / "mine.tsv"
    file.write_text(BASELINE, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = bert_score.BERTScorer(
            model_type=str(random_encoder), num_layers=layers, device="cpu", lang="en", use_fast_tokenizer=True,
            rescale_with_baseline=rescaled, baseline_path=str(file),
        )  # fmt: skip
        library._tokenizer.model_max_length = 64
        expected = [tuple(float(part[0]) for part in library.score([c], [r])) for r, c in PAIRS]
    found = figures(evaluated(random_encoder, PAIRS, layers=layers, baseline=str(file) if rescaled else None))
    assert found == [pytest.approx(each, abs=1e-5) for each in expected]


def test_it_passes_the_published_check(random_encoder: Path) -> None:
    """One outcome a pair whatever the batch, on its scale, the same every time."""
    options = BertScoreOptions(path=str(random_encoder), layers=1, batch_size=3)
    check_metric(SPEC, options=options, tolerance=1e-4)


def test_identical_reports_have_the_best_score(random_encoder: Path, tmp_path: Path) -> None:
    """1, rescaled or not."""
    file = tmp_path / "mine.tsv"
    file.write_text(BASELINE, encoding="utf-8")
    for baseline in (None, str(file)):
        [found] = figures(evaluated(random_encoder, [PAIRS[2]], baseline=baseline))
        assert found == pytest.approx((1.0, 1.0, 1.0), abs=1e-6)


def test_blank_reports(random_encoder: Path, tmp_path: Path) -> None:
    """Two have no score; one has the worst there is, 0, or what a baseline makes of it."""
    both, one, other = evaluated(random_encoder, [("", " "), ("", "edema"), ("edema", "\n")])
    assert both == Unscored("empty", "both reports are empty")
    assert figures([one, other]) == [(0.0, 0.0, 0.0)] * 2
    file = tmp_path / "mine.tsv"
    file.write_text(BASELINE, encoding="utf-8")
    [rescaled] = evaluated(random_encoder, [("", "edema")], baseline=str(file))
    assert isinstance(rescaled, Scored)
    assert rescaled.score == pytest.approx(-0.3 / 0.7)
    assert metric(random_encoder, baseline=str(file)).traits.scale.low == pytest.approx(-0.3 / 0.7)


def test_a_report_of_which_the_tokenizer_knows_no_token_is_unscored(random_encoder: Path) -> None:
    """Any two such reports would be alike; whose it is, is said, and a known word is enough to be read."""
    unknown = "القلب طبيعي"
    both, one, some = evaluated(
        random_encoder, [(unknown, "双肺清晰"), ("edema", unknown), ("edema", f"{unknown} edema")]
    )
    assert [(each.reason, each.fault) for each in (both, one) if isinstance(each, Unscored)] == [
        ("nothing to read", Fault.REFERENCE),
        ("nothing to read", Fault.CANDIDATE),
    ]
    assert isinstance(some, Scored)


def test_a_report_longer_than_the_model_reads_is_told(random_encoder: Path) -> None:
    """It is cut and marked, or refused; the release cuts and says nothing."""
    long = "no left effusion and no right effusion " * 20
    [cut] = evaluated(random_encoder, [("edema", long)])
    assert isinstance(cut, Scored)
    assert cut.truncated
    assert cut.notes == ("only the first 64 tokens of the candidate were read",)
    assert figures([cut]) == figures(evaluated(random_encoder, [("edema", " ".join(long.split()[:62]))]))
    [refused] = evaluated(random_encoder, [(long, "edema")], long="refuse")
    assert isinstance(refused, Unscored)
    assert (refused.reason, refused.fault) == ("too long", Fault.REFERENCE)


def test_the_signature_names_what_changes_the_score(random_encoder: Path, tmp_path: Path) -> None:
    """Model with its digest, layer, baseline with its digest, length, and the library's version."""
    file = tmp_path / "mine.tsv"
    file.write_text(BASELINE, encoding="utf-8")
    parts = dict(metric(random_encoder, baseline=str(file), layers=2).signature_parts)
    assert parts["model"].startswith("encoder@")
    assert parts["rescale"].startswith("mine#")
    chosen = {name: parts[name] for name in ("layer", "idf", "max_length", "long", "dtype")}
    assert chosen == {"layer": "2", "idf": "none", "max_length": "64", "long": "truncate", "dtype": "fp32"}
    assert "bert-score" in parts
    assert dict(metric(random_encoder).signature_parts)["rescale"] == "none"


def test_a_known_model_has_the_layer_that_the_library_recommends(random_encoder: Path, tmp_path: Path) -> None:
    """By the folder's name, and its shipped baseline by name; the tiny model has too few layers, and says so."""
    folder = tmp_path / "bert-base-uncased"
    folder.symlink_to(random_encoder)
    with pytest.raises(ConfigurationError, match=r"layers is 9, but .* has 2 layers"):
        metric(folder, layers=None)
    parts = dict(metric(folder, layers=2, baseline="bert-base-uncased").signature_parts)
    assert parts["rescale"].startswith("bert-base-uncased#")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"path": None}, "needs a model: name the folder"),
        ({"path": "/nowhere/at/all"}, "there is no such folder"),
        ({"layers": None}, "choose one of its 2 layers with bertscore.layers"),
        ({"layers": 3}, "has 2 layers"),
        ({"baseline": "no-such-model"}, "no baseline 'no-such-model'"),
        ({"baseline": __file__}, "has no row LAYER 1"),
    ],
)
def test_what_cannot_be_is_named(random_encoder: Path, options: dict[str, Any], problem: str) -> None:
    """Before anything is scored, with what to do."""
    with pytest.raises(ConfigurationError, match=problem):
        metric(random_encoder, **options)


def test_without_the_library_the_command_to_install_it_is_named() -> None:
    """It is no dependency of overread."""
    assert attrs.asdict(SPEC, recurse=False)["install"] == "pip install 'overread[bertscore]'"
    assert "bert_score" in SPEC.requires


@pytest.mark.parametrize("cache", [0, 64])
def test_batches_and_memory_change_nothing(random_encoder: Path, cache: int) -> None:
    """Each pair has the figures that it has alone, up to the rounding of a padded batch."""
    together = figures(evaluated(random_encoder, PAIRS * 3, batch_size=4, cache=cache))
    alone = [figures(evaluated(random_encoder, [each]))[0] for each in PAIRS]
    assert together == [pytest.approx(each, abs=1e-5) for each in alone * 3]
