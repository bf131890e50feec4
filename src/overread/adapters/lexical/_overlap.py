"""BLEU by sacrebleu and ROUGE by rouge-score, on a scale of 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version

from attrs import field, frozen
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU

from overread.adapters.lexical.plugin import BleuOptions, RougeOptions
from overread.domain.report import ReportPair
from overread.domain.result import Outcome, Scored, Unscored
from overread.exceptions import ConfigurationError

__all__ = ["BleuMetric", "RougeMetric"]


@frozen(eq=False)
class BleuMetric:
    """Sentence BLEU, 0 to 1, higher is better. A pair of empty reports is unscored; one empty report scores 0."""

    options: BleuOptions
    _bleu: BLEU = field(init=False, repr=False)

    @_bleu.default
    def _default_bleu(self) -> BLEU:
        return BLEU(lowercase=self.options.lowercase, max_ngram_order=self.options.order, effective_order=True)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """sacrebleu's version and settings."""
        case = "lc" if self.options.lowercase else "mixed"
        return (("order", str(self.options.order)), ("case", case), ("sacrebleu", version("sacrebleu")))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """BLEU of each pair; ``precision_n`` in the subscores."""
        return [_outcome(pair, self._score) for pair in pairs]

    def _score(self, reference: str, candidate: str) -> Scored:
        score = self._bleu.sentence_score(candidate, [reference])
        precisions = {f"precision_{n}": p / 100.0 for n, p in enumerate(score.precisions, start=1)}
        return Scored(score=min(1.0, score.score / 100.0), subscores={**precisions, "brevity": float(score.bp)})


@frozen(eq=False)
class RougeMetric:
    """ROUGE F-measure, 0 to 1, higher is better. A pair of empty reports is unscored; one empty report scores 0.

    Raises:
        ConfigurationError: for a variant that is not rougeL, rougeLsum or rouge1 to rouge9.
    """

    options: RougeOptions
    _scorer: RougeScorer = field(init=False, repr=False)

    @_scorer.default
    def _default_scorer(self) -> RougeScorer:
        if self.options.variant not in {"rougeL", "rougeLsum", *(f"rouge{n}" for n in range(1, 10))}:
            problem = f"rouge: unknown variant {self.options.variant!r}; choose rougeL, rouge1 or rouge2"
            raise ConfigurationError([problem])
        return RougeScorer([self.options.variant], use_stemmer=self.options.stemming)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Variant, stemming and rouge-score's version."""
        stemming = "porter" if self.options.stemming else "none"
        return (("variant", self.options.variant), ("stemming", stemming), ("rouge-score", version("rouge-score")))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """ROUGE of each pair; precision and recall in the subscores."""
        return [_outcome(pair, self._score) for pair in pairs]

    def _score(self, reference: str, candidate: str) -> Scored:
        score = self._scorer.score(reference, candidate)[self.options.variant]
        subscores = {"precision": float(score.precision), "recall": float(score.recall)}
        return Scored(score=float(score.fmeasure), subscores=subscores)


def _outcome(pair: ReportPair, score: Callable[[str, str], Scored]) -> Outcome:
    if pair.reference.is_blank and pair.candidate.is_blank:
        return Unscored("empty", "both reports are empty")
    return score(pair.reference.text, pair.candidate.text)
