"""Ports: what the application asks of its adapters. Each works on batches: same length out, same order.

What a component states of itself beyond its port stands in its `overread.application.traits`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.marks import MARKS
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PairCosts
from overread.domain.differences.remark import Remark
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.differences.unread import Coverage
from overread.domain.differences.weighing import Weighing
from overread.domain.entities.entity import Entity
from overread.domain.findings.chest_labels import LabelReading
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import ClinicalContext, Report, ReportPair
from overread.domain.results.alignment import Alignment
from overread.domain.results.answer import Completion
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.judgement import Judgement
from overread.domain.results.ratescore import NameMatches
from overread.domain.results.readout import Risk
from overread.domain.results.result import EvaluationResult, Outcome, Unscored

__all__ = [
    "Aligner",
    "AnswerStore",
    "Assertion",
    "AssertionReader",
    "CostModel",
    "CoverageReader",
    "EntityRecognizer",
    "ErrorCounter",
    "Extraction",
    "Identified",
    "Judge",
    "LanguageModel",
    "MarkedSentence",
    "Message",
    "Metric",
    "NameMatcher",
    "Noted",
    "Readout",
    "Released",
    "ReportLabeller",
    "Request",
    "ResultStore",
    "SecondReader",
    "TextEncoder",
    "UnitExtractor",
    "Weighs",
]

Extraction = tuple[ClinicalUnit, ...] | Unscored
"""Units of one report in reading order, or why it cannot be read."""


if not TYPE_CHECKING:  # for the type checker a name that is not here is an error

    def __getattr__(name: str) -> Any:
        """Let the marks of the last release be imported, with a warning."""
        if name not in MARKS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        warnings.warn(
            f"{name} is stated and asked for with overread.application.traits; the mark goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        return MARKS[name]


class Identified(Protocol):
    """A component of a signature."""

    @property
    def identity(self) -> str:
        """Name, version and everything else that changes an answer, as one text."""
        ...


@runtime_checkable
class Noted(Protocol):
    """A component whose answers need a word."""

    @property
    def note(self) -> str:
        """Note for a reader of its answers, for example that it stands in for another; "" for none."""
        ...


class Metric(Protocol):
    """Scores pairs."""

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Name and identity of each part that changes a score."""
        ...

    def evaluate(self, pairs: Sequence[ReportPair]) -> Sequence[Outcome]:
        """One outcome a pair, in order. A pair that cannot be scored is `Unscored` in its place."""
        ...


class UnitExtractor(Identified, Protocol):
    """Reads reports into clinical units."""

    def extract(self, reports: Sequence[Report]) -> Sequence[Extraction]:
        """Units of each report; offsets point into the report's text as given."""
        ...


@runtime_checkable
class CoverageReader(Protocol):
    """Tells how much of a report it can read. An extractor may be one too."""

    def coverage(self, reports: Sequence[Report]) -> Sequence[Coverage]:
        """The read and unread parts of each report; an empty `Coverage` for one that cannot be read."""
        ...


