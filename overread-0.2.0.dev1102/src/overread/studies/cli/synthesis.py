"""`overread synthesise` and `overread inject`: pairs with known errors, invented or of a user's own reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from overread.cli.grammar import Panel, if_stopped, kept_answers
from overread.cli.output import say_written
from overread.cli.progressing import progress
from overread.cli.support import Answers, Config, Set, read_settings, watch_model
from overread.exceptions import ConfigurationError

if TYPE_CHECKING:
    from overread.studies.application.synthesis.credible.pairs import JudgePairs
    from overread.studies.application.synthesis.injected.injection import Injection
    from overread.studies.application.synthesis.invented import SyntheticPairs

__all__ = ["inject", "synthesise"]


_JUDGE: Final = "judge"
_ANY_STYLE: Final = "mixed"


class Method(StrEnum):
    """Maker of the change."""

    RULES = "rules"
    MODEL = "model"


def synthesise(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="JSON lines to write.", rich_help_panel=Panel.OUTPUT)
    ],
    studies: Annotated[
        int, typer.Option(min=1, metavar="N", help="Reference reports; each gets four candidates.")
    ] = 400,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed writes the same file.")] = 7,
    style: Annotated[
        str, typer.Option(metavar="STYLE", help="Layout: prose, telegraphic, headed, bullets, lower, upper, or mixed.")
    ] = "mixed",
    purpose: Annotated[
        str,
        typer.Option(
            metavar="PURPOSE",
            help="What to fit: readout; counts, contrast or reworded, for an error counter; judge.",
        ),
    ] = "readout",
) -> None:
    """Write invented pairs with known errors.

    For fitting a readout, an error counter or a judge, and for trying things out. `synthesize` does the same.
    """
    from overread.infrastructure.files.whole_files import check_lines_place, write_rows
    from overread.infrastructure.views.wording import format_count
    from overread.studies.bootstrap.synthesis import judge_pairs, synthetic_pairs

    check_lines_place(output)
    if purpose == _JUDGE and style != _ANY_STYLE:
        raise ConfigurationError(
            [f"reports for a judge have the layouts of their examinations; leave out the style {style!r}"]
        )
    made: SyntheticPairs | JudgePairs
    if purpose == _JUDGE:
        made = judge_pairs(seed=seed, studies=studies)
    else:
        made = synthetic_pairs(seed=seed, studies=studies, style=style, purpose=purpose)
    with progress(len(made), "writing", "pairs") as advance:
        write_rows(output, _with_progress((pair.as_row() for pair in made), advance))
    say_written(output, f"{format_count(len(made), 'pair')} of {format_count(studies, 'study', 'studies')}")


def _with_progress(rows: Iterable[Mapping[str, Any]], advance: Callable[[int], None]) -> Iterator[Mapping[str, Any]]:
    for done, row in enumerate(rows, start=1):
        yield row
        advance(done)


def inject(
    reports: Annotated[
        Path, typer.Argument(metavar="REPORTS", help="CSV, TSV, JSONL or Parquet with id and report (or reference).")
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="JSON lines to write.", rich_help_panel=Panel.OUTPUT)
    ],
    per_category: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Pairs that matter, and as many that do not, in each of the twenty categories."
        ),
    ] = 100,
    by: Annotated[
        Method, typer.Option(metavar="METHOD", help="rules, or model: the language model of --set model=...")
    ] = Method.RULES,
    heuristic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=(
                "Heuristic to add, repeatable: random, sentences, nearest or permutation; its pairs go to a file "
                "of their own."
            ),
        ),
    ] = None,
    heuristic_pairs: Annotated[int, typer.Option(min=1, metavar="N", help="Pairs of each heuristic.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed writes the same file.")] = 7,
    datasheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Markdown file to write; by default beside the output.", show_default=False),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Prompt for --by model, instead of overread's.")
    ] = None,
    repairs: Annotated[
        int, typer.Option(min=0, metavar="N", help="How often a model's unsound edit is sent back.")
    ] = 1,
    answers: Answers = None,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Put known errors into your own reports.

    Each pair is a report and a copy with one difference, which matters or does not, with its span, aspect, type and
    severity: for fit judge, fit readout and for trying metrics. A datasheet counts what is there and what was left out.
    """
    from overread.infrastructure.files.whole_files import check_lines_place
    from overread.studies.application.synthesis.injected.injection import PAIRS_A_CATEGORY
    from overread.studies.bootstrap.synthesis import heuristics_beside
    from overread.studies.bootstrap.synthesis import inject as make

    check_lines_place(output)
    sheet = datasheet or output.with_suffix(".md")
    by_rules = by is Method.RULES
    watch = watch_model()
    total = per_category * PAIRS_A_CATEGORY if by_rules else None
    settings = read_settings(config, set_, answers=answers)
    stopped = if_stopped(lambda: kept_answers(settings.answers))
    with stopped, progress(total, "injecting", "pairs", watch) as advance:
        injection = make(
            reports,
            output,
            datasheet=sheet,
            by_model=not by_rules,
            prompt=prompt,
            repairs=repairs,
            per_category=per_category,
            heuristics=heuristic or (),
            heuristic_pairs=heuristic_pairs,
            seed=seed,
            settings=settings,
            watch=watch,
            on_progress=advance,
        )
    _tell(injection, output, heuristics_beside(output), sheet)


def _tell(injection: Injection, output: Path, beside: Path, sheet: Path) -> None:
    made = injection.made
    significant = sum(pair.severity.counts_as_significant for pair in made.pairs)
    counted = f"{len(made.pairs):,} pairs, {significant:,} of them significant"
    say_written(output, f"{counted}, of {len(made.material.readings):,} reports")
    if injection.by_heuristics:
        listed = ", ".join(f"{name} {count:,}" for name, count in injection.heuristics.items())
        say_written(beside, f"by heuristics: {listed}")
    say_written(sheet, "datasheet")
