"""Other people's metrics, called as their documentation does, to be timed on the same pairs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from _common import Row, Timing, peak_mib

Score = Callable[[Sequence[str], Sequence[str]], object]
"""Scores candidates against references."""


def rouge_l() -> Score:
    """ROUGE-L with stemming of rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    return lambda candidates, references: [scorer.score(r, c) for c, r in zip(candidates, references, strict=True)]


def sentence_bleu() -> Score:
    """Sentence BLEU of sacrebleu."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(effective_order=True)
    return lambda candidates, references: [
        metric.sentence_score(c, [r]) for c, r in zip(candidates, references, strict=True)
    ]


def bert_score(folder: Path, layers: int) -> Score:
    """BERTScore of bert-score on the model in a folder."""
    from bert_score import BERTScorer

    from overread.adapters.checkpoints.runtime import quiet

    with quiet():
        scorer = BERTScorer(model_type=str(folder), num_layers=layers, batch_size=16, device="cpu", idf=False)
    return lambda candidates, references: scorer.score(list(candidates), list(references))


PEERS: dict[str, Callable[[], Score]] = {"rouge-score ROUGE-L": rouge_l, "sacrebleu BLEU": sentence_bleu}


def measure_peer(name: str, rows: Sequence[Row], folder: Path | None = None, layers: int = 0) -> Timing:
    """Start-up, a first and a second pass, and peak memory; ask for it `in_process`."""
    started = time.perf_counter()
    score = PEERS[name]() if folder is None else bert_score(folder, layers)
    score(["No effusion."], ["No effusion."])
    ready = time.perf_counter() - started
    candidates, references = [row["candidate"] for row in rows], [row["reference"] for row in rows]
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        score(candidates, references)
        seconds.append(time.perf_counter() - started)
    return Timing(pairs=len(rows), start=ready, cold=seconds[0], warm=seconds[1], peak=peak_mib())
