"""BERTScore: tokens of two reports matched by the likeness of their contextual states."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import torch
from attrs import define, field, frozen
from bert_score.utils import greedy_cos_idf

from overread.adapters.bert.bertscore._settings import Baseline, chosen_layers, find_baseline
from overread.adapters.bert.bertscore.options import BertScoreOptions
from overread.adapters.checkpoints.loading import Model, load_encoder
from overread.adapters.checkpoints.memory import Memory
from overread.application.traits import MetricTraits
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import EMPTY_PAIR, Fault, Outcome, Scale, Scored, Unscored

__all__ = ["BertScoreMetric"]

_SPACE_FIRST = frozenset({"roberta", "xlm-roberta", "longformer"})
"""Models whose tokenizers the release gives a space before the first word, so that it is a word like the others."""

_UNKNOWN = "the model knows none of its tokens"


@frozen(eq=False)
class _Read:
    """A report as the model sees it.

    Attributes:
        states: tokens x hidden size, special tokens included.
        weights: of each token; 0 for the special ones, as released.
        unread: whether the report has more tokens than the model was given.
        unknown: whether no token of it is one that the model knows.
    """

    states: torch.Tensor
    weights: torch.Tensor
    unread: bool
    unknown: bool


@define(eq=False)
class BertScoreMetric:
    """BERTScore (Zhang et al. 2020) with bert-score's greedy matching, without inverse document frequencies.

    Each token of the candidate is matched with the most similar one of the reference by the cosine of their states in
    one layer, which gives the precision; the other way round, the recall; the score is their harmonic mean. 0 to 1,
    higher is better; rescaled, the lower end is what 0 becomes. A pair of empty reports is unscored; with one empty
    report the figures are 0, as released. A report of which the tokenizer knows no token would be like any other such
    report, and leaves its pair unscored. A negative figure, which cosines of a trained model do not give, counts as 0.
    """

    options: BertScoreOptions
    _layer: int
    _baseline: Baseline | None
    _model: Model
    _read: Memory[_Read] = field(repr=False)

    @classmethod
    def create(cls, options: BertScoreOptions, path: str) -> BertScoreMetric:
        """Loads the checkpoint.

        Args:
            options: of the metric.
            path: folder of the checkpoint, or its hub id.

        Raises:
            ConfigurationError: if it is no whole checkpoint of an encoder, the layer is not one of its, or is not told
                where bert-score knows none for it, or there is no such baseline.
        """
        model = load_encoder(path, max_length=options.max_length, device=options.device, dtype=options.dtype)
        layer = chosen_layers(options.layers, path, model.config)
        baseline = None if options.baseline is None else find_baseline(options.baseline, layer)
        return cls(options, layer, baseline, model, Memory(options.cache))

    @property
    def traits(self) -> MetricTraits:
        """Scale from 0 to 1, or as far as a baseline stretches it."""
        return MetricTraits(scale=Scale(self._rescale(0.0, "F"), 1.0, higher_is_better=True))

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Checkpoint, layer, baseline, length and what becomes of longer reports, number format, bert-score."""
        return (
            ("model", self._model.name),
            ("layer", str(self._layer)),
            ("rescale", self._baseline.identity if self._baseline else "none"),
            ("idf", "none"),
            ("max_length", str(self._model.max_length)),
            ("long", self.options.long),
            ("dtype", self._model.dtype_name),
            ("bert-score", version("bert-score")),
        )

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """BERTScore of each pair; ``precision`` and ``recall`` in the subscores."""
        outcomes: list[Outcome] = [EMPTY_PAIR] * len(pairs)
        todo = sorted(
            (index for index, pair in enumerate(pairs) if not pair.is_blank),
            key=lambda index: len(pairs[index].reference.text) + len(pairs[index].candidate.text),
        )
        # States are large, so few reports are held at once, those of similar length together.
        size = max(self.options.batch_size // 2, 1)
        for start in range(0, len(todo), size):
            batch = todo[start : start + size]
            scored = self._score_pairs([pairs[index] for index in batch])
            for index, outcome in zip(batch, scored, strict=True):
                outcomes[index] = outcome
        return outcomes

    def _score_pairs(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        texts = [report.text.strip() for pair in pairs for report in (pair.reference, pair.candidate)]
        read = iter(self._read.answers(texts, self._states))
        return [self._outcome(pair, next(read), next(read)) for pair in pairs]

    def _outcome(self, pair: ReportPair, reference: _Read, candidate: _Read) -> Outcome:
        notes = []
        for side, report, read in (
            (Fault.REFERENCE, pair.reference, reference),
            (Fault.CANDIDATE, pair.candidate, candidate),
        ):
            if read.unknown and not self._is_blank(report):
                return Unscored("nothing to read", _UNKNOWN, fault=Fault.REPORT).of(side)
            if read.unread and self.options.long == "refuse":
                detail = f"more than the {self._model.max_length} tokens that the model reads"
                return Unscored("too long", detail, fault=Fault.REPORT).of(side)
            if read.unread:
                notes.append(f"only the first {self._model.max_length} tokens of the {side.value} were read")
        blank = self._is_blank(pair.reference) or self._is_blank(pair.candidate)
        figures = (1.0,) * 3 if pair.is_copy else (0.0,) * 3 if blank else _match_tokens(reference, candidate)
        precision, recall, score = (self._rescale(figure, name) for figure, name in zip(figures, "PRF", strict=True))
        return Scored(
            score=score,
            subscores={"precision": precision, "recall": recall},
            truncated=bool(notes),
            notes=tuple(notes),
        )

    @staticmethod
    def _is_blank(report: Report) -> bool:
        return not report.text.strip()

    def _rescale(self, figure: float, name: str) -> float:
        return figure if self._baseline is None else self._baseline.rescale(figure, name)

    def _states(self, texts: list[str]) -> list[_Read]:
        first = " " if self._model.config.model_type in _SPACE_FIRST else ""
        pieces = self._model.rows([first + text for text in texts], whole=True)
        count = [0] * len(texts)
        rows = []
        for piece in pieces:
            if not count[piece.text]:
                rows.append(piece)
            count[piece.text] += 1
        reads: dict[int, _Read] = {}
        for batch, output, mask in self._model.batches(rows, self.options.batch_size, every_layer=True):
            states = output.hidden_states[self._layer].float().cpu()
            for place, index in enumerate(batch):
                row = rows[index]
                length = int(mask[place].sum())
                weights = torch.tensor([[float(offset is not None) for offset in row.offsets]])
                unread = count[row.text] > 1
                reads[row.text] = _Read(states[place, :length].clone(), weights, unread, not self._model.knows(row))
        return [reads[index] for index in range(len(texts))]


def _match_tokens(reference: _Read, candidate: _Read) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean, each on [0, 1]."""
    arguments = []
    for read in (reference, candidate):
        states, weights = read.states.unsqueeze(0).clone(), read.weights.clone()
        arguments += [states, torch.ones_like(weights), weights]  # the library works in place
    figures = greedy_cos_idf(*arguments)
    precision, recall, score = (min(max(float(figure), 0.0), 1.0) for figure in figures)
    return precision, recall, score
