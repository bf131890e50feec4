"""The command that trains a judge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overread.cli.grammar import Panel, if_stopped, kept_checkpoints
from overread.cli.progressing import TrainingClock
from overread.exceptions import ConfigurationError
from overread.infrastructure.files.whole_files import keep_inputs

if TYPE_CHECKING:
    from overread.adapters.llm.judge_training.fitted import FittedJudge, Likelihood
    from overread.application.statistics import Estimate

__all__ = ["fit_judge"]


def fit_judge(
    *,
    pairs: Annotated[
        Path, typer.Option(metavar="FILE", help="Pairs with id, study, reference, candidate, spans and explanation.")
    ],
    base: Annotated[str, typer.Option(metavar="FOLDER", help="Folder of a causal language model with its tokenizer.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            rich_help_panel=Panel.OUTPUT,
            help="Folder of the adapter and its checkpoints.",
        ),
    ],
    two_pass: Annotated[bool, typer.Option("--two-pass", help="First list the differences, then judge each.")] = False,
    recipe: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML file with options, in place of the defaults.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Option, repeatable: stages=sft, sft_epochs=2, lora_rank=32, lora=false ...",
        ),
    ] = None,
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="More pairs for the trained judge to judge, repeatable.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="How the pairs were made; kept in the judge's card.")] = "",
) -> None:
    """Train a judge on pairs whose differences are known.

    Fine-tunes a LoRA adapter on the true answers, then on true answers against ones with the severity flipped; a tenth
    of the studies is held out. --set lora=false trains all weights instead. The same command given again goes
    on with a run that was stopped. Nothing leaves the machine.
    """
    from overread.adapters.llm.judge_training.fit import fit_judge as fit
    from overread.adapters.llm.judge_training.options import read_recipe
    from overread.studies.infrastructure.datasets.training_pairs.judged import read_judged_pairs

    for source in (pairs, recipe, *(test or [])):
        keep_inputs(output, source)
    names = [path.stem for path in test or []]
    if len(set(names)) < len(names):
        raise ConfigurationError(["two test files have the same name; rename one, since figures are listed by name"])
    settings = read_recipe(recipe, [*(set_ or []), *(["two_pass=true"] if two_pass else [])])
    judged = read_judged_pairs(pairs)
    tests = {path.stem: read_judged_pairs(path) for path in test or []}
    with if_stopped(lambda: kept_checkpoints(output)):
        fitted = fit(judged, base, output, settings, tests=tests, note=note, told=_StageTeller())
    for line in _figures(fitted):
        typer.echo(line)
    if fitted.too_long:
        typer.echo(f"left out {fitted.too_long:,} lessons that are too long; max_tokens is the limit", err=True)
    what = "adapter" if settings.lora else "model"
    typer.echo(
        f"the {what} and its card are in {output}; use it with {settings.usage(base, str(fitted.adapter))}", err=True
    )


class _StageTeller:
    """Tells how far each stage of a training is, and how long it goes on."""

    def __init__(self) -> None:
        self._clock = TrainingClock()

    def __call__(self, stage: str, epoch: float, epochs: float, loss: float) -> None:
        left = self._clock.left(epoch / epochs)
        typer.echo(f"{stage}: epoch {epoch:.2f} of {epochs:g}: loss {loss:.3f}{left}", err=True)


def _figures(fitted: FittedJudge) -> Iterator[str]:
    yield f"{fitted.pairs['training']:,} pairs trained on, {fitted.pairs['validation']:,} held out"
    yield f"before: {_words(fitted.stages[0].before)}"
    for record in fitted.stages:
        yield f"after {record.stage}: {_words(record.after)}"
    for name, tried in fitted.evaluations.items():
        shares = f"D {_share(tried.discrimination)}, R {_share(tried.robustness)}"
        yield f"{name}: {shares}; {tried.unscored:,} of {tried.pairs:,} pairs without a judgement count as wrong"


def _words(found: Likelihood) -> str:
    if math.isnan(found.preferred):
        return f"loss {found.loss:.3f}"
    return f"loss {found.loss:.3f}, true answer likelier in {100 * found.preferred:.1f} % of {found.pairs:,}"


def _share(figure: Estimate) -> str:
    from overread.infrastructure.views.table_words import format_bracketed

    return format_bracketed(figure, scale=100, digits=1, unit=" %")
