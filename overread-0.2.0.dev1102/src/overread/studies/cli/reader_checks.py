"""Commands of `overread benchmark` that check the reader against labels that people made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overread.cli.grammar import Commands, if_stopped, kept_answers
from overread.cli.output import AsJson
from overread.cli.progressing import progress
from overread.cli.support import Answers, Config, Set, read_settings
from overread.studies.cli.study import StudyFormat, StudyOutput, StudyTargets, show_study, study_targets

if TYPE_CHECKING:
    from overread.studies.application.reader_checks.check import ReaderCheck

__all__ = ["checks_app"]

checks_app = Commands()

Errors = Annotated[bool, typer.Option("--errors", help="Show the errors too; they quote your data.")]


@checks_app.command("polarity")
def check_polarity(
    *,
    data: Annotated[
        Path, typer.Option(metavar="FILE", help="TSV of marked phrases, as in the NegEx and ConText test kit.")
    ],
    errors: Errors = False,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check negation, history and experiencer.

    Marked phrases in sentences, each labelled negated or affirmed, historical or not, patient or another person.
    """
    from overread.studies.bootstrap.checks import check_polarity as check

    targets = _targets("polarity", output_format, output, data, as_json=as_json)
    settings = read_settings(config, set_)
    with progress(None, "reading") as advance:
        report = check(settings, data, on_progress=advance)
    _show_check(report, targets, errors=errors)


@checks_app.command("findings")
def check_findings(
    *,
    data: Annotated[
        Path, typer.Option(metavar="PATH", help="Open-i reports: NLMCXR_reports.tgz, or a folder of their XML files.")
    ],
    min_count: Annotated[int, typer.Option(min=1, metavar="N", help="Leave out terms coded in fewer reports.")] = 10,
    errors: Errors = False,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check findings against coded reports.

    Coded findings found, findings without a code, alarms in normal reports, sentences without a reading.
    """
    from overread.studies.bootstrap.checks import check_findings as check

    targets = _targets("findings", output_format, output, data, as_json=as_json)
    settings = read_settings(config, set_)
    with progress(None, "reading") as advance:
        report = check(settings, data, min_count=min_count, on_progress=advance)
    _show_check(report, targets, errors=errors)


@checks_app.command("entailment")
def check_entailment(
    *,
    data: Annotated[
        Path, typer.Option(metavar="FILE", help="JSON list of labelled phrases, as in RadFact's examples.")
    ],
    errors: Errors = False,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check entailment of statements by reports.

    Phrases labelled entailed, contradicted or neutral against the phrases of another report.
    """
    from overread.studies.bootstrap.checks import check_entailment as check

    targets = _targets("entailment", output_format, output, data, as_json=as_json)
    settings = read_settings(config, set_)
    with progress(None, "reading") as advance:
        report = check(settings, data, on_progress=advance)
    _show_check(report, targets, errors=errors)


@checks_app.command("names")
def check_names(
    *,
    data: Annotated[
        Path,
        typer.Option(metavar="FILE", help="CSV with id, name, synonyms, as in OIDM's list of chest X-ray findings."),
    ],
    errors: Errors = False,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check that names of findings are read.

    Each name and synonym alone, against the findings that are right for its entry.
    """
    from overread.studies.bootstrap.checks import check_names as check

    targets = _targets("names", output_format, output, data, as_json=as_json)
    settings = read_settings(config, set_)
    _show_check(check(settings, data), targets, errors=errors)


@checks_app.command("wordings")
def check_wordings(
    *,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON lines with sentence and readings, instead of the bank shipped."),
    ] = None,
    part: Annotated[
        Literal["open", "sealed"],
        typer.Option(metavar="WORD", help="open or sealed: part of the bank that comes with overread."),
    ] = "open",
    errors: Errors = False,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check what is read in sentences of many wordings.

    Concepts right, missed and taken for others; polarity, side, degree and change.
    """
    from overread.studies.bootstrap.checks import check_wordings as check

    targets = _targets("wordings", output_format, output, data, as_json=as_json)
    settings = read_settings(config, set_)
    with progress(None, "reading") as advance:
        report = check(settings, data, part=part, on_progress=advance)
    _show_check(report, targets, errors=errors)


@checks_app.command("significance")
def check_significance(
    *,
    data: Annotated[
        Path, typer.Option(metavar="FILE", help="Table with id, aspect, significant, reference, candidate.")
    ],
    metric: Annotated[
        str,
        typer.Option(
            "--metric", "-m", metavar="NAME", help="Metric that names discrepancies: notation, judge or green."
        ),
    ] = "notation",
    answers: Answers = None,
    errors: Errors = False,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check significance on pairs that differ in one thing.

    Whether a metric finds what matters, and keeps quiet about what does not.
    """
    from overread.studies.bootstrap.checks import check_significance as check

    targets = _targets("significance", output_format, output, data, as_json=as_json)
    settings = read_settings(config, set_, answers=answers)
    with if_stopped(lambda: kept_answers(answers)), progress(None, "scoring") as advance:
        report = check(settings, data, metric=metric, on_progress=advance)
    _show_check(report, targets, errors=errors)


@checks_app.command("confidence")
def check_confidence(
    *,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Marked pairs in the form of the gold corpus, instead of those shipped."),
    ] = None,
    part: Annotated[
        Literal["open", "select", "sealed"],
        typer.Option(metavar="PART", help="Part of the gold corpus: open, select or sealed."),
    ] = "select",
    metric: Annotated[
        str, typer.Option("--metric", "-m", metavar="NAME", help="Metric that names discrepancies.")
    ] = "notation",
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check the probabilities that the second reader gives discrepancies.

    A reliability table: what the second reader says against the errors that people marked.
    """
    from overread.studies.bootstrap.checks import check_confidence as check

    targets = _targets("confidence", output_format, output, data, as_json=False)
    settings = read_settings(config, set_)
    with progress(None, "scoring") as advance:
        report = check(settings, data, part=part, metric=metric, on_progress=advance)
    _show_check(report, targets, errors=False)


def _targets(
    name: str, output_format: str | None, output: list[str] | None, data: Path | None, *, as_json: bool
) -> StudyTargets:
    old = (as_json, None, None)
    return study_targets(output_format, output, data, command=f"benchmark {name}", old=old)


def _show_check(check: ReaderCheck, targets: StudyTargets, *, errors: bool) -> None:
    from overread.studies.infrastructure.views.check import show_check
    from overread.studies.infrastructure.views.check_records import check_record, with_mistakes

    tabulation = with_mistakes(check) if errors else check.tabulation
    show_study(
        tabulation,
        targets,
        text=lambda console: show_check(console, check, errors=errors),
        json=lambda: check_record(check, errors=errors),
    )
