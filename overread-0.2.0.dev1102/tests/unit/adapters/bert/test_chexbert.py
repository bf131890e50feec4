"""CheXbert over a tiny BERT of random weights, saved as the release saves it, beside the network built by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from overread.adapters.bert.chexbert.options import CheXbertOptions
from overread.adapters.bert.chexbert.plugin import overread_metrics
from overread.domain.findings.chest_labels import LABELS
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Fault, Outcome, Scored, Unscored
from overread.exceptions import ConfigurationError
from overread.testing import FakeComponents, check_metric

[SPEC] = overread_metrics()
PAIRS = [
    ("No pleural effusion.\n\n The heart is normal.", "The heart is normal. No effusion."),
    ("small left effusion", "large right effusion in the lower lobe of the right lung and mild edema"),
    ("lungs are clear", "lungs   are\tclear"),
    ("edema", "no edema , no opacity , no pneumonia ."),
]


def released(encoder: Path, folder: Path, **changes: Any) -> Path:
    """A folder with chexbert.pth as training leaves it: names behind "module.", among what else was kept."""
    folder.mkdir()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        if (encoder / name).is_file():
            (folder / name).write_bytes((encoder / name).read_bytes())
    torch.manual_seed(7)
    bert = BertModel.from_pretrained(encoder)
    heads = [torch.nn.Linear(bert.config.hidden_size, 4) for _ in LABELS[:-1]]
    heads.append(torch.nn.Linear(bert.config.hidden_size, 2))
    state = {f"module.bert.{name}": tensor for name, tensor in bert.state_dict().items()}
    state |= {
        f"module.linear_heads.{place}.{name}": 9.0 * tensor
        for place, head in enumerate(heads)
        for name, tensor in head.state_dict().items()
    }
    state["module.bert.embeddings.position_ids"] = torch.arange(64)[None]
    torch.save({"epoch": 7, "model_state_dict": {**state, **changes}}, folder / "chexbert.pth")
    return folder


@pytest.fixture(scope="module")
def chexbert(random_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(random_encoder, tmp_path_factory.mktemp("chexbert") / "release")


def evaluated(folder: Path, pairs: list[tuple[str, str]], **options: Any) -> list[Outcome]:
    metric = SPEC.factory(CheXbertOptions(path=str(folder), **options), FakeComponents())
    return list(metric.evaluate([ReportPair(id=str(n), reference=r, candidate=c) for n, (r, c) in enumerate(pairs)]))


def by_hand(folder: Path, text: str) -> tuple[set[str], torch.Tensor]:
    """Labels as F1CheXbert reads them: the likeliest class of each head over [CLS]; positive and doubtful count."""
    config = BertConfig.from_pretrained(folder)
    state = torch.load(folder / "chexbert.pth", weights_only=True)["model_state_dict"]
    bert: Any = BertModel(config)
    bert.eval()
    bert.load_state_dict(
        {n.removeprefix("module.bert."): t for n, t in state.items() if n.startswith("module.bert.")}, strict=False
    )
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    ids = torch.tensor([tokenizer(" ".join(text.split()))["input_ids"]])
    with torch.no_grad():
        first = bert(ids).last_hidden_state[0, 0]
    classes = [
        int((state[f"module.linear_heads.{i}.weight"] @ first + state[f"module.linear_heads.{i}.bias"]).argmax())
        for i in range(len(LABELS))
    ]
    return {label for label, each in zip(LABELS, classes, strict=True) if each in {1, 3}}, first


def test_labels_are_those_of_the_network_by_hand(chexbert: Path) -> None:
    """Each report alone and without padding, by the release's own steps; the similarity is [CLS]'s cosine."""
    for (reference, candidate), outcome in zip(PAIRS, evaluated(chexbert, PAIRS), strict=True):
        assert isinstance(outcome, Scored)
        named = {}
        for side, text in (("reference", reference), ("candidate", candidate)):
            labels, named[side] = by_hand(chexbert, text)
            assert {label for label in LABELS if outcome.subscores[f"{side}_{label}"]} == labels
        cosine = torch.nn.functional.cosine_similarity(named["reference"], named["candidate"], dim=0)
        assert outcome.subscores["similarity"] == pytest.approx(float(cosine), abs=1e-5)


def test_some_label_is_named(chexbert: Path) -> None:
    """The random heads name labels, and not the same ones for all reports; else the test above would show little."""
    read = {frozenset(by_hand(chexbert, text)[0]) for pair in PAIRS for text in pair}
    assert len(read) > 1


def test_it_passes_the_published_check(chexbert: Path) -> None:
    """One outcome a pair whatever the batch, on its scale, the same every time."""
    check_metric(SPEC, options=CheXbertOptions(path=str(chexbert), batch_size=3), tolerance=1e-4)


def test_a_long_report_is_cut_and_told(chexbert: Path) -> None:
    """As released, but it is said; or refused."""
    long = "no left effusion and no right effusion " * 20
    [cut] = evaluated(chexbert, [("edema", long)])
    assert isinstance(cut, Scored)
    assert cut.truncated
    assert cut.notes[-1] == "candidate: cut after the 64 tokens that the model reads"
    [refused] = evaluated(chexbert, [(long, "edema")], long="refuse")
    assert isinstance(refused, Unscored)
    assert (refused.reason, refused.fault) == ("too long", Fault.REFERENCE)


def test_the_signature_names_the_checkpoint(chexbert: Path) -> None:
    """With a digest of its files, and the number format."""
    metric = SPEC.factory(CheXbertOptions(path=str(chexbert), uncertain="negative"), FakeComponents())
    parts = dict(metric.signature_parts)
    assert parts["labeller"].startswith("chexbert,model=release@")
    assert parts["uncertain"] == "negative"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "chexbert.pth").unlink(), "it has no chexbert.pth"),
        (lambda f: (f / "chexbert.pth").write_bytes(b"no pickle"), "cannot be read"),
        (lambda f: torch.save({"model_state_dict": {"a": torch.ones(1)}}, f / "chexbert.pth"), "it lacks bert."),
        (lambda f: torch.save([1], f / "chexbert.pth"), "holds no named tensors"),
        (lambda f: (f / "config.json").unlink(), "it has no config.json"),
        (lambda f: (f / "tokenizer.json").unlink(), "it has no tokenizer.json or vocab.txt"),
    ],
)
def test_a_damaged_checkpoint_is_refused(random_encoder: Path, tmp_path: Path, spoil: Any, message: str) -> None:
    """With the file, what is wrong with it, and what to do; a pickle runs no code."""
    folder = released(random_encoder, tmp_path / "release")
    spoil(folder)
    with pytest.raises(ConfigurationError, match=message):
        evaluated(folder, PAIRS[:1])


def test_weights_of_another_shape_are_refused(random_encoder: Path, tmp_path: Path) -> None:
    """A network that config.json does not describe would be filled in part."""
    folder = released(random_encoder, tmp_path / "r", **{"module.linear_heads.13.weight": torch.zeros(4, 64)})
    with pytest.raises(ConfigurationError, match=r"the shape of linear_heads\.13\.weight does not match"):
        evaluated(folder, PAIRS[:1])


def test_it_needs_a_checkpoint() -> None:
    """None comes with it."""
    with pytest.raises(ConfigurationError, match="chexbert:FOLDER"):
        SPEC.factory(CheXbertOptions(), FakeComponents())


def test_a_report_of_which_the_tokenizer_knows_no_token_is_unscored(chexbert: Path) -> None:
    """Its labels would be those of any other such report."""
    outcomes = evaluated(chexbert, [("القلب طبيعي", "edema"), ("edema", "双肺清晰"), ("edema", "edema")])
    assert [(each.reason, each.fault) for each in outcomes if isinstance(each, Unscored)] == [
        ("nothing to read", Fault.REFERENCE),
        ("nothing to read", Fault.CANDIDATE),
    ]
    assert isinstance(outcomes[2], Scored)