class CostModel(Identified, Protocol):
    """Cost of carrying one unit onto another."""

    def between(self, reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> PairCosts:
        """Cost matrices between the units of two reports, each len(reference) x len(candidate), on [0, 1]."""
        ...

    def burden(self, units: Sequence[ClinicalUnit]) -> npt.NDArray[np.float64]:
        """Weight of each unit, n x 2: as a finding that asks for action, and as one that does not."""
        ...


@runtime_checkable
class Weighs(Protocol):
    """Weighs units by what they mean in a patient. A `CostModel` may be one too."""

    def weigh(
        self,
        reference: Sequence[ClinicalUnit],
        candidate: Sequence[ClinicalUnit],
        patient: ClinicalContext,
        remarks: tuple[Remark, ...] = (),
    ) -> Weighing:
        """Two reports' units as lesions, with their masses and costs.

        Args:
            reference: clinical units of the reference.
            candidate: clinical units of the candidate.
            patient: decides what findings ask for.
            remarks: differences that no finding carries.
        """
        ...


@frozen
class MarkedSentence:
    """A sentence and the phrase in it, ``text[start:end]``, that a question is about."""

    text: str = field(repr=False)
    start: int
    end: int


@frozen
class Assertion:
    """Statement that a sentence makes about its marked phrase.

    Attributes:
        unit: the phrase as a clinical unit; it has a canonical finding only where a lexicon knows one.
        cues: kinds of context cue that the sentence holds anywhere, for example {"HISTORICAL"}.
    """

    unit: ClinicalUnit
    cues: frozenset[str] = frozenset()


@runtime_checkable
class AssertionReader(Protocol):
    """Tells what sentences say of marked phrases, known to a lexicon or not. An extractor may be one too."""

    def assertions(self, sentences: Sequence[MarkedSentence]) -> Sequence[Assertion | Unscored]:
        """Return what each sentence says of its phrase, or why that cannot be determined."""
        ...


class Aligner(Identified, Protocol):
    """Aligns the units of two reports by transport."""

    def align(self, costs: Sequence[PairCosts]) -> Sequence[Alignment]:
        """One plan for each pair's costs; never raises for want of convergence, but says so in the alignment."""
        ...


class SecondReader(Identified, Protocol):
    """Reads pairs again: judges what the first reading found, and finds what it missed."""

    def read_again(self, readings: Sequence[FirstReading]) -> Sequence[SecondReading]:
        """Judge the probability of each pair's discrepancies, and find the errors in its sentences."""
        ...


class Readout(Identified, Protocol):
    """Turns alignments into risk."""

    @property
    def uses_self_alignments(self) -> bool:
        """True if `AlignedPair` must hold the two self-alignments."""
        ...

    def read_out(self, pairs: Sequence[AlignedPair]) -> Sequence[Risk]:
        """Risk for each aligned pair."""
        ...


class EntityRecognizer(Identified, Noted, Protocol):
    """Finds the typed entities of reports."""

    def recognize(self, reports: Sequence[Report]) -> Sequence[tuple[Entity, ...] | Unscored]:
        """Entities of each report in reading order, or why it cannot be read."""
        ...


class TextEncoder(Identified, Noted, Protocol):
    """Embeds short texts."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text, each of unit length, so that a dot product is a cosine."""
        ...


class ReportLabeller(Identified, Noted, Protocol):
    """Labels reports with the observations of CheXpert."""

    def label(self, reports: Sequence[Report]) -> Sequence[LabelReading | Unscored]:
        """Return what each report says of the observations, or why that cannot be determined."""
        ...


@runtime_checkable
class NameMatcher(Protocol):
    """Says itself which names of a pair are nearest, as a release does. A `TextEncoder` may be one too."""

    def match_names(self, reference: Sequence[str], candidate: Sequence[str]) -> NameMatches:
        """Cosines and best matches of the names of a pair's entities, both ways; neither side is empty."""
        ...


@runtime_checkable
class Released(Protocol):
    """Can do its part as a released package does. An `EntityRecognizer` or a `TextEncoder` may be one too."""

    def as_released(self, release: str) -> Any:
        """The same component as it is in a release, as "ratescore-0.6.0".

        Raises:
            ConfigurationError: if it knows no such release, or its options are not those of the release.
        """
        ...


class ErrorCounter(Identified, Noted, Protocol):
    """Predicts how many errors of each kind a candidate has."""

    def count(self, pairs: Sequence[ReportPair]) -> Sequence[ErrorCounts | Unscored]:
        """The predicted errors of each pair, or why they cannot be told."""
        ...


@frozen
class Message:
    """One turn of a conversation with a language model.

    Attributes:
        fixed: characters at its beginning that every request of the same prompt has; a model may keep what it computed
            of them. It changes no answer.
    """

    role: Literal["system", "user", "assistant"]
    text: str = field(repr=False)
    fixed: int = field(default=0, eq=False, repr=False)


@frozen
class Request:
    """A request to a language model.

    Attributes:
        messages: the conversation so far; the last is the user's.
        schema: JSON schema that the answer must follow, None for free text. A model that cannot be held to it may
            answer as it likes: the reader of the answer checks it.
        max_tokens: upper limit for the answer.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    max_tokens: int = 1024


class LanguageModel(Identified, Noted, Protocol):
    """Completes conversations, decoding greedily."""

    @property
    def identity(self) -> str:
        """Model, revision and decoding; without the place it is served from, which changes no answer."""
        ...

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        """The completion of each request with the request's index, as they come and in any order.

        A request that gets none, after the model's own retries, comes as `Unscored` with one of the reasons "no
        answer" (nobody answered, or nothing that makes sense), "too long" (for the model's context) or "refused" (the
        request itself is not accepted).
        """
        ...

    def count_tokens(self, request: Request) -> int:
        """Tokens of a request, as the model counts them or about so many."""
        ...


@runtime_checkable
class Closable(Protocol):
    """Holder of an operating system resource: a file, a connection, a process."""

    def close(self) -> None:
        """Let go of it. It is taken up again on next use."""
        ...


class AnswerStore(Closable, Protocol):
    """Keeps the completions of language models by the key of the request. A key holds no report text."""

    @property
    def only_kept(self) -> bool:
        """True if nothing may be asked that is not kept here."""
        ...

    def find(self, keys: Sequence[str]) -> Mapping[str, Completion]:
        """The kept completions among those of ``keys``."""
        ...

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        """Keep one completion before this returns.

        Args:
            key: of the request.
            completion: what came back.
            prompt: identity of the prompt it answers.
            model: identity of the model that was asked.
        """
        ...


class Judge(Identified, Noted, Protocol):
    """Names the discrepancies of each pair, or says why it cannot."""

    def judge(self, pairs: Sequence[ReportPair]) -> Sequence[Judgement | Unscored]:
        """The judgement of each pair."""
        ...


class ResultStore(Protocol):
    """Keeps results, so that the same pair under the same signature is scored once."""

    def find(self, pairs: Sequence[ReportPair], metric: str, signature: str) -> Sequence[EvaluationResult | None]:
        """The stored result of each pair under a signature, None where there is none."""
        ...

    def add(self, run: str, pairs: Sequence[ReportPair], results: Iterable[EvaluationResult]) -> None:
        """Store results; storing the same one again changes nothing."""
        ...
