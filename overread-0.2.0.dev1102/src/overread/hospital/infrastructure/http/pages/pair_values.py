"""Values that every page of a whole pair shows, for the templates that extend ``pair.html.j2``."""

from __future__ import annotations

from typing import Any

from overread.hospital.application.requests import PairRecord
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.http.pages.learning import learning_view
from overread.hospital.infrastructure.http.pages.pairs import reviewed_pair
from overread.hospital.infrastructure.http.pages.review_form import ReviewForm
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary

__all__ = ["pair_values"]


def pair_values(
    hospital: HospitalService,
    actor: Actor,
    record: PairRecord,
    vocabulary: Vocabulary,
    form: ReviewForm | None,
    *,
    nonce: str,
    explained: bool,
) -> dict[str, Any]:
    """Values of the template that are about the pair itself, not about the way to it.

    Args:
        hospital: the service.
        actor: who looks.
        record: of the pair, as they may see it.
        vocabulary: of the lexicon.
        form: of a review of it.
        nonce: of the page's policy.
        explained: whether the results carry their evidence.
    """
    return {
        "nonce": nonce,
        "record": record,
        "learning": learning_view(hospital.learning_points(record.number, by=actor), vocabulary),
        "images": [hospital.configuration.pacs_address(about) for about in record.examinations],
        "view": reviewed_pair(record, vocabulary, form, nonce=nonce, explained=explained),
        "explained": explained,
    }
