"""Pairs with known errors: invented ones, and errors put into a user's own reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from overread.application.asking.watching import ModelWatch
from overread.bootstrap.services import open_component, open_reader
from overread.exceptions import ConfigurationError
from overread.infrastructure.files.whole_files import (
    check_lines_place,
    check_place,
    keep_inputs,
    write_rows,
    write_whole,
)
from overread.infrastructure.settings import Settings

if TYPE_CHECKING:
    from overread.studies.application.synthesis.credible.pairs import JudgePairs
    from overread.studies.application.synthesis.injected.heuristics import Heuristic
    from overread.studies.application.synthesis.injected.injection import Asked, Injection
    from overread.studies.application.synthesis.invented import SyntheticPairs

__all__ = ["heuristics_beside", "inject", "judge_pairs", "synthetic_pairs"]


def synthetic_pairs(
    *, seed: int, studies: int, candidates_per_study: int = 4, style: str = "mixed", purpose: str = "readout"
) -> SyntheticPairs:
    """Invented pairs with known errors, of the findings of the shipped lexicon; see `SyntheticPairs`.

    Raises:
        ConfigurationError: naming a style or purpose that there is not.
    """
    from overread.adapters.lexicon import load_knowledge
    from overread.studies.application.synthesis.invented import Purpose, Style, SyntheticPairs

    for name, value, known in (("style", style, Style), ("purpose", purpose, Purpose)):
        if value not in list(known):
            raise ConfigurationError([f"unknown {name} {value!r}; choose from {', '.join(known)}"])
    return SyntheticPairs(
        load_knowledge().lexicon,
        seed=seed,
        studies=studies,
        candidates_per_study=candidates_per_study,
        style=Style(style),
        purpose=Purpose(purpose),
    )


def judge_pairs(*, seed: int, studies: int, candidates_per_study: int = 4) -> JudgePairs:
    """Invented reports of single examinations, each with labelled candidates, to train a judge; see `JudgePairs`."""
    from overread.studies.application.synthesis.credible.pairs import JudgePairs

    extractor, lexicon = open_reader(Settings())
    return JudgePairs(
        extractor=extractor, lexicon=lexicon, seed=seed, studies=studies, candidates_per_study=candidates_per_study
    )


def inject(
    reports: Path | str,
    output: Path | str,
    *,
    datasheet: Path | str | None = None,
    by_model: bool = False,
    prompt: Path | None = None,
    repairs: int = 1,
    per_category: int = 100,
    heuristics: Sequence[str] = (),
    heuristic_pairs: int = 1000,
    seed: int = 7,
    settings: Settings | None = None,
    watch: ModelWatch | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Injection:
    """Puts known errors into the reports of a file, as `overread inject` does; the same seed writes the same files.

    Args:
        reports: CSV, TSV, JSONL or Parquet with id and report, or pairs with reference.
        output: JSONL file of the pairs; those by heuristics go to `heuristics_beside` it.
        datasheet: Markdown file; beside the output where omitted.
        by_model: whether the settings' language model makes the changes, and not the rules.
        prompt: that the model gets instead of the shipped one.
        repairs: how often its unsound edit is sent back.
        per_category: pairs that matter, and pairs that do not, of each of the twenty categories.
        heuristics: random, sentences, nearest or permutation: by which further pairs are made.
        heuristic_pairs: pairs of each heuristic.
        seed: of every random choice.
        settings: which extractor, encoder and language model to use.
        watch: as of `open_run`.
        on_progress: is told how many pairs the rules have made.

    Raises:
        InputError: if the reports cannot be read, or a file cannot be written.
        ConfigurationError: naming every heuristic that there is not; if two files to write are one; and as
            `open_component`.
    """
    from overread.infrastructure.files.reports import read_reports
    from overread.studies.application.synthesis.injected.injection import inject as make

    source, place, chosen, wanted = Path(reports), Path(output), settings or Settings(), _heuristics(heuristics)
    check_lines_place(place)
    sheet = place.with_suffix(".md") if datasheet is None else Path(datasheet)
    beside = heuristics_beside(place) if wanted else None
    _check_places([path for path in (place, sheet, beside) if path is not None], source, chosen.answers)
    texts = read_reports(source)
    injection = make(
        texts,
        *open_reader(chosen),
        source=source.name,
        encoder=lambda: open_component(chosen, "encoder"),
        asked=_open_asking(chosen, prompt, repairs, watch) if by_model else None,
        per_category=per_category,
        heuristics=wanted,
        heuristic_pairs=heuristic_pairs,
        seed=seed,
        on_progress=on_progress,
    )
    _write(injection, place, sheet, beside)
    return injection


def heuristics_beside(output: Path) -> Path:
    """The file of pairs by heuristics, beside that of the others."""
    return output.parent / f"{output.stem}-heuristics.jsonl"


def _check_places(written: Sequence[Path], *inputs: Path | None) -> None:
    """Raises where a file cannot be written, would replace what is read, or another that is written too."""
    if len({path.resolve() for path in written}) < len(written):
        raise ConfigurationError([f"{written[1]} would be both datasheet and pairs; name another file for one of them"])
    for path in written:
        keep_inputs(path, *inputs)
        check_place(path)


def _write(injection: Injection, output: Path, sheet: Path, beside: Path | None) -> None:
    write_rows(output, (pair.as_row() for pair in injection.made.pairs))
    if beside is not None:
        write_rows(beside, (pair.as_row() for pair in injection.by_heuristics))
    write_whole(sheet, injection.datasheet + "\n")


def _heuristics(names: Iterable[str]) -> list[Heuristic]:
    from overread.studies.application.synthesis.injected.heuristics import Heuristic

    names = list(dict.fromkeys(names))
    if unknown := [name for name in names if name not in list(Heuristic)]:
        raise ConfigurationError(
            [f"unknown heuristic {name!r}; choose from {', '.join(Heuristic)}" for name in unknown]
        )
    return [Heuristic(name) for name in names]


def _open_asking(settings: Settings, prompt: Path | None, repairs: int, watch: ModelWatch | None) -> Asked:
    """The language model and its prompt; answers are kept where the settings name a file."""
    from overread.application.asking.inquiry import Inquiry
    from overread.infrastructure.store.answers import open_answers
    from overread.studies.application.synthesis.injected.by_model import load_injection_prompt
    from overread.studies.application.synthesis.injected.injection import Asked

    wording = load_injection_prompt(None if prompt is None else str(prompt))
    model = open_component(settings, "model", watch=watch)
    answers = None if settings.answers is None else open_answers(settings.answers)
    return Asked(Inquiry(model, answers, repairs), wording)
