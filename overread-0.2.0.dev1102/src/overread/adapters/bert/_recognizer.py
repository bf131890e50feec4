"""A token classifier, or a span head, as entity recognizer: distinct sentences once, in batches of similar length."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from overread.adapters.bert._decoding import iob_labels
from overread.adapters.bert._reading import Reading, SpanReading, Spans, TokenReading
from overread.adapters.bert._released import NOT_FINITE, ReleasedRecognizer, check_release
from overread.adapters.bert._span_head import SPAN_FIELD, load_span_head
from overread.adapters.bert.options import BertRecognizerOptions
from overread.adapters.checkpoints.checkpoint import broken_checkpoint, check_checkpoint, locate_checkpoint
from overread.adapters.checkpoints.loading import Model, load_encoder, load_token_classifier
from overread.adapters.checkpoints.memory import Memory
from overread.adapters.lexicon.segments import plain_sentences
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.plain_text import PlainText
from overread.domain.reports.report import Report, Span
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

__all__ = ["BertEntityRecognizer", "sentences_to_read"]

_SHORTEST_SENTENCE: Final = 3


@define(eq=False)
class BertEntityRecognizer:
    """Finds entities with a token classifier over the IOB labels of RaTE-NER (Zhao et al. 2024, section 2.3).

    Each sentence is read by itself, as in the released code; one without a letter or of fewer than three characters is
    not read. A sentence of more than ``max_length`` tokens is read in pieces, and its entities are put together across
    them. A blank report has no entities. A checkpoint with a span head, as `overread fit recognizer` writes it, is
    read by its spans.
    """

    options: BertRecognizerOptions
    _model: Model
    _reading: Reading
    _sentences: Memory[Spans | None] = field(repr=False)

    @classmethod
    def create(cls, options: BertRecognizerOptions) -> BertEntityRecognizer:
        """Loads the checkpoint that the options name.

        Raises:
            ConfigurationError: if it is no whole token classifier over RaTE-NER's labels, or encoder with a span head.
        """
        folder = locate_checkpoint(options.path)
        check_checkpoint(folder)
        fields = json.loads((folder / "config.json").read_text(encoding="utf-8-sig")).get(SPAN_FIELD)
        return cls._of_tokens(options) if fields is None else cls._of_spans(options, folder, fields)

    @classmethod
    def _of_tokens(cls, options: BertRecognizerOptions) -> BertEntityRecognizer:
        model = load_token_classifier(
            options.path,
            max_length=options.max_length,
            device=options.device,
            dtype=options.dtype,
            compiled=options.compile,
        )
        try:
            labels = iob_labels(model.config.id2label)
        except ValueError as error:
            remedy = f"give a token classifier with the labels O and B-/I- of {', '.join(EntityType)}"
            raise broken_checkpoint(options.path, str(error), remedy) from error
        return cls(options, model, TokenReading(model, labels, options.batch_size), Memory(options.cache))

    @classmethod
    def _of_spans(cls, options: BertRecognizerOptions, folder: Path, fields: Mapping[str, Any]) -> BertEntityRecognizer:
        if options.compile:
            raise ConfigurationError(["recognizer.compile is for token classifiers; this checkpoint has a span head"])
        model = load_encoder(options.path, max_length=options.max_length, device=options.device, dtype=options.dtype)
        head = load_span_head(options.path, folder, fields, model.device)
        return cls(options, model, SpanReading(model, head, options.batch_size), Memory(options.cache))

    @classmethod
    def over(cls, model: Model, reading: Reading) -> BertEntityRecognizer:
        """One that reads with a model in memory and remembers nothing, as while it is trained."""
        return cls(BertRecognizerOptions(path=model.name), model, reading, Memory(0))

    @property
    def identity(self) -> str:
        """Folder name, digest, length and number format."""
        return f"bert:{self._model.name},max_length={self._model.max_length},dtype={self._model.dtype_name}"

    @property
    def note(self) -> str:
        """Nothing: a checkpoint that the user names stands in for nothing else."""
        return ""

    def as_released(self, release: str) -> ReleasedRecognizer:
        """The same checkpoint, read as a released package reads it.

        Raises:
            ConfigurationError: if there is no such release, or the options are not those of the release.
        """
        check_release(release, "recognizer", self.options, {"max_length": (512,), "compile": (False,)})
        if not isinstance(self._reading, TokenReading):
            raise ConfigurationError([f"compat={release} needs a token classifier; this checkpoint has a span head"])
        return ReleasedRecognizer.create(self._model, self._reading.labels, self.options.cache, release=release)

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        """Entities of each report in reading order; offsets point into its text as given."""
        outlines = [sentences_to_read(report.text) for report in reports]
        texts = [span.of(plain.text) for plain, spans in outlines for span in spans]
        readings = iter(self._sentences.answers(texts, self._reading.read))
        return [_entities(plain, [(sentence, next(readings)) for sentence in spans]) for plain, spans in outlines]


def _entities(plain: PlainText, sentences: Sequence[tuple[Span, Spans | None]]) -> tuple[Entity, ...] | Unscored:
    entities: list[Entity] = []
    for sentence, spans in sentences:
        if spans is None:
            return NOT_FINITE
        for start, end, kind in spans:
            begin, stop = sentence.start + start, sentence.start + end
            entities.append(Entity(plain.text[begin:stop], *plain.given(begin, stop), kind))
    return tuple(entities)


def sentences_to_read(text: str) -> tuple[PlainText, list[Span]]:
    """A report as plain text and the sentences of it that a model is asked about, in order."""
    plain, spans = plain_sentences(text)
    return plain, [
        span
        for span in spans
        if span.end - span.start >= _SHORTEST_SENTENCE and any(map(str.isalpha, span.of(plain.text)))
    ]
