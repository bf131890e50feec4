"""A token classifier as entity recognizer: distinct sentences once, in batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import define, field

from overread.adapters.bert._decoding import decode_spans, iob_labels
from overread.adapters.bert._released import NOT_FINITE, ReleasedRecognizer, check_release
from overread.adapters.bert.options import BertRecognizerOptions
from overread.adapters.checkpoints.checkpoint import broken_checkpoint
from overread.adapters.checkpoints.loading import Model, TokenRow, load_token_classifier
from overread.adapters.checkpoints.memory import Memory
from overread.adapters.lexicon.segments import split_sentences
from overread.domain.entity import Entity, EntityType
from overread.domain.report import Report, Span
from overread.domain.result import Unscored

__all__ = ["BertEntityRecognizer"]

_SHORTEST_SENTENCE: Final = 3
Spans = tuple[tuple[int, int, EntityType], ...]


@define(eq=False)
class BertEntityRecognizer:
    """Finds entities with a token classifier over the IOB labels of RaTE-NER (Zhao et al. 2024, section 2.3).

    Each sentence is read by itself, as in the released code; one without a letter or of fewer than three characters is
    not read. A sentence of more than ``max_length`` tokens is read in pieces, and its entities are put together across
    them. A blank report has no entities.
    """

    options: BertRecognizerOptions
    _model: Model
    _labels: tuple[str, ...]
    _sentences: Memory[Spans | None] = field(repr=False)

    @classmethod
    def create(cls, options: BertRecognizerOptions) -> BertEntityRecognizer:
        """Loads the checkpoint that the options name.

        Raises:
            ConfigurationError: if it is not a whole token classifier over RaTE-NER's labels.
        """
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
            remedy = f"give a token classifier over O and B-/I- of {', '.join(EntityType)}"
            raise broken_checkpoint(options.path, str(error), remedy) from error
        return cls(options, model, labels, Memory(options.cache))

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
        return ReleasedRecognizer.create(self._model, self._labels, self.options.cache, release=release)

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        """Entities of each report in reading order; offsets point into its text as given."""
        sentences = [_sentences(report.text) for report in reports]
        texts = [span.of(report.text) for report, spans in zip(reports, sentences, strict=True) for span in spans]
        found = iter(self._sentences.answers(texts, self._read))
        read = [[(sentence, next(found)) for sentence in spans] for spans in sentences]
        return [_entities(report.text, spans) for report, spans in zip(reports, read, strict=True)]

    def _read(self, sentences: list[str]) -> list[Spans | None]:
        """The spans of each sentence, None where the model's answer is no number."""
        rows = self._model.rows(sentences, whole=True)
        labels: list[list[str]] = [[] for _ in rows]
        broken: set[int] = set()
        for batch, output, _ in self._model.batches(rows, self.options.batch_size):
            finite = output.logits.isfinite().all(dim=-1).tolist()
            for index, best, sound in zip(batch, output.logits.argmax(-1).tolist(), finite, strict=True):
                size = len(rows[index].ids)
                labels[index] = [self._labels[label] for label in best[:size]]
                if not all(sound[:size]):
                    broken.add(rows[index].text)
        tokens: list[list[tuple[str, tuple[int, int]]]] = [[] for _ in sentences]
        for row, row_labels in zip(rows, labels, strict=True):
            pairs = zip(row_labels, self._places(row), strict=True)
            tokens[row.text] += [(label, place) for label, place in pairs if place is not None]
        return [
            None
            if index in broken
            else decode_spans(sentence, [label for label, _ in found], [offset for _, offset in found])
            for index, (sentence, found) in enumerate(zip(sentences, tokens, strict=True))
        ]

    def _places(self, row: TokenRow) -> Iterator[tuple[int, int] | None]:
        """The characters of each token: none of a sentencepiece mark that stands alone, which is no letter."""
        for token, offset in zip(row.ids, row.offsets, strict=True):
            yield (offset[0], offset[0]) if offset and token == self._model.space_id else offset


def _entities(text: str, sentences: Sequence[tuple[Span, Spans | None]]) -> tuple[Entity, ...] | Unscored:
    entities: list[Entity] = []
    for sentence, spans in sentences:
        if spans is None:
            return NOT_FINITE
        for start, end, kind in spans:
            begin, stop = sentence.start + start, sentence.start + end
            entities.append(Entity(text[begin:stop], begin, stop, kind))
    return tuple(entities)


def _sentences(text: str) -> list[Span]:
    spans = split_sentences(text, 0, len(text))
    return [
        span for span in spans if span.end - span.start >= _SHORTEST_SENTENCE and any(map(str.isalpha, span.of(text)))
    ]
