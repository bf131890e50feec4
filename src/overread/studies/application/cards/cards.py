"""Cards as tables: each metric a column, each figure a row, beside baselines that read nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.application.statistics.tabulation import Cell, Column, Fact, Table, Tabulation
from overread.studies.application.cards.figures import BLIND, NEW_WORDS, REGIONS, CardFigures, region_of
from overread.studies.application.cards.layouts import LAYOUT_GROUPS
from overread.studies.application.cards.material import CardMaterial
from overread.studies.application.cards.ranked import CANDIDATE_KINDS
from overread.studies.application.cards.timed import Timing

__all__ = ["MetricCard", "tabulate_cards"]

_GOOD: Final = (("rewording", "small"), ("small", "large"), ("large", "contradiction"), ("large", "boilerplate"))
_MOST_TRICKS: Final = 12
_READER: Final = "|extractor:"
_MATTERS: Final = "errors that matter"
_HARMLESS: Final = "harmless changes"
_REWORDING: Final = "free rewording without an error"
_MODALITIES: Final = ("chest radiograph", "CT", "other")


@frozen(kw_only=True)
class MetricCard:
    """Everything there is to say of one metric.

    Attributes:
        name: heading of its column.
        about: what it is, by heading of the row.
        figures: what it does; None where it was not measured.
        timing: None where it was not timed.
        rouge: ROUGE-L, timed right before it; None where it was not.
        problem: why it was not measured.
        signature: of its scores.
    """

    name: str
    about: Mapping[str, str]
    figures: CardFigures | None = None
    timing: Timing | None = None
    rouge: Timing | None = None
    problem: str = ""
    signature: str = ""

    @property
    def times_rouge(self) -> float | None:
        """Time of the first pass over that of ROUGE-L."""
        return None if self.timing is None or self.rouge is None else self.timing.cold / self.rouge.cold


_Figure = Callable[[CardFigures], Cell]


@frozen(kw_only=True)
class _Rows:
    """A table to be: its rows by heading, and the number of pairs that each is over, where rows differ in it."""

    name: str
    title: str
    note: str
    rows: Mapping[str, _Figure]
    pairs: Mapping[str, int] = field(factory=dict)
    percent: bool = True
    blind: bool = False


def tabulate_cards(
    cards: Sequence[MetricCard],
    baselines: Sequence[MetricCard],
    material: CardMaterial,
    facts: Mapping[str, Fact],
    notes: Sequence[str] = (),
) -> Tabulation:
    """The cards of some metrics, side by side.

    Args:
        cards: of the metrics asked for.
        baselines: that read nothing: the words in common, and the candidate alone.
        material: what was scored.
        facts: what was run.
        notes: remarks.
    """
    measured = [card for card in cards if card.figures is not None]
    tables = [_about(cards)]
    if measured:
        shown = [*measured, *baselines]
        tables += [_summary(shown), *(_table(rows, shown) for rows in _tables(material, measured))]
        tables.append(_tricks(material, shown))
    if any(_READER in card.signature for card in measured):
        tables.append(_reader(material))
    if any(card.timing for card in cards):
        tables.append(_speed(cards))
    names = ", ".join(card.name for card in cards)
    return Tabulation(
        name="card",
        title=f"Card: {names}" if len(cards) == 1 else f"Cards: {names}",
        tables=tuple(tables),
        facts={**facts, **{f"signature of {card.name}": card.signature for card in cards if card.signature}},
        notes=(
            *notes,
            *_alike(measured),
            *(f"{card.name} was not measured: {card.problem}" for card in cards if card.problem),
        ),
    )


def _alike(cards: Sequence[MetricCard]) -> Iterator[str]:
    """Remarks on metrics whose scores are those of another, so that their columns are no second witness."""
    for place, card in enumerate(cards):
        for other in cards[:place]:
            if card.figures and other.figures and card.figures.orders_like(other.figures):
                yield (
                    f"{card.name} scores every pair as {other.name} does, but for unit and direction: one measure, "
                    "twice in these tables."
                )
                break


def _about(cards: Sequence[MetricCard]) -> Table:
    rows = dict.fromkeys(name for card in cards for name in card.about)
    return Table(
        name="about",
        title="What it is",
        columns=(Column(name="what", title=""), *(Column(name=card.name, title=card.name) for card in cards)),
        rows=tuple((row, *(card.about.get(row, "") or "-" for card in cards)) for row in rows),
        note="Licence: as the distribution's metadata states it, which may not be that of a checkpoint.",
    )


def _summary(cards: Sequence[MetricCard]) -> Table:
    timed = any(card.timing for card in cards)
    figures: tuple[tuple[str, str, bool, _Figure], ...] = (
        ("layout", "unmoved by layout", True, lambda f: f.layout_unchanged()),
        ("harm", "AUROC harm, near copies", False, lambda f: f.harmful_told_from("harmless")),
        ("free", "AUROC harm, rewordings", False, lambda f: f.harmful_told_from("rewording")),
        ("reports", "tau-b reports", False, lambda f: f.agreement("reports")),
        ("generators", "tau-b generators", False, lambda f: f.agreement("generators")),
        ("drafts", "tau-b drafts", False, lambda f: f.agreement("drafts")),
        ("ranked", "ranked rightly", True, lambda f: f.ranking("right")),
        ("tricks", "tricks beating honesty", True, lambda f: f.tricks_beating()),
        ("unscored", "unscored", True, lambda f: f.unscored()),
    )
    rows = tuple(
        (
            card.name,
            *(card.figures.once("summary", name, figure) if card.figures else None for name, *_, figure in figures),
            *((card.times_rouge,) if timed else ()),
        )
        for card in cards
    )
    return Table(
        name="summary",
        title="In short",
        columns=(
            Column(name="metric", title="metric"),
            *(Column(name=name, title=title, percent=percent, digits=2) for name, title, percent, _ in figures),
            *((Column(name="times", title="x ROUGE-L", digits=1),) if timed else ()),
        ),
        rows=rows,
        note="One figure of each table below, where what is measured is explained. AUROC: 0.5 is chance. tau-b: "
        "with the rating of the gold corpus. Tricks: the lower the better; of references with findings "
        f"alone.{' x ROUGE-L: time, 1 is as fast.' if timed else ''}",
    )


def _table(rows: _Rows, cards: Sequence[MetricCard]) -> Table:
    shown = [card for card in cards if rows.blind or card.name != BLIND]
    columns = [Column(name=card.name, title=card.name, percent=rows.percent, digits=2) for card in shown]
    counted = (Column(name="pairs", title="pairs"),) if rows.pairs else ()
    return Table(
        name=rows.name,
        title=rows.title,
        columns=(Column(name="what", title=""), *counted, *columns),
        rows=tuple(
            (
                row,
                *((rows.pairs[row],) if rows.pairs else ()),
                *(card.figures.once(rows.name, row, figure) if card.figures else None for card in shown),
            )
            for row, figure in rows.rows.items()
        ),
        note=rows.note,
    )


def _tables(material: CardMaterial, cards: Sequence[MetricCard]) -> Iterator[_Rows]:
    yield from _identity(material)
    yield from _errors(material)
    yield from _gold(material)
    yield _ranking(material)
    yield _coverage(material, cards)


def _identity(material: CardMaterial) -> Iterator[_Rows]:
    yield _Rows(
        name="identity",
        title="A copy of the reference",
        note=f"Over {len(material.copies)} reports of the gold corpus against themselves. Best of the scale: within "
        "0.0001 of its end; a dash where the scale has no such end. Unbeaten: of the reports that have other "
        "candidates. overread's metrics give a copy the best score by rule, so for them this is no finding.",
        rows={
            "has the best score of the scale": lambda f: f.best_copies,
            "is unbeaten by the report's other candidates": lambda f: f.unbeaten_copies,
        },
    )
    pairs = Counter(each.group for each in material.relaid)
    groups = {group: (lambda f, group=group: f.layout_unchanged(group)) for group in LAYOUT_GROUPS}
    yield _Rows(
        name="layout",
        title="The candidate in another layout: score unchanged",
        note=f"Over {len(material.relaid)} pairs of the gold corpus in {sum(map(len, LAYOUT_GROUPS.values()))} "
        f"layouts, up to {material.size.layouts} pairs each. Unchanged: by less than a thousandth of the standard "
        "deviation (SD) of the metric's scores over the labelled pairs. Administrative lines (banners, signatures, "
        "page heads) add words that are not about the patient. overread undoes these very layouts, and is tested on "
        "them: expect less in layouts that are not among them.",
        rows={"all layouts": lambda f: f.layout_unchanged(), **groups},
        pairs={"all layouts": pairs.total(), **pairs},
    )
    largest = {group: (lambda f, group=group: f.layout_largest(group)) for group in LAYOUT_GROUPS}
    yield _Rows(
        name="layout-largest",
        title="The candidate in another layout: largest change, in SD",
        note="Of the same pairs. 0 is best; a change of 1 is as large as usual differences between candidates.",
        rows=largest,
        percent=False,
    )


def _errors(material: CardMaterial) -> Iterator[_Rows]:
    counts = Counter(kind for case in material.injected for kind in case.kinds)
    matters, harmless = ("size", "matters"), ("size", "harmless")
    by_aspect = {
        _MATTERS: matters,
        _HARMLESS: harmless,
        **{f"matters: {name}": (what, name) for what, name in counts if what == "aspect"},
    }
    by_severity = {
        _MATTERS: matters,
        **{f"... {name}": (what, name) for what, name in sorted(counts) if what == "severity"},
        _HARMLESS: harmless,
    }
    pairs = {row: counts[kind] for row, kind in (by_aspect | by_severity).items()}
    made = f"{len(material.injected)} copies of reports of the gold corpus with one change each, by rules"
    yield _Rows(
        name="injected",
        title="One injected error: share of pairs whose score gets worse",
        note=f"Over {made}, against the unchanged copy. Errors that matter by aspect; harmless changes say the same "
        "or differ in nothing that matters, and few of them should cost anything. A metric that compares words "
        "falls with any change: see the next tables. overread's reader finds the places, so errors are only in "
        "statements that it reads, which favours metrics that read with it; the changed copy is not read again.",
        pairs=pairs,
        rows={row: (lambda f, kind=kind: f.falls(*kind)) for row, kind in by_aspect.items()},  # type: ignore[misc]
    )
    yield _Rows(
        name="injected-fall",
        title="One injected error: mean fall, in SD",
        note="Of the same pairs: how much worse the score gets, in standard deviations over the labelled pairs. The "
        "last row is the fall of free rewordings without an error below the median copy: what merely different words "
        "cost. An error that costs less drowns in it.",
        pairs=pairs | {_REWORDING: len(material.rewordings)},
        rows={
            **{
                row: (lambda f, kind=kind: f.mean_fall(*kind))  # type: ignore[misc]
                for row, kind in by_severity.items()
            },
            _REWORDING: lambda f: f.rewording_fall,
        },
        percent=False,
    )
    yield _Rows(
        name="told",
        title="Errors that matter, told from what is harmless: AUROC",
        note=f"The chance that one of {pairs[_MATTERS]} copies with an error that matters scores worse than one of "
        f"{pairs[_HARMLESS]} harmlessly changed copies (both nearly the reference's words), or than one of "
        f"{len(material.rewordings)} free rewordings without an error (other words, nothing wrong). 0.5 is chance; "
        "below it the metric prefers the error.",
        rows={
            "from harmless changes": lambda f: f.harmful_told_from("harmless"),
            "from free rewordings": lambda f: f.harmful_told_from("rewording"),
        },
        percent=False,
    )
    reports = len({step.study for step in material.graded})
    yield _Rows(
        name="graded",
        title="More errors, a worse score",
        note=f"Over {reports} reports that get one to four errors that matter, each step with those of the step "
        "before.",
        rows={
            "each further error makes it worse": lambda f: f.further_errors,
            "four errors are worse than one": lambda f: f.four_errors,
        },
    )


_SETTING_WORDS: Final[Mapping[str, str]] = {
    "reports": "candidates told anew in other words, or with errors put in",
    "generators": "candidates in the style of eleven kinds of report generator",
    "drafts": "near copies of finals, as edited by attendings",
}


_AGREEMENT_NOTE: Final = (
    " Labelled pairs of the gold corpus's select part: invented, and the labels are not a radiologist's. tau-b: 1 is "
    "full agreement, 0 none. AUROC of different care: 0.5 is chance; with shuffled references it should be 0.5, and "
    "what is above is due to the candidate alone; like overlap: among candidates that share as many words with their "
    f"references. Better of two: a tie is half. {BLIND}: a ridge regression of different care on the candidate's words "
    f"without its reference, fitted on this setting's other references; {NEW_WORDS}: Dice's coefficient. A metric is "
    "worth what it adds to these. overread's second reader was chosen on this very part; metrics with the preset fast "
    "do without it, and docs/benchmarks.md has figures of the sealed part."
)


def _gold(material: CardMaterial) -> Iterator[_Rows]:
    for setting, benchmark in material.settings.items():
        studies = len({annotated.study for annotated in benchmark.pairs})
        yield _Rows(
            name=f"gold-{setting}",
            title=f"Agreement with labels: {setting}",
            note=f"{_SETTING_WORDS[setting].capitalize()}: {len(benchmark.pairs)} candidates of {studies} references, "
            f"drawn of {_count(material, setting)}; {len(benchmark.preferences)} times two that are rated differently."
            f"{_AGREEMENT_NOTE if setting == next(iter(material.settings)) else ' Rows as above.'}",
            rows={
                "tau-b with the rating": lambda f, s=setting: f.agreement(s),  # type: ignore[misc]
                "tau-b with significant errors": lambda f, s=setting: f.agreement(s, "significant"),  # type: ignore[misc]
                "AUROC of different care": lambda f, s=setting: f.care(s),  # type: ignore[misc]
                "... with shuffled references": lambda f, s=setting: f.care_shuffled(s),  # type: ignore[misc]
                "... of like overlap": lambda f, s=setting: f.care_of_like_overlap(s),  # type: ignore[misc]
                "better of two found": lambda f, s=setting: f.preferred(s),  # type: ignore[misc]
            },
            percent=False,
            blind=True,
        )


def _count(material: CardMaterial, setting: str) -> int:
    return len({annotated.study for annotated in material.whole[setting].pairs})


def _ranking(material: CardMaterial) -> _Rows:
    agreed = [{*kinds} for case in material.ranked for kinds in case.agreed()]
    return _Rows(
        name="ranked",
        pairs={
            **dict.fromkeys(("right", "tied", "unscored"), len(agreed)),
            **{f"right: {one} before {other}": agreed.count({one, other}) for one, other in _GOOD},
        },
        title="Candidates ordered as people order them",
        note=f"Over {len(material.ranked)} invented references with five candidates each "
        f"({', '.join(CANDIDATE_KINDS)}), pairs that two people who knew no rule ordered alike. A tie and a "
        "candidate without a score are not right. Of the half of the cases that overread's rules were not made with.",
        rows={
            "right": lambda f: f.ranking("right"),
            **{
                f"right: {one} before {other}": (
                    lambda f, kinds=(one, other): f.ranking("right", kinds)  # type: ignore[misc]
                )
                for one, other in _GOOD
            },
            "tied": lambda f: f.ranking("tie"),
            "unscored": lambda f: f.ranking("unscored"),
        },
    )


def _coverage(material: CardMaterial, cards: Sequence[MetricCard]) -> _Rows:
    regions = Counter(region_of(annotated.strata["voice"]) for annotated in material.annotated)
    modalities = Counter(annotated.strata["modality"] for annotated in material.annotated)
    order = [region for region in (*REGIONS, *regions) if region in regions]
    parted = any(card.figures.unscored().value for card in cards if card.figures)
    return _Rows(
        name="unscored",
        title="Pairs without a score",
        note=f"Of the {len(material.annotated)} labelled pairs of the gold corpus"
        f"{', by examination and by what they are about' if parted else ''}. A pair without a score enters no other "
        "figure of that metric, except that it is not ranked rightly, and that a trick without a score beats nothing.",
        pairs={"all": len(material.annotated), **modalities, **regions},
        rows={
            "all": lambda f: f.unscored(),
            **{
                modality: (lambda f, m=modality: f.unscored("modality", m))  # type: ignore[misc]
                for modality in (_MODALITIES if parted else ())
            },
            **{
                region: (lambda f, r=region: f.unscored("region", r))  # type: ignore[misc]
                for region in (dict.fromkeys(order) if parted else ())
            },
        },
    )


def _tricks(material: CardMaterial, cards: Sequence[MetricCard]) -> Table:
    shown = [(card.name, card.figures) for card in cards if card.name != BLIND and card.figures is not None]
    pairs = Counter(trick.name for trick in material.tricks if trick.has_findings)
    found = {name: [figures.tricks_beating(name) for _, figures in shown] for name in pairs}
    worst = sorted(found, key=lambda name: -sum(share.value or 0 for share in found[name]))
    told = [name for name in worst if any(share.value for share in found[name])][:_MOST_TRICKS]
    references = {trick.reference: trick.has_findings for trick in material.tricks}
    with_findings = sum(references.values())
    return Table(
        name="tricks",
        title="Tricks that score no worse than an honest attempt",
        columns=(
            Column(name="trick", title=""),
            Column(name="pairs", title="pairs"),
            *(Column(name=name, title=name, percent=True, digits=2) for name, _ in shown),
        ),
        rows=(
            (
                "all, references with findings",
                pairs.total(),
                *(figures.tricks_beating() for _, figures in shown),
            ),
            (
                "all, normal references",
                len(material.tricks) - pairs.total(),
                *(figures.tricks_beating(findings=False) for _, figures in shown),
            ),
            ("without a score", len(material.tricks), *(figures.tricks_unscored for _, figures in shown)),
            *((name, pairs[name], *(share.value for share in found[name])) for name in told),
        ),
        note=f"{len(found)} ways to write without reading images, on {with_findings} references with findings "
        f"and {len(references) - with_findings} normal ones: the share that scores as well as an honest attempt, in "
        "other words and with one slip, or better. Beside a normal reference a normal report is hardly a trick. A "
        "trick without a score beats nothing. overread was mended by these very tricks: others may beat it more often. "
        f"Single tricks: on references with findings, the {_MOST_TRICKS} at most that beat most.",
    )


def _reader(material: CardMaterial) -> Table:
    """Share of clinical statements of references that overread's reader reads."""
    regions: dict[str, list[tuple[int, int]]] = {}
    for annotated in {each.study: each for each in material.annotated}.values():
        if annotated.study in material.read:
            for key in ("all", annotated.strata["modality"], region_of(annotated.strata["voice"])):
                regions.setdefault(key, []).append(material.read[annotated.study])
    order = [key for key in ("all", *_MODALITIES, *regions) if key in regions]
    return Table(
        name="reader",
        title="What overread's reader reads",
        columns=(
            Column(name="what", title=""),
            Column(name="read", title="statements read", percent=True),
            Column(name="units", title="statements"),
            Column(name="reports", title="reports"),
        ),
        rows=tuple(
            (key, _quotient(regions[key]), sum(units for _, units in regions[key]), len(regions[key]))
            for key in dict.fromkeys(order)
        ),
        note="Of the units of the references; the others are whole sentences that no rule covers. Only metrics with "
        "'extractor' in their signature read with it.",
    )


