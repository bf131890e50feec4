"""RaTEScore as its released package 0.6.0 computes it: entities, embeddings and best matches to the last digit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import torch
from attrs import define, evolve, field

from overread.adapters.bert.options import RELEASES
from overread.adapters.checkpoints.loading import Model, TokenRow
from overread.adapters.checkpoints.memory import Memory
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report, Span
from overread.domain.results.ratescore import NameMatches
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

if TYPE_CHECKING:
    from overread.adapters.bert._pyrush import PyrushSplitter

__all__ = ["NOT_FINITE", "ReleasedMatcher", "ReleasedRecognizer", "check_release", "released_spans"]

NOT_FINITE: Final = Unscored("not finite", "the recognizer returned a number that is not finite; set dtype=fp32")

_SHORTEST_SENTENCE: Final = 3
_SKIPPED: Final = frozenset({"[CLS]", "[SEP]"})
"""Tokens that the released walk passes over; those of other tokenizers, such as <s>, it takes for words."""

_EXACT: Final = ("auto", "fp32")

NamedSpan = tuple[str, int, int, EntityType]


def check_release(release: str, kind: str, options: object, expected: Mapping[str, Sequence[object]]) -> None:
    """Refuses a release that is not known, and options that are not the release's own.

    Args:
        release: asked for.
        kind: of the component, as in settings.
        options: of the component.
        expected: what an option may be; dtype may be "auto" or "fp32".

    Raises:
        ConfigurationError: naming all that is wrong.
    """
    wrong = [] if release in RELEASES else [f"unknown release {release!r}; choose from {', '.join(RELEASES)}"]
    for name, values in {**expected, "dtype": _EXACT}.items():
        if getattr(options, name) not in values:
            wrong.append(f"compat={release} needs {kind}.{name}={values[-1]}, not {getattr(options, name)}")
    if wrong:
        raise ConfigurationError(wrong)


@define(eq=False)
class ReleasedRecognizer:
    """Finds entities as the package RaTEScore 0.6.0 does, with the same token classifier.

    Sentences are PyRuSH's, headings among them, each read by itself and cut at ``max_length`` tokens; one of fewer
    than three characters is not read. Names are what the tokenizer makes of the tokens, so one may be empty.
    """

    _model: Model
    _labels: tuple[str, ...]
    _splitter: PyrushSplitter
    _sentences: Memory[tuple[NamedSpan, ...] | None] = field(repr=False)
    release: str = field(kw_only=True)

    @classmethod
    def create(cls, model: Model, labels: tuple[str, ...], cache: int, *, release: str) -> ReleasedRecognizer:
        """Reads with a loaded model, in fp32 whatever it was loaded for."""
        from overread.adapters.bert._pyrush import PyrushSplitter  # noqa: PLC0415 - spaCy, which nothing else here needs

        exact = evolve(model, dtype=torch.float32)
        return cls(exact, labels, PyrushSplitter.create(), Memory(cache), release=release)

    @property
    def identity(self) -> str:
        """Folder name, digest, length, number format, release and sentence splitter."""
        model = f"bert:{self._model.name},max_length={self._model.max_length},dtype={self._model.dtype_name}"
        return f"{model},compat={self.release},{self._splitter.identity}"

    @property
    def note(self) -> str:
        """Nothing: a checkpoint that the user names stands in for nothing else."""
        return ""

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        """Entities of each report in reading order; offsets point into its text as given."""
        return [self._recognize(report.text) for report in reports]

    def _recognize(self, text: str) -> tuple[Entity, ...] | Unscored:
        sentences = [span for span in self._splitter.split(text) if span.end - span.start >= _SHORTEST_SENTENCE]
        readings = self._sentences.answers([span.of(text) for span in sentences], self._read)
        entities: list[Entity] = []
        for sentence, named in zip(sentences, readings, strict=True):
            if named is None:
                return NOT_FINITE
            entities += _place_entities(sentence, named)
        return tuple(entities)

    def _read(self, sentences: list[str]) -> list[tuple[NamedSpan, ...] | None]:
        """One at a time, as there: what a batch adds in padding may change the last digit."""
        rows = self._model.rows(sentences, whole=False)
        return [self._spans(row) for row in rows]

    def _spans(self, row: TokenRow) -> tuple[NamedSpan, ...] | None:
        output, _ = self._model.run([row])
        logits = output.logits[0]
        if not bool(logits.isfinite().all()):
            return None
        tokens = self._model.tokens(row)
        labels = [self._labels[label] for label in logits.argmax(-1).tolist()]
        spans: list[NamedSpan] = []
        for first, last, kind in released_spans(tokens, labels):
            places = [offset for offset in row.offsets[first : last + 1] if offset is not None]
            start, end = (places[0][0], places[-1][1]) if places else (0, 0)
            spans.append((self._model.told(tokens[first : last + 1]), start, end, kind))
        return tuple(spans)


def _place_entities(sentence: Span, named: Sequence[NamedSpan]) -> Iterator[Entity]:
    """Entities where they stand in the report."""
    for name, start, end, kind in named:
        yield Entity(name, sentence.start + start, sentence.start + end, kind)


def released_spans(tokens: Sequence[str], labels: Sequence[str]) -> list[tuple[int, int, EntityType]]:
    """The spans of a sentence's tokens as first token, last token and type, as the released walk finds them.

    B- begins a span and gives its type, I- goes on whatever its type, and a label that is no I- ends it. At the end of
    a sentence the label of [SEP] decides: where it is an I-, a span that is still open ends with the last word, but is
    lost if another ended after the last O.

    Args:
        tokens: of a sentence, [CLS] and [SEP] among them.
        labels: one of the classifier's labels for each.

    >>> released_spans(["[CLS]", "left", "lung", "[SEP]"], ["O", "B-ANATOMY", "I-ANATOMY", "I-ANATOMY"])
    [(1, 2, <EntityType.ANATOMY: 'ANATOMY'>)]
    >>> labels = ["O", "B-DISEASE", "B-ANATOMY", "I-ANATOMY", "I-ANATOMY"]
    >>> released_spans(["[CLS]", "edema", "left", "lung", "[SEP]"], labels)
    [(1, 1, <EntityType.DISEASE: 'DISEASE'>)]
    """
    spans: list[tuple[int, int, EntityType]] = []
    start: int | None = None
    kind = ""
    fresh = True
    for place, (token, label) in enumerate(zip(tokens, labels, strict=True)):
        if token in _SKIPPED or label == "O" or place == len(labels) - 1:
            continue
        if label.startswith("B-"):
            start, kind = place, label[2:]
        following = labels[place + 1][:1]
        if following == "I":
            continue
        if start is not None:
            spans.append((start, place, EntityType(kind)))
        start, kind = (place, label[2:]) if following == "B" else (None, "")
        fresh = following == "O"
    if start is not None and fresh:
        spans.append((start, len(tokens) - 2, EntityType(kind)))
    return spans


@define(eq=False)
class ReleasedMatcher:
    """Embeds the names of a pair's entities and finds each one's best match as the package RaTEScore 0.6.0 does.

    The names of a report are one batch in their order, states of the first token are compared in single precision on
    the CPU, and of equal cosines `torch.topk` takes one.
    """

    identity: str
    note: str
    _model: Model

    @classmethod
    def create(cls, model: Model, identity: str, note: str, *, release: str) -> ReleasedMatcher:
        """Embeds with a loaded model, in fp32 whatever it was loaded for."""
        exact = evolve(model, dtype=torch.float32)
        identity = identity.replace(f"dtype={model.dtype_name}", f"dtype={exact.dtype_name}")
        return cls(f"{identity},compat={release}", note, exact)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embeddings, texts x hidden size, each row of length 1."""
        if not texts:
            return np.zeros((0, self._model.config.hidden_size), dtype=np.float32)
        return np.asarray(_unit(self._embed_names(texts)).numpy(), dtype=np.float32)

    def match_names(self, reference: Sequence[str], candidate: Sequence[str]) -> NameMatches:
        """Cosines and best matches of the names of a pair, both ways; either side holds one name or more."""
        rows, columns = (_unit(self._embed_names(names)) for names in (reference, candidate))
        there, matches = _nearest(rows, columns)
        back, back_matches = _nearest(columns, rows)
        return NameMatches(there, back, matches, back_matches)

    def _embed_names(self, names: Sequence[str]) -> torch.Tensor:
        output, _ = self._model.run(self._model.rows(names, whole=False))
        states: torch.Tensor = output.last_hidden_state[:, 0, :].to("cpu")
        return states.clone()


def _unit(vectors: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(vectors, p=2, dim=1)


def _nearest(rows: torch.Tensor, columns: torch.Tensor) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Cosines, rows x columns, and the column that topk takes for each row, one row at a time as in the release.

    Single precision may put a cosine above 1 by a ten-millionth; it decides what is taken, and is then 1.
    """
    cosines = [torch.matmul(columns, row) for row in rows]
    matches = [int(torch.topk(of_row, 1, largest=True).indices[0]) for of_row in cosines]
    return torch.stack(cosines).double().clamp(-1.0, 1.0).numpy(), np.array(matches, dtype=np.intp)
