"""compat=ratescore-0.6.0 against the package RaTEScore 0.6.0 itself, on random models of the published architecture.

`make slow` installs the package where an index has it (`pip install --no-deps RaTEScore==0.6.0`). It loads its models
by name through transformers, so folders serve, and nothing is fetched.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import pytest
import sentencepiece
from transformers import AutoTokenizer, DebertaV2ForTokenClassification

from overread.domain.entities.affinity import TABLES, AffinityTable
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import EntityEvidence, Scored
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

from ..unit.adapters.bert.checkpoints import deberta_config, label_fields, save_bert_encoder, seeded

_RELEASE: Final = "0.6.0"
_ITS_OWN: Final = {"release-0.6-long": "long", "release-0.6-short": "short"}
_THEIRS: Final = """
import json, sys
from loguru import logger
logger.remove()
from RaTEScore import RaTEScore
from RaTEScore.score import run_ner
asked = json.load(sys.stdin)
answers = {}
for name, table in asked["tables"].items():
    metric = RaTEScore(bert_model=asked["ner"], eval_model=asked["encoder"], use_gpu=False, affinity_matrix=table)
    answers[name] = metric.compute_score(asked["candidates"], asked["references"])
entities = [
    run_ner(asked[side], metric.idx2label, metric.tokenizer, metric.model, metric.device, 1)
    for side in ("references", "candidates")
]
print(json.dumps({"scores": answers, "entities": entities}))
"""
_FINDINGS: Final = ["effusion", "pneumothorax", "opacity", "oedema", "fracture", "nodule of 9 mm", "atelectasis"]
_PLACES: Final = ["left", "right", "both lungs", "the right base", "T12", "the carina", "segment 8 of the liver"]
_FRAMES: Final = (
    "No {f} is seen.",
    "Small {f} in {p}.",
    "There is {f} near {p}, 3.5 cm above {q}.",
    "{f} (previously 2 x 3 cm) is unchanged",
    "1. Acute {f} at {p}?",
    "Dr. Zebra was told of {f} at {p} at 4 p.m.",
)


def _installed() -> str:
    try:
        return version("RaTEScore")
    except PackageNotFoundError:
        return ""


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_installed() != _RELEASE, reason="needs `pip install --no-deps RaTEScore==0.6.0`"),
]


def invented(count: int, seed: int, *, headings: bool) -> list[str]:
    """Reports of two to six sentences, in the layouts that headings are given."""
    draw = random.Random(seed)  # noqa: S311 - no secret

    def sentence() -> str:
        p, q = draw.sample(_PLACES, 2)
        return draw.choice(_FRAMES).format(f=draw.choice(_FINDINGS), p=p, q=q)

    def report() -> str:
        body = [sentence() for _ in range(draw.randint(2, 6))]
        if not headings:
            return " ".join(body)
        cut = draw.randint(1, len(body))
        first, second = draw.choice(("FINDINGS: ", "FINDINGS:\n", "Findings:\n\n  ")), draw.choice(("\n", "\n\n", " "))
        return f"{first}{' '.join(body[:cut])}{second}IMPRESSION: {chr(10).join(body[cut:]) or 'None'}"

    return [report() for _ in range(count)]


@pytest.fixture(scope="module")
def recognizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DeBERTa-v3 token classifier of random weights over a unigram tokenizer that sentencepiece trained."""
    folder = tmp_path_factory.mktemp("ner")
    reports = [report.replace("\n", " ") for report in invented(300, 1, headings=True)]
    marks: dict[str, Any] = {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3}
    pieces: dict[str, Any] = {"pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(reports),
        model_prefix=str(folder / "spm"),
        model_type="unigram",
        vocab_size=200,
        hard_vocab_limit=False,
        user_defined_symbols=["[MASK]"],
        minloglevel=2,
        num_threads=1,
        **marks,
        **pieces,
    )
    (folder / "config.json").write_text('{"model_type": "deberta-v2"}', encoding="utf-8")
    settings = {"tokenizer_class": "DebertaV2Tokenizer", "do_lower_case": False, "vocab_type": "spm"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    config = deberta_config(vocab_size=len(tokenizer), **label_fields())
    seeded(DebertaV2ForTokenClassification, config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT encoder of random weights over word pieces."""
    return save_bert_encoder(tmp_path_factory.mktemp("encoder"))


def matrix(table: AffinityTable, folder: Path) -> str:
    """A table as the package takes it: by its own name, or as a file."""
    if table.name in _ITS_OWN:
        return _ITS_OWN[table.name]
    weights = {f"{row}_{column}".lower(): w for row, of in table.by_type.items() for column, w in of.items()}
    path = folder / f"{table.name}.json"
    path.write_text(json.dumps({**weights, "neg_weight": table.p}), encoding="utf-8")
    return str(path)


def theirs(asked: Mapping[str, Any]) -> Any:
    """What the package answers, in a process of its own: importing it changes warnings and logs for good."""
    run = [sys.executable, "-c", _THEIRS]
    done = subprocess.run(run, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def ours(asked: Mapping[str, Any], table: str) -> Iterator[Scored]:
    """What ratescore answers, for the same pairs."""
    assembly = Assembly(
        Catalogue.discover(entry_points=[]),
        {"recognizer": f"bert:{asked['ner']}", "encoder": f"bert:{asked['encoder']}"},
        {
            "ratescore": {"compat": "ratescore-0.6.0", "table": table},
            "recognizer": {"device": "cpu"},
            "encoder": {"device": "cpu"},
        },
    )
    texts = zip(asked["references"], asked["candidates"], strict=True)
    pairs = [ReportPair(id=str(i), reference=Report(r), candidate=Report(c)) for i, (r, c) in enumerate(texts)]
    for outcome in assembly.metric("ratescore").evaluate(pairs):
        assert isinstance(outcome, Scored)
        yield outcome


@pytest.mark.parametrize("headings", [True, False])
def test_entities_are_equal_and_scores_within_1e_5_over_all_tables(
    recognizer: Path, encoder: Path, tmp_path: Path, *, headings: bool
) -> None:
    """60 lists of entities, nameless ones among them, and 30 scores by each of the four published tables."""
    references, candidates = (invented(30, seed, headings=headings) for seed in (2, 3))
    # Some pairs share most of their names, so that cosines tie.
    candidates[::3] = [text.replace("No ", "").replace("left", "right") for text in references[::3]]
    published = {name: table for name, table in TABLES.items() if name.startswith(("release", "repo"))}
    assert len(published) == 4
    asked = {
        "ner": str(recognizer),
        "encoder": str(encoder),
        "references": references,
        "candidates": candidates,
        "tables": {name: matrix(table, tmp_path) for name, table in published.items()},
    }
    expected = theirs(asked)
    of_references, of_candidates = expected["entities"]
    for name in published:
        scored = list(ours(asked, name))
        for outcome, reference, candidate, score in zip(
            scored, of_references, of_candidates, expected["scores"][name], strict=True
        ):
            evidence = outcome.evidence
            assert isinstance(evidence, EntityEvidence)
            assert [[e.text, e.type.value] for e in evidence.reference_entities] == reference
            assert [[e.text, e.type.value] for e in evidence.candidate_entities] == candidate
            assert outcome.score == pytest.approx(score, abs=1e-5)
    names = [name for side in expected["entities"] for report in side for name, _ in report]
    assert len(names) > 500
    assert "" in names
