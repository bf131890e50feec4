"""All of a pair as one bundle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from overread.hospital.application.requests import PairRecord
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.fhir.out.devices import model_device, provenance, scoring_device
from overread.hospital.infrastructure.exchange.fhir.out.issues import issues_of
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import Resource, make_bundle
from overread.hospital.infrastructure.exchange.fhir.out.scores import score_of
from overread.hospital.infrastructure.exchange.fhir.out.versions import report_of

__all__ = ["pair_bundle"]


def pair_bundle(record: PairRecord, output: FhirOutput, *, at: datetime) -> Resource:
    """A pair's versions, scores and issues, the devices that made them, and where each is from.

    The same record gives the same resources with the same ids; only the times of the bundle and of provenance are
    those of writing. There is no score or issue of a pair that waits.

    Args:
        record: of the pair, as `HospitalService.pair` gives it.
        output: how it is written.
        at: when, with a time zone.
    """
    versions = [report_of(item, output) for item in record.versions]
    resources = [*versions, *_drafts(record, versions, output, at)]
    if record.current:
        device = scoring_device(record.current, output)
        scores = [score_of(record, item, device, versions, output) for item in record.current.values()]
        issues = issues_of(record, device, versions, output)
        own = [*scores, *(item for item in issues if item.get("author", {}).get("type") == "Device")]
        origin = provenance(f"pair/{record.number}/{device['id']}", device, own, versions, at, output)
        resources += [device, *scores, *issues, origin]
    return make_bundle(resources, f"pair/{record.number}", output, at)


def _drafts(record: PairRecord, versions: Sequence[Resource], output: FhirOutput, at: datetime) -> Iterator[Resource]:
    """The models that wrote drafts, and that they did."""
    for version, written in zip(record.versions, versions, strict=True):
        if version.version.status is ReportStatus.DRAFT and version.version.model:
            device = model_device(version.version.model, output)
            issued = version.version.issued or at
            yield device
            yield provenance(f"version/{version.number}", device, [written], [], issued, output)
