"""Registers the green metric. The model is built when the metric is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from attrs import evolve

from overread.adapters.llm.green.options import GreenOptions
from overread.application.asking.prompt import Prompt
from overread.application.metrics.green import GREEN_SCALE, GreenMetric, GreenReader
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["green_prompt", "overread_metrics"]

_VERSION: Final = "0.1.0"
_PLACES: Final = ("reference", "candidate")
_WORD: Final = re.compile(r"\S+")


def green_prompt(path: str | None = None) -> Prompt:
    """The packaged prompt, or a user's.

    Raises:
        ConfigurationError: naming every place and section that it lacks.
    """
    from overread.adapters.llm.green._answer import SECTIONS
    from overread.application.asking.prompts import load_prompt

    prompt = load_prompt("green", path, places=())
    for place in _PLACES:
        if place not in prompt.places:
            marker = re.compile(rf"[*\\]{{2,}}\s*{place} report\s*[*\\]{{2,}}", re.IGNORECASE)
            in_braces = f"{{{place}}}"
            prompt = evolve(prompt, user=marker.sub(in_braces, prompt.user))
    words = " ".join(f"{prompt.system} {prompt.user}".lower().split())
    missing = [f"the place {{{place}}}" for place in _PLACES if place not in prompt.places]
    missing += [f"the section [{section}]" for section in SECTIONS if section.lower() not in words]
    if missing:
        raise ConfigurationError([f"prompt {path or 'green'} lacks {', '.join(missing)}"])
    return prompt


def _green(options: GreenOptions, components: Components) -> GreenMetric:
    from overread.application.asking.answers.spans import locate
    from overread.application.asking.inquiry import Inquiry

    released = options.compat != "none"
    if released and options.repairs > 1:
        raise ConfigurationError(
            [
                (
                    f"green.repairs={options.repairs} cannot be used with compat={options.compat}: the release asks "
                    "once; leave it out"
                )
            ]
        )
    prompt, model = green_prompt(options.prompt), components.get("model")
    repairs = 0 if released else options.repairs
    return GreenMetric(
        inquiry=Inquiry(model, components.get("answers"), repairs),
        prompt=prompt,
        reader=_released_reader(options, prompt, model.identity) if released else _reader(options),
        locate=locate,
        max_tokens=options.max_tokens,
    )


def _reader(options: GreenOptions) -> GreenReader:
    from overread.adapters.llm.green._answer import ANSWER_READER, read_answer
    from overread.adapters.llm.green._released import first_words

    words, single = options.max_words, options.blanks == "single"
    identity = ANSWER_READER if words is None else f"{ANSWER_READER},max_words={words}"
    if single:
        return GreenReader(f"{identity},blanks=single", read_answer, lambda report: first_words(report, words))
    return GreenReader(identity, read_answer, _head(words))


def _released_reader(options: GreenOptions, prompt: Prompt, model: str) -> GreenReader:
    from overread.adapters.llm.green import _released

    words = _released.RELEASED_WORDS if options.max_words is None else options.max_words
    blanks = "keep" if options.blanks == "keep" else "single"
    return GreenReader(
        f"{_released.RELEASED_READER},max_words={words},blanks={blanks}",
        _released.read_released,
        _head(words) if blanks == "keep" else lambda report: _released.first_words(report, words),
        _released.released_note(prompt, model),
        takes_anything=True,
    )


def _head(words: int | None) -> Callable[[str], str]:
    """A report up to the end of its last word that is sent, otherwise as it stands."""

    def head(report: str) -> str:
        ends = [match.end() for match in _WORD.finditer(report)]
        return report if words is None or len(ends) <= words else report[: ends[words - 1]]

    return head


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """green."""
    return [
        MetricSpec(
            name="green",
            version=_VERSION,
            summary="errors and matches that a language model counts, by GREEN's formula",
            scale=GREEN_SCALE,
            factory=_green,
            backend="language model",
            options=GreenOptions,
        )
    ]
