"""ROUGE by rouge-score, on a scale of 0 to 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Final

from attrs import field, frozen
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer

from overread.adapters.lexical._limits import unaffordable, wordless
from overread.adapters.lexical.options import RougeOptions
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scored, Unscored
from overread.exceptions import ConfigurationError

__all__ = ["RougeMetric"]

_KEPT: Final = re.compile("[A-Za-z0-9]")
_KEEPS: Final = "rouge-score keeps the letters a to z and digits alone"


@frozen(eq=False)
class RougeMetric:
    """ROUGE F-measure, 0 to 1, higher is better. A pair of empty reports is unscored; one empty report scores 0.

    A report of more than ``options.max_words`` words is unscored, "too long": the longest common subsequence takes time
    and memory by the product of the two lengths. rouge-score keeps the letters a to z and digits alone: a report of
    which that leaves nothing, as one in Arabic or Chinese, is unscored, "nothing to read", and so are two of which
    neither has as many words as the n-grams that are counted. A note tells of a report of which less than half of the
    letters are kept.

    Raises:
        ConfigurationError: for a variant that is not rougeL, rougeLsum or rouge1 to rouge9.
    """

    options: RougeOptions
    _tokenizer: DefaultTokenizer = field(init=False, repr=False)
    _scorer: RougeScorer = field(init=False, repr=False)

    @_tokenizer.default
    def _default_tokenizer(self) -> DefaultTokenizer:
        return DefaultTokenizer(self.options.stemming)

    @_scorer.default
    def _default_scorer(self) -> RougeScorer:
        if self.options.variant not in {"rougeL", "rougeLsum", *(f"rouge{n}" for n in range(1, 10))}:
            problem = f"rouge: unknown variant {self.options.variant!r}; choose rougeL, rouge1 or rouge2"
            raise ConfigurationError([problem])
        # Given its own tokenizer it has nothing to say, and does not set up logging in the host's process to say it.
        return RougeScorer([self.options.variant], tokenizer=self._tokenizer)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Variant, stemming and rouge-score's version."""
        stemming = "porter" if self.options.stemming else "none"
        return (("variant", self.options.variant), ("stemming", stemming), ("rouge-score", version("rouge-score")))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """ROUGE of each pair; precision and recall in the subscores."""
        return [unaffordable(pair, self.options.max_words) or self._outcome(pair) for pair in pairs]

    def _outcome(self, pair: ReportPair) -> Outcome:
        return wordless(pair, self._has_words, _KEEPS) or self._without_ngrams(pair) or self._score(pair)

    def _has_words(self, text: str) -> bool:
        return _KEPT.search(text) is not None or bool(self._tokenizer.tokenize(text))

    def _without_ngrams(self, pair: ReportPair) -> Unscored | None:
        """The reason not to score a pair if neither report has an n-gram: even equal ones would score 0."""
        size = self.options.variant.removeprefix("rouge")
        if not size.isdigit() or int(size) == 1:
            return None
        if pair.reference.is_blank or pair.candidate.is_blank:
            return None
        if any(len(self._tokenizer.tokenize(report.text)) >= int(size) for report in (pair.reference, pair.candidate)):
            return None
        return Unscored("nothing to read", f"neither report has {size} words, as {self.options.variant} counts them")

    def _score(self, pair: ReportPair) -> Scored:
        score = self._scorer.score(pair.reference.text, pair.candidate.text)[self.options.variant]
        subscores = {"precision": float(score.precision), "recall": float(score.recall)}
        return Scored(score=float(score.fmeasure), subscores=subscores, notes=tuple(_notes(pair)))


def _notes(pair: ReportPair) -> Iterator[str]:
    for side, report in (("reference", pair.reference), ("candidate", pair.candidate)):
        if report.text.isascii():
            continue
        letters = [letter for letter in report.text if letter.isalpha()]
        count = sum(map(str.isascii, letters))
        if 2 * count < len(letters):
            yield f"of the {side} only {count} of {len(letters)} letters were compared: rouge-score keeps a to z alone"
