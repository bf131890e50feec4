"""ROUGE by rouge-score, on a scale of 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from attrs import field, frozen
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer

from overread.adapters.lexical._length import unaffordable
from overread.adapters.lexical.options import RougeOptions
from overread.domain.report import ReportPair
from overread.domain.result import Outcome, Scored
from overread.exceptions import ConfigurationError

__all__ = ["RougeMetric"]


@frozen(eq=False)
class RougeMetric:
    """ROUGE F-measure, 0 to 1, higher is better. A pair of empty reports is unscored; one empty report scores 0.

    A report of more than ``options.max_words`` words is unscored, "too long": the longest common subsequence takes time
    and memory by the product of the two lengths.

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
        # Given its own tokenizer it has nothing to say, and does not set up logging in the host's process to say it.
        tokenizer = DefaultTokenizer(self.options.stemming)
        return RougeScorer([self.options.variant], tokenizer=tokenizer)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Variant, stemming and rouge-score's version."""
        stemming = "porter" if self.options.stemming else "none"
        return (("variant", self.options.variant), ("stemming", stemming), ("rouge-score", version("rouge-score")))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """ROUGE of each pair; precision and recall in the subscores."""
        return [unaffordable(pair, self.options.max_words) or self._score(pair) for pair in pairs]

    def _score(self, pair: ReportPair) -> Scored:
        score = self._scorer.score(pair.reference.text, pair.candidate.text)[self.options.variant]
        subscores = {"precision": float(score.precision), "recall": float(score.recall)}
        return Scored(score=float(score.fmeasure), subscores=subscores)
