"""The messages of the day in the order of their sending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from functools import cache
from typing import Any, Final

from attrs import field, frozen

from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.connected import group_connected
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.demo_day.cases import Case, Truth, Wording, cases, decide_alternatives
from overread.hospital.infrastructure.demo_day.layouts import laid_out
from overread.hospital.infrastructure.demo_day.tables import rows, toml

__all__ = ["Channel", "Sending", "hospital_day"]

_ZONE: Final = timezone(timedelta(hours=1))
_DAY: Final = datetime(2026, 3, 10, tzinfo=_ZONE)
_READ_AFTER: Final = timedelta(minutes=40)
"""Time from the examination to its first report, if the tables do not say when it was performed."""

_STORIES: Final[Mapping[str, tuple[ReportStatus, ...]]] = {
    "usual": (ReportStatus.PRELIMINARY, ReportStatus.FINAL),
    "final-only": (ReportStatus.FINAL,),
    "preliminary-only": (ReportStatus.PRELIMINARY,),
    "draft-final": (ReportStatus.DRAFT, ReportStatus.FINAL),
    "draft-preliminary-final": (ReportStatus.DRAFT, ReportStatus.PRELIMINARY, ReportStatus.FINAL),
}
_MARKS: Final = {ReportStatus.DRAFT: "D", ReportStatus.PRELIMINARY: "P", ReportStatus.FINAL: "F"}
_WORDINGS: Final = {
    ReportStatus.DRAFT: Wording.DRAFT,
    ReportStatus.PRELIMINARY: Wording.PRELIMINARY,
    ReportStatus.FINAL: Wording.FINAL,
}
_ADDENDUM: Final = "addendum"


class Channel(StrEnum):
    """Way in which a site sends its reports."""

    HL7 = "hl7"
    FHIR = "fhir"
    FOLDER = "folder"


@frozen(kw_only=True)
class Sending:
    """One message as it is sent; the same message may be sent again.

    Attributes:
        name: of the message, as the tables of the day refer to it.
        story: what it is an instance of, for example "late-preliminary".
        channel: by which way.
        sent: when.
        version: what it says; ``version.message`` is the number that the sending system gives to it.
        fault: what is wrong with it, for example "unknown-status"; "" for nothing.
        file: name of the file it stands in with others, on the way of files; "" where any may take it.
        truth: how what it says differs from the final report.
        note: what it gets wrong, for a discordant one.
    """

    name: str
    story: str
    channel: Channel
    sent: datetime
    version: ReportVersion = field(repr=False)
    fault: str = ""
    file: str = ""
    truth: Truth = Truth.SAME
    note: str = ""


@frozen(kw_only=True)
class _Line:
    """A row of the day's tables, understood."""

    name: str
    story: str
    sent: datetime
    issued: datetime
    performed: datetime
    status: ReportStatus
    accessions: tuple[str, ...]
    patient: str
    told: tuple[tuple[Case, int], ...]
    wording: str
    more: Mapping[str, str]


@cache
def hospital_day() -> tuple[Sending, ...]:
    """All messages, the earliest first."""
    lines = [*_ordinary(rows("studies.csv")), *_special(rows("messages.csv"))]
    sites: Mapping[str, Any] = toml("sites.toml")
    # Sorting is stable: what is sent in one minute keeps the order of the tables.
    return tuple(sorted((_sending(line, sites) for line in lines), key=lambda sending: sending.sent))


def _ordinary(studies: Sequence[Mapping[str, str]]) -> Iterator[_Line]:
    """The messages of studies whose story is an everyday one; how long reading took differs from study to study."""
    for number, row in enumerate(studies):
        begun = _moment(row["begun"])
        preliminary = begun + timedelta(minutes=15 + number * 7 % 45)
        times = {
            ReportStatus.DRAFT: begun + timedelta(minutes=4),
            ReportStatus.PRELIMINARY: preliminary,
            ReportStatus.FINAL: preliminary + timedelta(minutes=35 + number * 37 % 260),
        }
        for status in _STORIES[row["story"]]:
            yield _Line(
                name=f"{row['accession']}-{_MARKS[status]}1",
                story=row["story"],
                sent=times[status] + timedelta(minutes=1),
                issued=times[status],
                performed=begun,
                status=status,
                accessions=(row["accession"],),
                patient=_patient(row["accession"]),
                told=((cases()[row["case"]], int(row["variant"])),),
                wording=_WORDINGS[status],
                more={"model": row["model"]},
            )


