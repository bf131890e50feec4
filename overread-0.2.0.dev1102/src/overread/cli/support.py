"""Helpers of the commands: settings, progress, and output that reads well on a terminal, in a pipe and in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overread.cli.grammar import Panel

if TYPE_CHECKING:
    from overread.application.asking.planning import RunPlan
    from overread.application.asking.tally import AnswerTally
    from overread.application.asking.watching import ModelWatch
    from overread.application.ports import LanguageModel
    from overread.application.scoring.run import Run
    from overread.infrastructure.files.tables import Columns
    from overread.infrastructure.settings import Settings

__all__ = [
    "Answers",
    "Config",
    "Metrics",
    "Set",
    "Store",
    "plugins_print_aside",
    "read_settings",
    "tell_answers",
    "tell_missing",
    "tell_numbered",
    "tell_plan",
    "watch_model",
]

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        help="Setting, repeatable: aligner=partial, aligner.epsilon=0.1, ...",
        rich_help_panel=Panel.SETTINGS,
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", metavar="NAME", help="Metric to use, repeatable; `overread plugins` lists them."),
]
Store = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="SQLite file that keeps results; pairs that it holds are not scored again.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
Answers = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="SQLite file that keeps a language model's answers; what it holds is not asked again.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
Config = Annotated[
    Path | None, typer.Option(metavar="FILE", help="TOML file with settings.", rich_help_panel=Panel.SETTINGS)
]


def read_settings(
    config: Path | None,
    overrides: list[str] | None,
    *,
    metrics: list[str] | None = None,
    store: Path | None = None,
    answers: Path | None = None,
) -> Settings:
    """Settings from the file, the environment and the command line, whose own options win; logging follows them."""
    from attrs import evolve

    from overread.infrastructure.logs import configure
    from overread.infrastructure.settings import load_settings

    settings = load_settings(config, overrides or [])
    configure(settings.log_level)
    return evolve(
        settings,
        metrics=tuple(dict.fromkeys(metrics or settings.metrics)),
        store=store or settings.store,
        answers=answers or settings.answers,
    )


@contextmanager
def plugins_print_aside() -> Iterator[None]:
    """While plugins work, what they print goes to standard error: it belongs to no result."""
    with redirect_stdout(sys.stderr):
        yield


def watch_model() -> ModelWatch:
    """A watch that tells where report text goes, on standard error, right before it is first sent to a server."""
    from overread.application.asking.watching import ModelWatch

    return ModelWatch(on_start=_tell_destination)


def _tell_destination(model: LanguageModel) -> None:
    from overread.application.traits import ModelTraits, traits_of

    if destination := traits_of(model, ModelTraits).destination:
        sys.stderr.write(f"report text goes to {destination}\n")  # which a progress bar redirects, to stay whole


def tell_answers(tally: AnswerTally, path: Path | None) -> None:
    """Says on standard error how many answers came now and were kept before, with tokens and where they are kept."""
    tokens = f"; {tally.prompt_tokens:,} prompt and {tally.completion_tokens:,} answer tokens" if tally.asked else ""
    untold = f" ({tally.untold:,} answers do not report theirs)" if tally.untold else ""
    where = f" -> {path}" if tally.store is not None else ""
    typer.echo(f"answers: {tally.asked:,} asked now, {tally.kept:,} kept before{tokens}{untold}{where}", err=True)


def tell_missing(run: Run, missing: int, answers: Path, pairs: Iterable[object]) -> None:
    """Says on standard error what a file keeps and what was looked for in it, if answers were missing.

    Args:
        run: that read kept answers alone.
        missing: number of outcomes that lack an answer.
        answers: the file of kept answers.
        pairs: of the run; the first usable one tells which prompts it asks.
    """
    from overread.domain.reports.report import ReportPair
    from overread.infrastructure.store.answers import kept_prompts

    if not missing or run.model is None:
        return
    pair = next((pair for pair in pairs if isinstance(pair, ReportPair)), None)
    wanted = run.prompts(pair) if pair is not None else ()
    answered, model = kept_prompts(answers), run.model.identity
    for item in answered:
        typer.echo(f"{answers} keeps {item.answers:,} answers to {item.prompt} of {item.model}", err=True)
    here = {item.prompt for item in answered if item.model == model}
    for prompt in wanted:
        if prompt in here:
            words = (
                f"this run looks for {prompt} of {model} too: what is missing was asked about other reports, "
                "with other limits, or in a later question"
            )
        else:
            words = f"and none to {prompt} of {model}, which this run looks for"
        typer.echo(words, err=True)


def tell_numbered(path: Path, columns: Columns | None = None, split: str = "") -> None:
    """Says on standard error if the pairs of a file have no ids of their own."""
    from overread.infrastructure.files.tables import has_ids

    if not has_ids(path, columns=columns, split=split):
        typer.echo(f"{path} has no column id: the numbers of its rows, from 1, are the ids", err=True)


def tell_plan(plan: RunPlan, model: LanguageModel | None) -> None:
    """Prints what would be asked first, where it would be sent, and what that may cost if the model has prices."""
    from overread.application.traits import ModelTraits, traits_of

    lines = {
        "requests": f"{plan.requests:,}",
        "kept": f"{plan.kept:,} that were answered before and are not asked again",
        "repeated": f"{plan.repeated:,} that are the same as another and are asked once",
        "prompt tokens": f"about {plan.prompt_tokens:,}",
        "answer tokens": f"{plan.answer_tokens:,} at most",
    }
    served = traits_of(model, ModelTraits)
    if served.destination:
        lines["sent to"] = served.destination
    if served.price_in is not None and served.price_out is not None:
        cost = (plan.prompt_tokens * served.price_in + plan.answer_tokens * served.price_out) / 1e6
        digits = 2 if cost >= 1 else 4
        lines["cost"] = f"{cost:,.{digits}f} at most for these requests alone, in the currency of the prices"
    for name, words in lines.items():
        typer.echo(f"{name:<15}{words}")
    typer.echo(
        "These are first requests; those for repair and second passes, which depend on the answers, come on top."
    )
