"""Commands that fit components to labelled pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from overread.cli.grammar import Commands, Panel, if_stopped, kept_checkpoints
from overread.cli.output import print_view
from overread.cli.progressing import TrainingClock, progress, tell_training
from overread.cli.support import Config, Set, read_settings
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.whole_files import check_place, keep_inputs, write_whole

__all__ = ["fit_app"]


class Measure(StrEnum):
    """Correlations that a fit can maximise."""

    KENDALL = "kendall"
    PEARSON = "pearson"
    SPEARMAN = "spearman"


fit_app = Commands(help="Fit a component to labelled pairs.")

_ModelFolder = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Folder of the model and its checkpoints.",
        rich_help_panel=Panel.OUTPUT,
    ),
]


@fit_app.command("readout")
def fit_readout(
    *,
    pairs: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="Table with id, study, reference, candidate, total, significant, insignificant."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Coefficients to write, for --set readout=KIND:FILE.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ],
    kind: Annotated[str, typer.Option(metavar="KIND", help="relaxed, debiased or paper.")] = "relaxed",
    set_: Set = None,
    grid: Annotated[bool, typer.Option(help="Search all priors and epsilons, or use only the default.")] = True,
    cost: Annotated[
        str | None,
        typer.Option(metavar="COST", help="relation or table-ii; by default that of the kind.", show_default=False),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name in the readout's identity; the file's by default.")
    ] = None,
    note: Annotated[
        str, typer.Option(metavar="TEXT", help="How the pairs were made; kept with the coefficients.")
    ] = "",
    test: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Pairs of other studies to try the fitted readout on.")
    ] = None,
) -> None:
    """Refit the readout to labelled pairs.

    Searches a grid of priors and epsilons in five folds by study, and chooses by the macro held-out Spearman.
    """
    from overread.bootstrap.training import fit_readout as fit
    from overread.domain.results.readout import TARGETS
    from overread.infrastructure.views.terminal import show_selection, show_transfer
    from overread.studies.infrastructure.datasets.training_pairs.annotated import read_counted

    _check_output(output, pairs, test)
    settings = read_settings(None, set_)
    labelled = read_counted(pairs, TARGETS)
    with progress(None, "fitting") as advance:
        fitted = fit(
            settings,
            labelled,
            kind=kind,
            grid=grid,
            cost=cost,
            name=name or pairs.stem,
            note=note,
            test=() if test is None else read_counted(test, TARGETS),
            on_progress=advance,
        )
    report = fitted.report
    write_whole(output, json.dumps(fitted.record, indent=1, allow_nan=False) + "\n")
    print_view(lambda console: show_selection(console, report.selection.table))
    if report.transfer:
        print_view(lambda console: show_transfer(console, report.transfer))
    _tell_skipped(report.skipped)
    chosen = report.selection.selected_row
    typer.echo(
        f"fitted on {report.pairs} pairs of {report.studies} studies; use it with "
        f"--set readout={kind}:{output}, which brings its costs ({fitted.record['aligner']['cost']}) and "
        f"balanced plans ({chosen.prior}, epsilon {chosen.epsilon:g})",
        err=True,
    )


@fit_app.command("ratescore")
def fit_ratescore(
    *,
    pairs: Annotated[
        Path, typer.Option(metavar="FILE", help="Table with id, reference, candidate, a rating and, preferably, study.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="JSON file to write, for --set ratescore.table=FILE.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ],
    rating_column: Annotated[str, typer.Option(metavar="NAME", help="Column with the rating.")] = "rating",
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="A lower rating is better, as in a count of errors.")
    ] = False,
    trials: Annotated[int, typer.Option(min=1, metavar="N", help="Tables to try.")] = 500,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the split and of the search.")] = 7,
    measure: Annotated[
        Measure, typer.Option(metavar="MEASURE", help="Correlation to maximise: kendall, pearson or spearman.")
    ] = Measure.KENDALL,
    set_: Set = None,
    config: Config = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name in the table's identity; the file's by default.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="How the ratings were made; kept with the table.")] = "",
) -> None:
    """Learn RaTEScore's weights from rated pairs.

    Searches W and p on four fifths of the studies, and tries the result on the rest.
    """
    from overread.adapters.metrics.ratescore.tables import learned_record
    from overread.infrastructure.views.terminal import show_agreement
    from overread.studies.bootstrap.fits import open_ratescore_fit
    from overread.studies.infrastructure.datasets.training_pairs.annotated import read_rated

    _check_output(output, pairs)
    if output.suffix.lower() != ".json":
        raise InputError(str(output), "must end in .json", remedy="the table is read by its suffix")
    settings = read_settings(config, set_)
    rated = read_rated(pairs, rating=rating_column)
    with progress(trials, "fitting") as advance:
        fit = open_ratescore_fit(settings)
        report = fit(
            rated,
            name=name or pairs.stem,
            correlation=measure.value,
            lower_is_better=lower_is_better,
            trials=trials,
            seed=seed,
            on_progress=lambda done, _total: advance(done),
        )
    record = learned_record(report, fit.reader, note=note, lower_is_better=lower_is_better)
    write_whole(output, json.dumps(record, indent=1, allow_nan=False) + "\n")
    print_view(lambda console: show_agreement(console, report))
    _tell_skipped(report.skipped)
    parts = f"{report.train_pairs} pairs and tried on {report.held_out_pairs}"
    same = " and the same --set options" if set_ else ""
    if max(report.fitted.train[report.correlation], report.start.train[report.correlation]) <= 0:
        turned = "without" if lower_is_better else "with"
        typer.echo(f"overread: scores run against these ratings; were they meant {turned} --lower-is-better?", err=True)
    typer.echo(f"fitted on {parts}; use it with --set ratescore.table={output}{same}", err=True)


@fit_app.command("reader")
def fit_reader(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write.", rich_help_panel=Panel.OUTPUT)
    ],
    gold: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Marked pairs in the gold corpus's form, repeatable; by default those that come with overread.",
        ),
    ] = None,
    retold: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Retold studies, repeatable; by default those that come with overread."),
    ] = None,
    contrast: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Contrast sets, repeatable; by default those that come with overread."),
    ] = None,
    edits: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Finals with edits, repeatable; by default those that come with overread."),
    ] = None,
    facts: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="References with facts, repeatable; by default those that come with overread."
        ),
    ] = None,
    begin: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Reader to begin with; by default the one that comes with overread.",
            show_default=False,
        ),
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Option, repeatable: steps=2000, dropout=0.15, held_out=0.1 ..."),
    ] = None,
    set_: Set = None,
    config: Config = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name in the reader's identity; the folder's by default.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="How the pairs were made; kept in the reader's card.")] = "",
) -> None:
    """Train a second reader to tell which discrepancies hold, and which sentences are wrong.

    Learns from marked pairs where their errors are, of what kind, and how much they weigh. Begins with the reader that
    comes with overread (or with MiniLM, given --train anew=true), and writes nothing if the result is no better.
    """
    from overread.adapters.bert.second_reader.fit import fit_second_reader as fit
    from overread.adapters.bert.second_reader.fit import read_training_options
    from overread.bootstrap.training import read_marked_pairs
    from overread.studies.infrastructure.datasets.training_pairs.contrasts import CONTRAST, read_contrasts
    from overread.studies.infrastructure.datasets.training_pairs.edits import EDITS, read_edits
    from overread.studies.infrastructure.datasets.training_pairs.facts import FACTS, read_facts
    from overread.studies.infrastructure.datasets.training_pairs.marked import (
        LABELLED,
        RETOLD,
        read_marked_gold,
        read_retold,
    )

    options = read_training_options(train or [])
    if (output / "config.json").exists():
        raise InputError(str(output), "holds a reader already", remedy="name another folder or remove it")
    marked = [pair for path in gold or LABELLED for pair in read_marked_gold(path)]
    marked += [pair for path in retold or [RETOLD] for pair in read_retold(path)]
    marked += [pair for path in contrast or [CONTRAST] for pair in read_contrasts(path)]
    marked += [pair for path in edits or [EDITS] for pair in read_edits(path)]
    marked += [pair for path in facts or [FACTS] for pair in read_facts(path)]
    with progress(len(marked), "reading"):
        judged = read_marked_pairs(read_settings(config, set_), marked)
    with progress(what="training"):
        trained = fit(judged, output, options, name=name or output.name, note=note, begin=begin, on_step=tell_training)
    figures, before = trained.figures, trained.before
    kept_apart = (
        f"AUC {figures.discrepancies.auc:.3f} of discrepancies and {figures.sentences.auc:.3f} of sentences of studies "
        "kept apart" + (f" (before {before.discrepancies.auc:.3f} and {before.sentences.auc:.3f})" if before else "")
    )
    tried = kept_apart if figures.sentences.count else "tried on none"
    typer.echo(
        f"learned from {trained.pairs} pairs; {tried}; use it with --set second_reader=comparing:{output}", err=True
    )


@fit_app.command("panel")
def fit_panel(
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="JSON file to write, for --set panel.table=FILE.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ],
    members: Annotated[
        str, typer.Option("--metric", "-m", metavar="NAMES", help="Metrics of the panel, separated by commas.")
    ] = ("radot,ratescore,crepe"),
    pairs: Annotated[
        Path, typer.Option(metavar="FILE", help="Table with id, reference, candidate and a rating, 1 to 5.")
    ],
    rating_column: Annotated[str, typer.Option(metavar="NAME", help="Column with the rating.")] = "rating",
    set_: Set = None,
    config: Config = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name in the panel's signature; the file's by default.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="How the ratings were made; kept with the table.")] = "",
) -> None:
    """Fit a panel, which reads several metrics as one rating.

    Each metric's scores are turned into ratings, and the metrics weighted so that their mean is closest to people's.
    """
    from overread.adapters.metrics.panel.tables import panel_record
    from overread.studies.bootstrap.fits import fit_panel as fit
    from overread.studies.infrastructure.datasets.training_pairs.annotated import read_rated

    _check_output(output, pairs)
    rated = read_rated(pairs, rating=rating_column)
    settings = read_settings(config, [*(set_ or []), f"metrics={members}"])
    with progress(len(rated), "scoring") as advance:
        table = fit(settings, rated, name=name or output.stem, note=note, on_progress=advance)
    write_whole(output, json.dumps(panel_record(table), indent=1, allow_nan=False) + "\n")
    shares = ", ".join(f"{metric} {member.weight:.2f}" for metric, member in table.members.items())
    typer.echo(f"fitted on {len(rated)} pairs: {shares}; use it with --set panel.table={output}", err=True)


@fit_app.command("backbone")
def fit_backbone(
    *,
    pairs: Annotated[
        Path, typer.Option(metavar="FILE", help="Table with id, reference, candidate: its reports give the vocabulary.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write.", rich_help_panel=Panel.OUTPUT)
    ],
    layers: Annotated[int, typer.Option(min=1, metavar="N", help="Layers of the encoder.")] = 3,
    hidden: Annotated[int, typer.Option(min=32, metavar="N", help="Width, a multiple of 32.")] = 192,
    vocabulary: Annotated[int, typer.Option(min=100, metavar="N", help="Largest number of word pieces.")] = 8000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the weights.")] = 7,
) -> None:
    """Make a small untrained BERT to fit crepe on.

    For when no pre-trained BERT is at hand, or it would be too large.
    """
    from overread.adapters.bert.crepe.fit import BackboneSize, write_backbone
    from overread.infrastructure.files.tables import Columns, read_pairs

    if hidden % 32:
        raise ConfigurationError(["--hidden must be a multiple of 32"])
    if (output / "config.json").exists():
        raise InputError(str(output), "holds a model already", remedy="name another folder or remove it")
    rows = (row for row in read_pairs(pairs, columns=Columns(), on_error="fail") if isinstance(row, ReportPair))
    texts = (report.text for row in rows for report in (row.reference, row.candidate))
    size = BackboneSize(layers=layers, hidden=hidden, vocabulary=vocabulary)
    pieces = write_backbone(texts, output, size, seed=seed)
    deep = f"{layers} layer{'s' if layers > 1 else ''}"
    typer.echo(f"an untrained BERT of {deep}, {hidden} wide, {pieces} word pieces in {output}", err=True)


@fit_app.command("crepe")
def fit_crepe(
    *,
    pairs: Annotated[
        Path, typer.Option(metavar="FILE", help="Table with id, study, reference, candidate and the counts A to F.")
    ],
    backbone: Annotated[str, typer.Option(metavar="FOLDER", help="Folder or hub id of a BERT with its tokenizer.")],
    output: _ModelFolder,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Option, repeatable: learning_rate=1e-4, heads=1, loss=poisson ...",
        ),
    ] = None,
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="More pairs to try the model on, repeatable.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="How the pairs were made; kept in the model's card.")] = "",
) -> None:
    """Train a CREPE model on pairs with known errors.

    Ten epochs in batches of 64 pairs, a tenth of the studies held out, stopped early by Kendall's tau. The same command
    given again goes on with a run that was stopped. The columns total, or significant and insignificant, are for models
    with one or two heads.
    """
    from overread.adapters.bert.crepe.fit import fit_crepe as fit
    from overread.adapters.bert.crepe.fit import read_options
    from overread.domain.results.error_counts import HEAD_NAMES
    from overread.infrastructure.views.terminal import show_counting
    from overread.studies.infrastructure.datasets.training_pairs.annotated import read_counted

    options = read_options(backbone, set_ or [])
    heads = HEAD_NAMES[options.heads]
    counted = read_counted(pairs, heads)
    tests = {path.stem: read_counted(path, heads) for path in test or []}
    with if_stopped(lambda: kept_checkpoints(output)):
        fitted = fit(
            counted, output, options, tests=tests, note=note, told=_EpochTeller(), resuming=_resumption_teller(output)
        )
    print_view(lambda console: show_counting(console, fitted.reports))
    typer.echo(f"the model and its card are in {output}; use it with --set error_counter=bert:{output}", err=True)


@fit_app.command("recognizer")
def fit_recognizer(
    *,
    texts: Annotated[
        Path,
        typer.Option(metavar="FILE", help="JSON lines of texts with their entities, in one of the documented layouts."),
    ],
    backbone: Annotated[str, typer.Option(metavar="FOLDER", help="Folder or hub id of an encoder with its tokenizer.")],
    output: _ModelFolder,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Option, repeatable: head=span, learning_rate=1e-5, epochs=10 ...",
        ),
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Texts to choose the epoch by; by default a tenth of the studies."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Train only on texts of this source, repeatable."),
    ] = None,
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="More texts to try the model on, repeatable.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="How the texts were made; kept in the model's card.")] = "",
) -> None:
    """Train the entity recogniser of ratescore.

    A label for each token or a type for each span of words, over any BERT-like encoder: ten epochs in batches of 96
    sentences, stopped early by the F1 of what is held out. The same command given again goes on with a run that was
    stopped.
    """
    from overread.adapters.bert.recognizer_training.fit import fit_recognizer as fit
    from overread.adapters.bert.recognizer_training.fit import read_options
    from overread.infrastructure.views.terminal import show_recognition
    from overread.studies.infrastructure.datasets.training_pairs.entities import read_entities

    options = read_options(backbone, set_ or [])
    read = partial(read_entities, told=lambda words: typer.echo(f"overread: {words}", err=True))
    marked = read(texts)
    with if_stopped(lambda: kept_checkpoints(output)):
        fitted = fit(
            marked,
            output,
            options,
            held_out=() if held_out is None else read(held_out),
            sources=source or (),
            tests={path.stem: read(path) for path in test or []},
            note=note,
            told=_EpochTeller(),
            resuming=_resumption_teller(output),
        )
    print_view(lambda console: show_recognition(console, fitted.reports))
    typer.echo(f"the model and its card are in {output}; use it with --set recognizer=bert:{output}", err=True)


def _resumption_teller(output: Path) -> Callable[[], None]:
    return lambda: typer.echo(f"going on from the last checkpoint in {output}", err=True)


_FIGURES: Final = {"tau": "tau", "mae": "MAE", "f1": "F1", "precision": "precision", "recall": "recall"}


class _EpochTeller:
    """Tells how each evaluation of a training came out, and how long it may go on; it may stop earlier by itself."""

    def __init__(self) -> None:
        self._clock = TrainingClock()

    def __call__(self, figures: Mapping[str, float]) -> None:
        epoch, epochs = figures["epoch"], figures["epochs"]
        left = self._clock.left(epoch / epochs)
        words = ", ".join(f"{label} {figures[name]:.3f}" for name, label in _FIGURES.items() if name in figures)
        typer.echo(f"epoch {epoch:.2f} of {epochs:g}: {words}{left}", err=True)


def _check_output(output: Path, *inputs: Path | None) -> None:
    """Refuses before the work what could not be written after it."""
    keep_inputs(output, *inputs)
    check_place(output)


def _tell_skipped(skipped: Iterable[tuple[str, str]]) -> None:
    for pair_id, reason in skipped:
        typer.echo(f"left out {pair_id}: {reason}", err=True)
