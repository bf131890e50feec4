"""BLEU by sacrebleu, on a scale of 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from attrs import field, frozen
from sacrebleu.metrics.bleu import BLEU

from overread.adapters.lexical._limits import unaffordable, wordless
from overread.adapters.lexical.options import BleuOptions
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scored

__all__ = ["BleuMetric"]


@frozen(eq=False)
class BleuMetric:
    """Sentence BLEU, 0 to 1, higher is better. A pair of empty reports is unscored; one empty report scores 0.

    A report of more than ``options.max_words`` words is unscored, "too long", and one that is not blank and of which
    sacrebleu's tokenizer leaves nothing "nothing to read".
    """

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
        """BLEU of each pair, with subscores.

        ``precision_n`` and ``brevity`` are the pair's. ``matches_n``, ``ngrams_n``, ``candidate_words`` and
        ``reference_words`` are counts, whose sums give corpus-level BLEU (`overread.domain.results.corpus_figures`).
        """
        return [unaffordable(pair, self.options.max_words) or self._score(pair) for pair in pairs]

    def _score(self, pair: ReportPair) -> Outcome:
        score = self._bleu.sentence_score(pair.candidate.text, [pair.reference.text])
        words = {pair.reference.text: score.ref_len, pair.candidate.text: score.sys_len}
        if unreadable := wordless(pair, lambda text: words[text] > 0, "sacrebleu's tokenizer splits it into words"):
            return unreadable
        precisions = {f"precision_{n}": p / 100.0 for n, p in enumerate(score.precisions, start=1)}
        counts = {
            **{f"matches_{n}": float(count) for n, count in enumerate(score.counts, start=1)},
            **{f"ngrams_{n}": float(count) for n, count in enumerate(score.totals, start=1)},
            "candidate_words": float(score.sys_len),
            "reference_words": float(score.ref_len),
        }
        subscores = {**precisions, "brevity": float(score.bp), **counts}
        return Scored(score=min(1.0, score.score / 100.0), subscores=subscores)
