"""Sentences as PyRuSH cuts them over spaCy's tokens, which is how RaTEScore's release reads reports."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from overread.domain.reports.report import Span
from overread.extras import require

__all__ = ["PyrushSplitter"]

_RULES: Final = Path("resources", "en", "rush_rules.tsv")
"""The rules that medspaCy gives PyRuSH, beside its package; those of PyRuSH itself are others."""


@define(eq=False)
class PyrushSplitter:
    """Cuts reports into sentences with the pipeline that medspaCy builds for PyRuSH.

    A heading is cut off or not as the rules have it, and white space between sentences may be one of its own.
    """

    _pipeline: Any = field(repr=False)

    @classmethod
    def create(cls) -> PyrushSplitter:
        """Builds the pipeline, without what medspaCy would load beside it.

        Raises:
            MissingDependencyError: if PyRuSH or medspaCy is not installed.
        """
        require("compat=ratescore-0.6.0", "medspacy", "medspacy", "PyRuSH")
        import spacy  # noqa: PLC0415 - it may not be installed
        from loguru import logger  # noqa: PLC0415 - it comes with PyRuSH

        # PyRuSH tells every token at level debug, which loguru prints: a report's words are for no log.
        logger.disable("PyRuSH")
        import PyRuSH  # type: ignore[import-untyped]  # noqa: F401, PLC0415 - its import registers the pipe

        pipeline = spacy.blank("en")
        pipeline.add_pipe("medspacy_pyrush", config={"rules_path": str(_package_folder().parent / _RULES)})
        return cls(pipeline)

    @property
    def identity(self) -> str:
        """PyRuSH and medspaCy, whose rules it reads, with their versions."""
        return f"pyrush={version('PyRuSH')},medspacy={version('medspacy')}"

    def split(self, text: str) -> list[Span]:
        """The sentences in order, without white space around them; empty ones are left out."""
        spans = []
        for sentence in self._pipeline(text).sents:
            held = text[sentence.start_char : sentence.end_char]
            start = sentence.start_char + len(held) - len(held.lstrip())
            spans.append(Span(start, start + len(held.strip())))
        return [span for span in spans if span.end > span.start]


def _package_folder() -> Path:
    """The folder of medspaCy, which is not imported."""
    spec = find_spec("medspacy")
    return Path(str(spec.origin if spec else "")).parent
