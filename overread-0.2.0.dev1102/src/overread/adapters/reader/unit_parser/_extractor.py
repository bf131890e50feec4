"""The extractor that asks a language model for the units of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import define

from overread.adapters.reader.unit_parser._answer import ParsedUnit, answer_schema, read_units
from overread.adapters.reader.unit_parser._placing import Outline, Placed, place
from overread.adapters.reader.unit_parser.composing import UnitComposer
from overread.adapters.reader.unit_parser.options import VERSION, LlmOptions
from overread.application.asking.inquiry import Inquiry, Question, Reply, UnreadableAnswerError
from overread.application.asking.prompt import Prompt
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Extraction, Request
from overread.application.traits import ExtractorTraits
from overread.domain.reports.report import Report
from overread.domain.results.result import Fault, Unscored

__all__ = ["LlmUnitExtractor"]

_NOWHERE: Final = "span not found"
_UNANSWERED: Final = frozenset({"no answer", "not asked"})
"""Reasons that say nothing of the report: asking again may help, so nothing stands in."""


@define(eq=False)
class LlmUnitExtractor:
    """Reads reports with a language model into the units of RadOT-Eval's Table IX (section III-C).

    A sentence that the model leaves without a unit becomes one of its own, without a finding and with confidence 0.50,
    unless it tells only of the report itself. A unit whose quoted words stand nowhere in the report is asked for again,
    then dropped. A report whose answer cannot be read is unscored, or under ``on_failure`` "sentences" read sentence by
    sentence as in the paper. A blank report has no units and is not asked about.

    Attributes:
        inquiry: asks the model.
        prompt: has the place {report}.
    """

    inquiry: Inquiry
    prompt: Prompt
    options: LlmOptions
    _composer: UnitComposer

    @classmethod
    def create(cls, inquiry: Inquiry, options: LlmOptions) -> LlmUnitExtractor:
        """An extractor with the packaged prompt or the one of the options.

        Raises:
            ConfigurationError: if the prompt or the lexicon cannot be used.
        """
        prompt = load_prompt("units", options.prompt, places=("report",))
        return cls(inquiry, prompt, options, UnitComposer.create(options.lexicon))

    @property
    def identity(self) -> str:
        """Prompt, model, repairs, what a failure becomes, and the lexicon that labels are mapped to."""
        return (
            f"llm@{VERSION},prompt={self.prompt.identity},model={self.inquiry.model.identity},"
            f"repairs={self.inquiry.repairs},max_tokens={self.options.max_tokens},"
            f"on_failure={self.options.on_failure},lexicon={self._composer.naming.knowledge.digest}"
        )

    @property
    def traits(self) -> ExtractorTraits:
        """Note from the model, for example on where report text was sent; folder that labels are mapped to."""
        return ExtractorTraits(note=self.inquiry.model.note, lexicon_folder=self._composer.naming.folder)

    def questions(self, reports: Sequence[Report]) -> list[Question[tuple[Placed, ...]]]:
        """The first question about each report that is not blank and can be asked about."""
        return [
            self._question(self._composer.outline(r.text))
            for r in reports
            if not r.is_blank and not self._refusal(r.text)
        ]

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report in reading order, or why it cannot be read."""
        results: list[Extraction | None] = [() if r.is_blank else self._refusal(r.text) for r in reports]
        outlines = [self._composer.outline(r.text) for r, done in zip(reports, results, strict=True) if done is None]
        replies = self.inquiry.ask([self._question(outline) for outline in outlines])
        read = iter([self._extraction(o, reply) for o, reply in zip(outlines, replies, strict=True)])
        return [next(read) if done is None else done for done in results]

    def _refusal(self, text: str) -> Unscored | None:
        if "\x00" in text:
            return Unscored("control characters", "the report holds NUL bytes; remove them", fault=Fault.REPORT)
        if len(text) > self.options.max_characters:
            detail = f"{len(text)} characters, more than the limit of {self.options.max_characters}"
            return Unscored("too long", detail, fault=Fault.REPORT)
        return None

    def _question(self, outline: Outline) -> Question[tuple[Placed, ...]]:
        values = {"report": outline.text}
        if "findings" in self.prompt.places:
            values["findings"] = ", ".join(f.name for f in self._composer.naming.knowledge.lexicon.findings.values())
        schema = answer_schema(max(1, len(outline.text.split())))  # no statement has less than a word of its own
        request = Request(self.prompt.filled(values), schema=schema, max_tokens=self.options.max_tokens)
        return Question(self.prompt.identity, request, lambda answer: _place_all(read_units(answer), outline))

    def _extraction(self, outline: Outline, reply: Reply[tuple[Placed, ...]]) -> Extraction:
        if not isinstance(reply.value, Unscored):
            return self._composer.units(outline, reply.value)
        if reply.value.reason in _UNANSWERED:
            return reply.value
        for answer in reversed(reply.answers):
            if answer.outcome == _NOWHERE and (placed_units := place(read_units(answer.completion.text), outline)[0]):
                return self._composer.units(outline, placed_units)
        if self.options.on_failure == "sentences" and reply.answers:
            return self._composer.units(outline, ())
        return reply.value


def _place_all(units: Iterable[ParsedUnit], outline: Outline) -> tuple[Placed, ...]:
    """The units placed. Raises `UnreadableAnswerError` if the words of one stand nowhere in the report."""
    placed, lost = place(units, outline)
    if lost:
        detail = f"words that {lost} of the units quote stand nowhere in the report"
        remedy = "Answer again with all units. Copy every span_text letter by letter from the report, in one piece."
        raise UnreadableAnswerError(_NOWHERE, detail, remedy)
    return tuple(placed)