def _quotient(counts: Sequence[tuple[int, int]]) -> float | None:
    total = sum(units for _, units in counts)
    return sum(read for read, _ in counts) / total if total else None


def _speed(cards: Sequence[MetricCard]) -> Table:
    timed = [(card.name, card.timing, card.times_rouge) for card in cards if card.timing is not None]
    rouge = next((card.rouge for card in cards if card.rouge is not None), None)
    if rouge is not None:
        timed.append(("ROUGE-L", rouge, 1.0))
    return Table(
        name="speed",
        title="Speed and memory",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="start", title="start, s", digits=1),
            Column(name="cold", title="pairs/s, first pass", digits=1),
            Column(name="warm", title="pairs/s, again", digits=1),
            Column(name="times", title="x ROUGE-L", digits=1),
            Column(name="peak", title="peak MiB", digits=0),
        ),
        rows=tuple(
            (name, each.start, each.pairs / each.cold, each.pairs / each.warm, times, each.peak)
            for name, each, times in timed
        ),
        note=f"Each in a process of its own over {timed[0][1].pairs if timed else 0} pairs of the gold corpus, on "
        "the machine of this run. Start: from building the metric to its first score, with its models and libraries, "
        "after overread's own imports. Again: what a metric keeps of reports that it has seen. x ROUGE-L: time of the "
        "first pass over that of ROUGE-L, timed right before each metric; its own row is the first of them.",
    )
