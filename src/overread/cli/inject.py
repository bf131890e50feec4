"""`overread inject`: labelled pairs from a user's own reports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from overread.cli.support import Answers, Config, Set, keep_inputs, progress, read_settings, watch_model
from overread.exceptions import ConfigurationError, InputError

if TYPE_CHECKING:
    from overread.application.ports import TextEncoder, UnitExtractor
    from overread.application.synthesis.injected import Heuristic, Material, Synthesis
    from overread.infrastructure.files.records import Record
    from overread.infrastructure.settings import Settings

__all__ = ["inject"]

_TEXTS: Final = ("report", "reference")
_SUBSETS: Final = 2


class Method(StrEnum):
    """Who makes the change."""

    RULES = "rules"
    MODEL = "model"


def inject(
    reports: Annotated[Path, typer.Argument(help="CSV, TSV, JSONL or Parquet with id and report (or reference).")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="JSONL file to write.")],
    per_category: Annotated[
        int, typer.Option(min=1, help="Pairs that matter, and pairs that do not, of each of the twenty categories.")
    ] = 100,
    by: Annotated[Method, typer.Option(help="rules, or the language model of --set model=...")] = Method.RULES,
    heuristic: Annotated[
        list[str] | None,
        typer.Option(help="Also random, sentences, nearest or permutation, repeatable; goes to a file beside."),
    ] = None,
    heuristic_pairs: Annotated[int, typer.Option(min=1, help="Pairs of each heuristic.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed writes the same file.")] = 7,
    datasheet: Annotated[
        Path | None, typer.Option(help="Markdown to write; by default beside the output.", show_default=False)
    ] = None,
    prompt: Annotated[Path | None, typer.Option(help="Prompt for --by model, instead of overread's.")] = None,
    repairs: Annotated[int, typer.Option(min=0, help="How often a model's unsound edit is sent back.")] = 1,
    answers: Answers = None,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Put known errors into your own reports.

    Each pair is a report and a copy with one difference, which matters or does not, with its span, aspect, type and
    severity: for fit judge, fit readout and for trying metrics. A datasheet counts what is there and what was left out.
    """
    from overread.application.synthesis.injected import Heuristic, Material, by_heuristics
    from overread.application.synthesis.injected import datasheet as sheet_of

    sheet = datasheet or output.with_suffix(".md")
    beside = output.with_name(f"{output.stem}-heuristics.jsonl")
    heuristics = _heuristics(heuristic or [], Heuristic)
    for path in (output, sheet, beside) if heuristics else (output, sheet):
        _check_output(path, reports)
    settings = read_settings(config, set_, answers=answers)
    extractor, material = _material(settings, _reports(reports), Material)
    made = _made(
        settings, extractor, material, by, per_category=per_category, seed=seed, prompt=prompt, repairs=repairs
    )
    _write_lines(output, (pair.as_row() for pair in made.pairs))
    counts: Counter[str] = Counter()
    if heuristics:
        found = list(
            by_heuristics(
                material, heuristics, heuristic_pairs, seed=seed, extractor=extractor, encoder=_encoder(settings)
            )
        )
        _write_lines(beside, (pair.as_row() for pair in found))
        counts.update(pair.heuristic.value for pair in found)
    _write(sheet, sheet_of(made, counts, source=reports.name) + "\n")
    _tell(made, counts, output, beside, sheet)


def _heuristics(names: Iterable[str], known: type[Heuristic]) -> list[Heuristic]:
    names = list(dict.fromkeys(names))
    if unknown := [name for name in names if name not in list(known)]:
        raise ConfigurationError([f"no heuristic {name!r}; known are {', '.join(known)}" for name in unknown])
    return [known(name) for name in names]


def _check_output(path: Path, source: Path) -> None:
    keep_inputs(path, source)
    if not path.parent.is_dir():
        raise InputError(str(path), f"the folder {path.parent} does not exist", remedy="make it first")


def _reports(path: Path) -> list[tuple[str, str]]:
    """Id and text of every report; of a file of pairs every study's reference, once."""
    from overread.infrastructure.files.cells import RowError
    from overread.infrastructure.files.records import read_records

    found: dict[str, str] = {}
    for record in read_records(path, ("id",), ("study", *_TEXTS)):
        try:
            name, text = _report(record)
        except RowError as error:
            raise InputError(str(path), record.problem or str(error), row=record.row) from None
        if found.setdefault(name, text) != text:
            raise InputError(str(path), f"{name!r} has another report in an earlier row", row=record.row)
    if not found:
        raise InputError(str(path), "holds no reports")
    return list(found.items())


def _report(record: Record) -> tuple[str, str]:
    """Id, or study where there is one, and text of a row. Raises `RowError`."""
    from overread.infrastructure.files.cells import RowError, identifier, report_text

    column = next((name for name in _TEXTS if name in record.fields), None)
    if column is None or record.problem:
        raise RowError(record.problem or f"no column {' or '.join(_TEXTS)}")
    name = identifier(record.fields.get("study") or record.fields.get("id"))
    return name, report_text(record.fields[column], column)


def _material(
    settings: Settings, reports: list[tuple[str, str]], material: type[Material]
) -> tuple[UnitExtractor, Material]:
    from overread.adapters.lexicon import knowledge_of
    from overread.bootstrap import open_component

    extractor: UnitExtractor = open_component(settings, "extractor")
    lexicon = knowledge_of(extractor).lexicon
    return extractor, material.read(reports, extractor, lexicon)


def _made(
    settings: Settings,
    extractor: UnitExtractor,
    material: Material,
    by: Method,
    *,
    per_category: int,
    seed: int,
    prompt: Path | None,
    repairs: int,
) -> Synthesis:
    from overread.application.synthesis.injected import CATEGORIES, by_model, by_rules, load_injection_prompt

    if by is Method.RULES:
        with progress(per_category * len(CATEGORIES) * _SUBSETS, "injecting", "pairs") as advance:
            return by_rules(material, extractor, per_category=per_category, seed=seed, on_progress=advance)
    from overread.application.asking.inquiry import Inquiry

    wording = load_injection_prompt(None if prompt is None else str(prompt))
    model, answers = _asked(settings)
    return by_model(material, Inquiry(model, answers, repairs), wording, per_category=per_category, seed=seed)


def _asked(settings: Settings) -> tuple[Any, Any]:
    """The language model, and where its answers are kept if the settings name a file."""
    from overread.bootstrap import open_component
    from overread.infrastructure.store.answers import open_answers

    model = open_component(settings, "model", watch=watch_model())
    return model, None if settings.answers is None else open_answers(settings.answers)


def _encoder(settings: Settings) -> Callable[[], TextEncoder]:
    def encoder() -> TextEncoder:
        from overread.bootstrap import open_component

        made: TextEncoder = open_component(settings, "encoder")
        return made

    return encoder


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    _write(path, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))


def _write(path: Path, text: str) -> None:
    """A file that is there whole or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from error


def _tell(made: Synthesis, heuristics: Mapping[str, int], output: Path, beside: Path, sheet: Path) -> None:
    significant = sum(pair.severity.counts_as_significant for pair in made.pairs)
    typer.echo(
        f"{len(made.pairs):,} pairs, {significant:,} of them significant, of {made.reports:,} reports -> {output}",
        err=True,
    )
    if heuristics:
        listed = ", ".join(f"{name} {count:,}" for name, count in heuristics.items())
        typer.echo(f"by heuristics: {listed} -> {beside}", err=True)
    typer.echo(f"datasheet -> {sheet}", err=True)
