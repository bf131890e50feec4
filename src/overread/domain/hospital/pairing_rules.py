"""Which versions of a report are compared."""

from __future__ import annotations

from collections.abc import Sequence

from overread.domain.hospital.report_version import KeptVersion, ReportStatus
from overread.domain.hospital.version_pairs import PairKind, VersionPair

__all__ = ["pairs_of"]


def pairs_of(versions: Sequence[KeptVersion]) -> tuple[VersionPair, ...]:
    """The pairs that follow from all related versions, given in the order of their arrival.

    The last preliminary report, and each model's last draft, that stood before the first final report are compared with
    it, and each correction with what stood before it.
    """
    pairs: list[VersionPair] = []
    drafts: dict[str, int] = {}
    preliminary: int | None = None
    standing: int | None = None
    for kept in versions:
        number, version = kept.number, kept.version
        match version.status:
            case ReportStatus.DRAFT if standing is None:
                drafts[version.model] = number
            case ReportStatus.PRELIMINARY if standing is None:
                preliminary = number
            case ReportStatus.FINAL if standing is None:
                standing = number
                pairs.extend(_pair(PairKind.DRAFT_FINAL, draft, number) for draft in drafts.values())
                if preliminary is not None:
                    pairs.append(_pair(PairKind.PRELIMINARY_FINAL, preliminary, number))
            case ReportStatus.CORRECTED:
                if standing is not None:
                    pairs.append(_pair(PairKind.FINAL_CORRECTED, standing, number))
                standing = number
            case _:
                pass
    return tuple(pairs)


def _pair(kind: PairKind, candidate: int, reference: int) -> VersionPair:
    return VersionPair(kind=kind, candidate=(candidate,), reference=(reference,))
