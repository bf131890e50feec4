"""Reports: one examination each, in the order in which it is read, in one voice, and of a wanted length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import field, frozen

from overread.studies.application.synthesis.credible.examinations import Examination, Normal, Visible, load_examinations
from overread.studies.application.synthesis.credible.sayings import Saying, say
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import BUCKETS, bucket_of

__all__ = ["CredibleReport", "credible_reports"]

_TRIES: Final = 60
"""Reports that are drawn until one has the wanted length."""

_LAYOUTS: Final = {"headed": 4, "prose": 3, "note": 3, "labelled": 2}
_FRAMES: Final = {
    "headed": ("There {be} {np}.", "{np} {be} seen.", "There {be} {np}.", "{np} {be} present."),
    "prose": ("There {be} {np}.", "{np} {be} seen.", "There {be} {np}.", "{np} {be} noted."),
    "note": ("",),
    "labelled": ("", "There {be} {np}.", "{np} {be} present."),
}
_FEWEST: Final = {"0-200": (1, 2), "200-350": (1, 3), "350-500": (2, 4), "500+": (3, 6)}
"""Findings of a report by its length."""
_TOLD: Final = {"0-200": 0.5, "200-350": 1.0, "350-500": 1.2, "500+": 1.6}
"""How much oftener than usual a normal statement is told."""
_NORMAL: Final = 0.06
_COMPARED: Final = 0.65
_INDICATED: Final = 0.6
_ADVISED: Final = 0.6
_EMERGENCY: Final = "emergency"
_ACUTE: Final = 2
"""Most findings of a report that call for something now, all of which an impression repeats."""
_SUMMED_UP: Final = {"0-200": 0.0, "200-350": 0.3, "350-500": 0.5, "500+": 0.6}
_DAYS: Final = (
    "3 March 2021", "14 May 2022", "2 November 2020", "21 June 2023", "9 January 2022", "17 August 2021",
    "30 September 2023", "5 April 2020", "26 July 2022", "11 December 2021",
)  # fmt: skip
_NONE: Final = ("None.", "No prior studies.", "None available.")


@frozen(kw_only=True)
class CredibleReport:
    """An invented report.

    Attributes:
        modality: as a list of studies would name the examination.
        examination: id of the kind.
    """

    study: str
    examination: str
    modality: str
    text: str = field(repr=False)


@frozen(kw_only=True)
class _Plan:
    """Content of one report, before it is laid out."""

    examination: Examination
    title: str
    indication: str
    view: str
    day: str
    compared: bool
    findings: Sequence[tuple[Visible, Saying]]
    normals: Sequence[Normal]
    layout: str
    advice: str
    summed_up: bool


def credible_reports(*, seed: int, studies: int) -> Iterator[CredibleReport]:
    """Reports of all examinations, as many of each length; the same seed makes the same reports, none twice.

    Args:
        seed: of every random choice.
        studies: number of reports.
    """
    seen: set[str] = set()
    for number in range(studies):
        draws = Draws.from_parts(seed, number, "credible")
        text, examination = _fresh(BUCKETS[number % len(BUCKETS)], draws, seen)
        seen.add(text)
        yield CredibleReport(
            study=f"credible-{seed}-{number:04d}",
            examination=examination.id,
            modality=examination.modality,
            text=text,
        )


def _fresh(bucket: str, draws: Draws, seen: set[str]) -> tuple[str, Examination]:
    """A report of a length that was not written before; the last one tried where there is none."""
    kinds = load_examinations()
    text, examination = "", kinds[0]
    for _ in range(_TRIES):
        examination = draws.weighted(kinds, [kind.weight for kind in kinds])
        text = _write_report(_plan_report(examination, bucket, draws), draws)
        if bucket_of(text) == bucket and text not in seen:
            break
    return text, examination


def _plan_report(examination: Examination, bucket: str, draws: Draws) -> _Plan:
    compared = draws.chance(_COMPARED)
    wanted = 0 if draws.chance(_NORMAL) else draws.between(*_FEWEST[bucket])
    findings = _choose_findings(examination, wanted, draws)
    normals = _choose_normals(examination, findings, bucket, draws)
    sayings = [(finding, say(finding, draws, compared=compared)) for finding in findings]
    advice = [line for finding, saying in sayings if finding.acute and not saying.doubtful for line in finding.advice]
    return _Plan(
        examination=examination,
        title=draws.pick(examination.titles),
        indication=draws.pick(examination.indications) if draws.chance(_INDICATED) else "",
        view=draws.pick(examination.views) if examination.views and draws.chance(0.5) else "",
        day=draws.pick(_DAYS),
        compared=compared,
        findings=sayings,
        normals=normals,
        layout=draws.weighted(tuple(_LAYOUTS), tuple(_LAYOUTS.values())),
        advice=draws.pick(advice) if advice and draws.chance(_ADVISED) else "",
        summed_up=draws.chance(_SUMMED_UP[bucket]),
    )


def _choose_findings(examination: Examination, wanted: int, draws: Draws) -> list[Visible]:
    """Findings that can stand in one report, no more than wanted, in the order of their regions."""
    findings: list[Visible] = []
    for finding in draws.rank({index: visible.weight for index, visible in enumerate(examination.finding)}):
        chosen = examination.finding[finding]
        full = chosen.acute and sum(other.acute for other in findings) == _ACUTE
        if len(findings) < wanted and not full and all(_go_together(chosen, other) for other in findings):
            findings.append(chosen)
    return sorted(findings, key=lambda visible: examination.regions.index(visible.region))


def _choose_normals(examination: Examination, findings: Sequence[Visible], bucket: str, draws: Draws) -> list[Normal]:
    """Normal statements that stand against no finding; nothing is left unsaid of a region that was asked about."""
    tags = {tag for finding in findings for tag in finding.tags}
    allowed = [normal for normal in examination.normal if tags.isdisjoint(normal.apart)]
    mentioned = [draws.chance(normal.often ** (1 / _TOLD[bucket])) for normal in allowed]
    spoken = {finding.region for finding in findings} | {
        n.region for n, is_mentioned in zip(allowed, mentioned, strict=True) if is_mentioned
    }
    for index, normal in enumerate(allowed):
        if normal.region in examination.core and normal.region not in spoken:
            mentioned[index] = True
            spoken.add(normal.region)
    return [normal for normal, is_mentioned in zip(allowed, mentioned, strict=True) if is_mentioned]


def _go_together(one: Visible, other: Visible) -> bool:
    both_emergencies = _EMERGENCY in one.tags and _EMERGENCY in other.tags
    return one.tags[-1] != other.tags[-1] and not both_emergencies


def _write_report(plan: _Plan, draws: Draws) -> str:
    head, body = list(_head(plan)), _body(plan, draws)
    ending = _impression(plan) if plan.summed_up else []
    if plan.layout == "headed":
        lines = [*head, "", "FINDINGS:", body, *(["", "IMPRESSION:", *_number_lines(ending)] if ending else [])]
        return "\n".join(lines).strip()
    if any(": " in line for line in head[1:]):
        # Without a heading of its own the rest would stand under the last one of these.
        heading = "Findings" if plan.layout == "prose" else "FINDINGS"
        body = f"{heading}:{_line_break(plan)}{body}"
    title = "Conclusion" if plan.layout == "prose" else "IMPRESSION"
    lines = [*head, body, *([f"{title}: {' '.join(ending)}"] if ending else [])]
    return "\n".join(lines).strip()


def _body(plan: _Plan, draws: Draws) -> str:
    """Findings and normal statements, with the advice where no impression will give it."""
    statements = list(_statements(plan, draws))
    if plan.layout == "labelled":
        body = "\n".join(_labelled_lines(plan, statements))
    else:
        body = " ".join(sentence for _, sentence in statements)
    return f"{body}{_line_break(plan)}{plan.advice}" if plan.advice and not plan.summed_up else body


def _line_break(plan: _Plan) -> str:
    """Separator of the parts of the body: a line break where each line has a label, else a blank."""
    return "\n" if plan.layout == "labelled" else " "


def _head(plan: _Plan) -> Iterator[str]:
    upper = plan.layout in ("headed", "labelled")
    earlier = f"{_name_examination(plan.examination)} of {plan.day}" if plan.compared else ""
    if plan.title:
        yield plan.title
    if plan.layout == "headed":
        yield ""
    if plan.indication:
        yield f"{'INDICATION' if upper else 'Indication'}: {plan.indication[:1].upper()}{plan.indication[1:]}."
    if plan.layout == "prose":
        if plan.compared:
            yield f"Comparison is made with the {earlier}."
        return
    if plan.compared:
        yield f"{'COMPARISON' if upper else 'Comparison'}: {earlier[:1].upper()}{earlier[1:]}."
    elif upper:
        yield f"COMPARISON: {_NONE[len(plan.day) % len(_NONE)]}"
    if plan.view and plan.layout == "headed":
        yield f"TECHNIQUE: {plan.view}"


def _name_examination(examination: Examination) -> str:
    kind, _, part = examination.modality.partition(" ")
    names = {"CR": "radiograph", "CT": "CT", "US": "ultrasound", "MR": "MRI"}
    return f"{part} radiograph" if kind == "CR" else f"{names[kind]} of the {part}"


def _statements(plan: _Plan, draws: Draws) -> Iterator[tuple[str, str]]:
    """Regions and sentences, in order of the regions, findings first."""
    frames = _FRAMES[plan.layout]
    for region in plan.examination.regions:
        for finding, saying in plan.findings:
            if finding.region == region:
                yield region, saying.sentence(draws.pick(frames))
        for normal in plan.normals:
            if normal.region == region:
                yield region, draws.pick(normal.text)


def _labelled_lines(plan: _Plan, statements: Sequence[tuple[str, str]]) -> Iterator[str]:
    for region in plan.examination.regions:
        if sentences := [sentence for where, sentence in statements if where == region]:
            yield f"{region}: {' '.join(sentences)}"


def _impression(plan: _Plan) -> list[str]:
    """The acute findings again in short, or that there is none; then what is advised."""
    acute = [(finding, saying) for finding, saying in plan.findings if finding.acute]
    lines = [f"{saying.short[:1].upper()}{saying.short[1:]}." if saying.short else saying.whole for _, saying in acute]
    if not lines:
        lines = [plan.examination.clear[len(plan.day) % len(plan.examination.clear)]]
    return [*lines, *([plan.advice] if plan.advice else [])]


def _number_lines(lines: Sequence[str]) -> list[str]:
    return list(lines) if len(lines) == 1 else [f"{n}. {line}" for n, line in enumerate(lines, start=1)]
