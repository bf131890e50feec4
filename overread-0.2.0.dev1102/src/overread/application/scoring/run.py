"""A service ready to score, with the language model that its metrics ask."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from overread.application.asking.inquiry import Inquiry
from overread.application.asking.planning import Asks, RunPlan, plan_run, prompts_of
from overread.application.asking.tally import AnswerTally
from overread.application.ports import LanguageModel
from overread.application.scoring.evaluate import EvaluationService
from overread.domain.reports.report import ReportPair

__all__ = ["Run"]


@frozen(kw_only=True, eq=False)
class Run:
    """A service ready to score, and the language model that its metrics ask, if they ask one.

    Attributes:
        service: scores pairs.
        model: None where no metric asks a model.
        answers: counts what it is asked and what is found kept.
        asking: metrics and extractors that can tell beforehand what they ask.
    """

    service: EvaluationService
    model: LanguageModel | None
    answers: AnswerTally
    asking: tuple[Asks, ...]

    def plan(self, pairs: Iterable[ReportPair]) -> RunPlan | None:
        """Plan the first attempt at scoring pairs, or return None if no metric can tell; nothing is asked."""
        if self.model is None or not self.asking:
            return None
        return plan_run(self.asking, Inquiry(self.model, self.answers.store), pairs)

    def prompts(self, pair: ReportPair) -> tuple[str, ...]:
        """Identities of the prompts of the first questions about a pair, as far as they can be told."""
        return prompts_of(self.asking, pair)

    def close(self) -> None:
        """Close the service; see `EvaluationService.close`."""
        self.service.close()
