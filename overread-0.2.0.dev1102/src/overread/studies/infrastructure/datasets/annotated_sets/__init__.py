"""Sets of pairs that people judged, in the layouts they are published in.

Users bring the files themselves; the gold corpus comes with overread.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from attrs import frozen

from overread.exceptions import ConfigurationError, InputError

if TYPE_CHECKING:  # the command line lists the sets in its help, which loads no numbers
    from overread.domain.results.annotation import HumanBenchmark

__all__ = ["BENCHMARKS", "BenchmarkFormat", "BenchmarkOption", "read_benchmark"]


@frozen(kw_only=True)
class BenchmarkOption:
    """Something that a reader can be told.

    Attributes:
        name: keyword argument of the reader; on the command line with hyphens.
        kind: "choice" of some words; "path"; "names", a list from a repeatable option; "mapping", from a repeatable
            NAME=VALUE.
        help: what it does, in words.
        choices: the words of a choice, the default first.
        among: what names, or keys of a mapping, there are; any where it is empty.
    """

    name: str
    kind: Literal["choice", "path", "names", "mapping"]
    help: str
    choices: tuple[str, ...] = ()
    among: tuple[str, ...] = ()

    def check(self, value: Any) -> None:
        """Raises `ConfigurationError` if the option cannot have the value."""
        allowed = self.choices or self.among
        given = [value] if self.kind == "choice" else list(value or ())
        if odd := [word for word in given if allowed and word not in allowed]:
            raise ConfigurationError([f"`{self.name}` must be one of {', '.join(allowed)}, not {odd[0]!r}"])


@frozen(kw_only=True)
class BenchmarkFormat:
    """A human-annotated set and its reader.

    Attributes:
        name: on the command line.
        title: in words.
        expects: the files, in words.
        module: of the reader, which is its function ``read_MODULE``.
        options: keyword arguments of the reader.
        shipped: where the set itself lies, if it comes with overread, below the datasets.
    """

    name: str
    title: str
    expects: str
    module: str
    options: tuple[BenchmarkOption, ...] = ()
    shipped: str = ""

    @property
    def place(self) -> Path | None:
        """Path of the set if the user gives none; None if it does not come with overread."""
        return Path(__file__).parent.parent / self.shipped if self.shipped else None

    def read(self, path: Path, **options: Any) -> HumanBenchmark:
        """The set at ``path``. Only its own reader is imported.

        Raises:
            InputError: if a file is missing, a row cannot be used, or no pair is left; the message names file, row and
                remedy.
            ConfigurationError: if an option cannot have its value.
            TypeError: for an option that the reader does not have.
        """
        for option in self.options:
            if option.name in options and option.kind != "path":
                option.check(options[option.name])
        reader = getattr(import_module(f"{__name__}.{self.module}"), f"read_{self.module}")
        benchmark = cast("HumanBenchmark", reader(path, **options))
        if not benchmark.pairs:
            problem = "; ".join(("leaves no pair to judge", *benchmark.notes))
            raise InputError(str(path), problem, remedy="take the whole release, and options that leave pairs")
        return benchmark


_FORMATS: Final = (
    BenchmarkFormat(
        name="gold",
        title="The gold corpus: invented reports in many voices, labelled twice and adjudicated",
        expects="comes with overread",
        module="gold",
        options=(
            BenchmarkOption(
                name="part",
                kind="choice",
                help="part to read: to learn from, to choose by, to look at only once, or all",
                choices=("open", "select", "sealed", "all"),
            ),
            BenchmarkOption(
                name="setting",
                kind="choice",
                help=(
                    "candidates to read: reworded or with errors, of report generators, drafts of final reports, or all"
                ),
                choices=("reports", "generators", "drafts", "all"),
            ),
        ),
        shipped="gold",
    ),
    BenchmarkFormat(
        name="rexval",
        title="ReXVal: errors that six radiologists counted in retrieved reports",
        expects="the folder or archive with 50_samples_gt_and_candidates.csv and the errors per valid rater",
        module="rexval",
        options=(
            BenchmarkOption(
                name="identical",
                kind="choice",
                help="drop leaves out pairs whose candidate equals the reference (ReXVal*)",
                choices=("keep", "drop"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="radevalx",
        title="RadEvalX: errors of eight categories in generated reports",
        expects="the folder or archive with two tables of errors and one of metrics' scores",
        module="radevalx",
        options=(
            BenchmarkOption(name="significant", kind="path", help="table of clinically significant errors"),
            BenchmarkOption(name="insignificant", kind="path", help="table of clinically insignificant errors"),
            BenchmarkOption(
                name="blank",
                kind="choice",
                help="what a blank count means: not known, or no error",
                choices=("gap", "none"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="rexerr",
        title="ReXErr-v1: reports with synthetic errors beside their originals",
        expects="a report-level file, or the folder or archive with such files",
        module="rexerr",
        options=(
            BenchmarkOption(
                name="split",
                kind="choice",
                help="reads only the files with the split in their name",
                choices=("all", "train", "val", "test"),
            ),
            BenchmarkOption(
                name="columns",
                kind="mapping",
                help="name of a column: id, study, original, error or errors, as in original=CLEAN",
                among=("id", "study", "original", "error", "errors"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="refisco",
        title="ReFiSco-v0: lines of generated reports, corrected and graded by severity",
        expects="a table with a row for each line, or the folder with it",
        module="refisco",
        options=(
            BenchmarkOption(
                name="level",
                kind="choice",
                help="pairs are whole reports, or single lines and their corrections",
                choices=("report", "line"),
            ),
            BenchmarkOption(
                name="reference",
                kind="choice",
                help="reference of whole reports: each corrector's own report, the report of the source Expert, or the "
                "ground truth where there is one, else as corrected",
                choices=("auto", "corrected", "expert"),
            ),
            BenchmarkOption(
                name="context",
                kind="choice",
                help="whether metrics get the indication",
                choices=("with", "without"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="rate-eval",
        title="RaTE-Eval: rated sentences and paragraphs, and triads of a reference, a synonym and an antonym",
        expects="a file of one task, or the folder with several",
        module="rate_eval",
        options=(
            BenchmarkOption(
                name="levels",
                kind="names",
                help="a task to read: sentence, paragraph or synthetic; all by default",
                among=("sentence", "paragraph", "synthetic"),
            ),
            BenchmarkOption(
                name="sentence_grades",
                kind="choice",
                help="whether the column rating of sentences is a share of errors, or better when higher",
                choices=("errors", "quality"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="reevalmed",
        title="ReEvalMed: errors that matter and changes that do not, in twelve aspects",
        expects="a table with a row for each pair, or the file of overread inject",
        module="reevalmed",
    ),
    BenchmarkFormat(
        name="preferences",
        title="Preferences of radiologists between two candidates",
        expects="a table with a row for each comparison",
        module="preferences",
        options=(
            BenchmarkOption(
                name="ratings",
                kind="choice",
                help="whether a higher rating is better, or a lower",
                choices=("grades", "errors"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="radpref",
        title="RadPref: candidates that radiologists rated, with errors by what their findings ask for",
        expects="the folder or archive with preference_data.json and radiologist_annotations",
        module="radpref",
        options=(
            BenchmarkOption(
                name="context",
                kind="choice",
                help="whether metrics get the patient's age, sex and indication",
                choices=("with", "without"),
            ),
            BenchmarkOption(
                name="ratings",
                kind="choice",
                help="whether a higher rating is better, or a lower",
                choices=("grades", "errors"),
            ),
        ),
    ),
    BenchmarkFormat(
        name="pairs",
        title="Any set, as overread's own JSON lines or a table",
        expects="a .jsonl, .csv, .tsv or .parquet file",
        module="generic",
        options=(
            BenchmarkOption(name="preferences", kind="path", help="second file, with the preferences between pairs"),
            BenchmarkOption(name="higher_is_better", kind="names", help="a target or metric where higher is better"),
            BenchmarkOption(name="lower_is_better", kind="names", help="a target or metric where lower is better"),
        ),
    ),
)

BENCHMARKS: Final[Mapping[str, BenchmarkFormat]] = {form.name: form for form in _FORMATS}
"""Sets that can be read, by name."""


def read_benchmark(
    name: str, path: Path | str | None = None, options: Mapping[str, Any] | None = None, **given: Any
) -> HumanBenchmark:
    """Reads a human-annotated set; see docs/benchmarks.md for the files of each.

    Args:
        name: of the set, for example "rexval".
        path: the set's folder or file; may be left out for a set that comes with overread.
        options: of its reader, by name.
        **given: the same, as keywords: ``read_benchmark("radevalx", folder, blank="none")``.

    Raises:
        ConfigurationError: if there is no set of that name, nothing says where it is, or its reader has no such option
            or the option no such value.
        InputError: naming file, row and remedy.
    """
    if name not in BENCHMARKS:
        raise ConfigurationError([f"unknown set {name!r}; choose from {', '.join(BENCHMARKS)}"])
    form = BENCHMARKS[name]
    place = form.place if path is None else Path(path)
    if place is None:
        raise ConfigurationError([f"{name} does not come with overread; give its path"])
    chosen = {**(options or {}), **given}
    known = {option.name: option for option in form.options}
    if unknown := [option for option in chosen if option not in known]:
        raise ConfigurationError([f"{name} has no option {unknown[0]}; it has {', '.join(known) or 'none'}"])
    paths = {option: Path(value) for option, value in chosen.items() if known[option].kind == "path" and value}
    return form.read(place, **{**chosen, **paths})
