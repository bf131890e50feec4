"""The second reader as a component: two graphs in ONNX Runtime, one that encodes sentences and one that compares."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import define, field

from overread.adapters.bert.second_reader._found import found_in
from overread.adapters.bert.second_reader._questions import Questions, ask
from overread.adapters.bert.second_reader._scale import Calibration, calibration_of, chances
from overread.adapters.bert.second_reader._tokens import ReportTokens, Tokens, open_tokens, pad_sentences
from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.adapters.checkpoints.memory import Memory
from overread.adapters.checkpoints.onnx_runtime import onnxruntime
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.findings.lexicon import Lexicon
from overread.exceptions import ConfigurationError

__all__ = ["ENCODER", "NETWORK", "SETTINGS", "TOKENIZER", "ComparingReader", "load_reader", "shipped_folder"]

Floats = npt.NDArray[np.float32]

SETTINGS: Final = "config.json"
TOKENIZER: Final = "tokenizer.json"
ENCODER: Final = "encoder.onnx"
NETWORK: Final = "network.onnx"
_CERTAIN: Final = 1.0

_MOST_TOKENS: Final = 1_500
"""Tokens of a report beyond which a pair is not read again: the comparison is quadratic in them."""

_STATEMENTS: Final = 2
"""Sentences up to which a text is no report but a statement or two."""

_MOST_POINTED: Final = 300_000
"""Most questions times tokens at once, which bounds the memory of a long pair."""

_ASKED: Final = ("in_reference", "in_candidate", "kinds", "traits")
"""What there is of each question."""

_REPORT: Final = "Small effusion. Heart normal. No fracture."
"""Read once to see whether files fit together."""

_WANTED: Final = ("name", "kinds", "calibration")


@define(eq=False)
class ComparingReader:
    """Compares both reports token by token: judges each discrepancy, and each sentence of either report.

    Sentences are encoded once and remembered.
    """

    identity: str
    kinds: tuple[str, ...] = field(repr=False)
    calibration: Calibration = field(repr=False)
    tokens: Tokens = field(repr=False)
    encoder: onnxruntime.InferenceSession = field(repr=False)
    network: onnxruntime.InferenceSession = field(repr=False)
    batch_size: int = field(repr=False)
    _known: Memory[npt.NDArray[np.float16]] = field(repr=False)

    def read_again(self, readings: Sequence[FirstReading]) -> list[SecondReading]:
        """Return the probability of each pair's discrepancies, and the errors in its sentences."""
        asked = [ask(first, self.tokens, self.kinds) if self._may_ask(first) else None for first in readings]
        encoded = self._sentences([questions for questions in asked if questions is not None])
        return [
            SecondReading((_CERTAIN,) * len(first.discrepancies))
            if questions is None
            else self._read(questions, encoded)
            for first, questions in zip(readings, asked, strict=True)
        ]

    def _may_ask(self, first: FirstReading) -> bool:
        """Return whether both reports say something, one more than a statement or two, and neither is too long.

        Silence leaves nothing to doubt. The network learned from reports; of single statements the rules know more.
        """
        sizes = self.tokens.sizes(first)
        is_report = any(sentences > _STATEMENTS for sentences, _ in sizes)
        return is_report and all(0 < tokens <= _MOST_TOKENS for _, tokens in sizes)

    def _read(self, questions: Questions, encoded: Mapping[str, Floats]) -> SecondReading:
        count = questions.discrepancies
        tokens = sum(len(report.offsets) for report in questions.reports)
        inputs, together = dict(_inputs(questions, encoded)), max(1, _MOST_POINTED // tokens)
        answers = [
            self.network.run(None, inputs | {name: inputs[name][start : start + together] for name in _ASKED})
            for start in range(0, len(questions.kinds), together)
        ]
        odds, weights, categories = (np.concatenate(column) for column in zip(*answers, strict=True))
        of_discrepancies, of_sentences = self.calibration
        odds = odds.astype(np.float64)
        return SecondReading(
            tuple(chances(odds[:count], of_discrepancies).tolist()),
            found_in(questions, chances(odds[count:], of_sentences), weights[count:], categories[count:]),
        )

    def _sentences(self, asked: Sequence[Questions]) -> dict[str, Floats]:
        """Keys and values of the tokens of each distinct sentence."""
        distinct = list(
            dict.fromkeys(text for questions in asked for report in questions.reports for text in report.sentences)
        )
        states = self._known.answers(distinct, self._encode)
        return {text: tokens.astype(np.float32) for text, tokens in zip(distinct, states, strict=True)}

    def _encode(self, sentences: list[str]) -> list[npt.NDArray[np.float16]]:
        """Keys and values, tokens x width; sentences of like length go together, so that little is padded."""
        ids = [self.tokens.of(sentence).ids for sentence in sentences]
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        states: dict[int, npt.NDArray[np.float16]] = {}
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            rows, mask = pad_sentences([ids[index] for index in batch])
            [encoded] = self.encoder.run(None, {"ids": rows, "mask": mask})
            for row, index in enumerate(batch):
                states[index] = encoded[row, 1 : len(ids[index]) - 1].astype(np.float16)
        return [states[index] for index in range(len(ids))]


def _inputs(questions: Questions, encoded: Mapping[str, Floats]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for side, report, pointed in zip(("reference", "candidate"), questions.reports, questions.pointed, strict=True):
        yield side, _join_states(report, encoded)
        yield f"{side}_marks", report.marks
        yield f"in_{side}", pointed
    yield "kinds", questions.kinds
    yield "traits", questions.traits


def _join_states(report: ReportTokens, encoded: Mapping[str, Floats]) -> Floats:
    return np.concatenate([encoded[text] for text in report.sentences])


def shipped_folder() -> Path:
    """The folder of the reader that ships."""
    return Path(__file__).parent / "data" / "small"


def load_reader(options: SecondReaderOptions) -> ComparingReader:
    """The shipped reader, or one from a folder.

    Raises:
        ConfigurationError: if the folder holds no second reader.
    """
    folder = options.path or shipped_folder()
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        tokens = open_tokens(folder / TOKENIZER)
        encoder, network = (_session(folder / name) for name in (ENCODER, NETWORK))
    except Exception as error:  # tokenizers and ONNX Runtime raise classes of their own
        raise ConfigurationError(
            [f"second reader: {folder} contains no second reader; overread fit reader writes one"]
        ) from error
    if missing := [name for name in _WANTED if not (isinstance(settings, dict) and name in settings)]:
        raise ConfigurationError([f"second reader: {folder / SETTINGS} lacks {', '.join(missing)}"])
    try:
        calibration = calibration_of(settings["calibration"])
        is_usable = all(isinstance(kind, str) for kind in settings["kinds"])
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            [f"second reader: {folder / SETTINGS} has no calibration of two lines, or no kinds"]
        ) from error
    if not is_usable:
        raise ConfigurationError([f"second reader: kinds in {folder / SETTINGS} must be texts"])
    identity = f"{settings['name']}@{_digest(folder)}"
    reader = ComparingReader(
        identity,
        tuple(settings["kinds"]),
        calibration,
        tokens,
        encoder,
        network,
        options.batch_size,
        Memory(options.cache),
    )
    try:
        reader.read_again([FirstReading("No effusion.", _REPORT, ((), ()), (), Lexicon({}, {}))])
    except Exception as error:  # ONNX Runtime raises classes of its own
        raise ConfigurationError([f"second reader: the files of {folder} do not belong together"]) from error
    return reader


def _session(path: Path) -> onnxruntime.InferenceSession:
    """A session on one thread: corpora are scored in many processes, and a session without threads may be forked."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _digest(folder: Path) -> str:
    digest = sha256()
    for name in (SETTINGS, TOKENIZER, ENCODER, NETWORK):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:12]