def _special(messages: Sequence[Mapping[str, str]]) -> Iterator[_Line]:
    """The messages that are spelled out one by one."""
    first: dict[str, datetime] = {}
    for row in messages:
        for accession in row["accessions"].split("+"):
            issued = _moment(row["issued"])
            first[accession] = min(first.get(accession, issued), issued)
    patients = _patients([row["accessions"].split("+") for row in messages])
    for row in messages:
        names, accessions = row["cases"].split("+"), tuple(row["accessions"].split("+"))
        variants = row["variant"].split("+")
        case_variants = variants if len(variants) == len(names) else variants * len(names)
        yield _Line(
            name=row["name"],
            story=row["story"],
            sent=_moment(row["sent"]),
            issued=_moment(row["issued"]),
            performed=first[accessions[0]] - _READ_AFTER,
            status=ReportStatus(row["status"]),
            accessions=accessions,
            patient=patients[accessions[0]],
            told=tuple((cases()[name], int(variant)) for name, variant in zip(names, case_variants, strict=True)),
            wording=row["text"],
            more=dict(entry.split("=", 1) for entry in row["more"].split(";") if entry),
        )


def _patients(reports: Sequence[Sequence[str]]) -> dict[str, str]:
    """Patients by accession number: examinations that one report covers are of one."""
    groups = [
        {number for report in group for number in report} for group in group_connected(reports, lambda keys: keys)
    ]
    return {number: _patient(min(group)) for group in groups for number in group}


def _patient(accession: str) -> str:
    return f"PAT{accession[1:]}"


def _moment(text: str) -> datetime:
    """A time of the day, or of another day that is given with it."""
    if len(text) == len("00:00"):
        hour, minute = text.split(":")
        return _DAY + timedelta(hours=int(hour), minutes=int(minute))
    return datetime.fromisoformat(text).replace(tzinfo=_ZONE)


def _sending(line: _Line, sites: Mapping[str, Any]) -> Sending:
    site = sites["sites"][line.accessions[0][0]]
    reader, model = _author(line, site, sites["models"])
    wording = None if line.wording == _ADDENDUM else Wording(line.wording)
    notes = [case.notes.get(wording, "") for case, _ in line.told] if wording else []
    return Sending(
        name=line.name,
        story=line.story,
        channel=Channel(site["channel"]),
        sent=line.sent,
        version=ReportVersion(
            examinations=_examinations(line, site),
            status=line.status,
            text=_text(line, site, wording, reader or model),
            reader=reader,
            model=model,
            filler=line.more.get("filler", f"{line.accessions[0]}A"),
            placer=f"ORD{line.accessions[0]}",
            issued=line.issued,
            source=site["channel"],
            message=line.more.get("control", line.name),
        ),
        fault=line.more.get("fault", ""),
        file=line.more.get("file", ""),
        truth=_truth(line, wording),
        note=" ".join(filter(None, notes)),
    )


def _truth(line: _Line, wording: Wording | None) -> Truth:
    """The gravest of the cases that the report is made of."""
    truths = {case.truths.get(wording, Truth.SAME) for case, _ in line.told} if wording else set()
    return next((truth for truth in Truth if truth in truths), Truth.SAME)


def _author(line: _Line, site: Mapping[str, Any], models: Mapping[str, Any]) -> tuple[str, str]:
    """Reader and model, one of them."""
    if line.status is ReportStatus.DRAFT:
        model = models[line.more["model"]]
        return "", f"{model['name']} {model['version']}"
    early = line.status in {ReportStatus.PRELIMINARY, ReportStatus.PARTIAL}
    shifts = site["residents" if early else "attendings"]
    begun = max(int(hour) for hour in shifts if int(hour) <= line.issued.hour)
    return shifts[str(begun)], ""


def _examinations(line: _Line, site: Mapping[str, Any]) -> list[Examination]:
    """One for each accession number; where a number stands for several cases, it is the first of them."""
    reported_cases = line.told[: len(line.accessions)]
    return [
        Examination(
            site=site["name"],
            accession=accession,
            patient=line.patient,
            modality=case.procedure.modality,
            procedure=case.procedure.procedure,
            body_part=case.procedure.body_part,
            device=site["devices"][case.procedure.modality],
            performed=line.performed,
            context=ClinicalContext(
                age=float(line.told[0][0].age),
                sex=line.told[0][0].sex,
                indication=decide_alternatives(case.history, variant),
            ),
        )
        for accession, (case, variant) in zip(line.accessions, reported_cases, strict=True)
    ]


def _text(line: _Line, site: Mapping[str, Any], wording: Wording | None, author: str) -> str:
    case_texts = [case.said(wording, variant) for case, variant in line.told] if wording else []
    fields = {
        "banner": site["banners"].get(line.status.value, ""),
        "signature": site["signatures"].get(line.status.value, ""),
        "reader": author.capitalize(),
        "when": line.issued.strftime("%d %b %Y %H:%M"),
        "exam": ", ".join(case.procedure.procedure for case, _ in line.told),
        "history": decide_alternatives(line.told[0][0].history, line.told[0][1]),
        "comparison": line.told[0][0].comparison or "None available.",
        "technique": " ".join(dict.fromkeys(case.procedure.technique for case, _ in line.told)),
        "findings": "\n".join(case_text.findings for case_text in case_texts),
        "impression": "\n".join(case_text.impression for case_text in case_texts),
        "addendum": " ".join(case.addendum for case, _ in line.told),
    }
    return laid_out(site["report"] if wording else site["addendum"], fields)
