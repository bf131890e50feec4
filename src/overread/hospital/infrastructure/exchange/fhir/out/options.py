"""What can be set about writing FHIR."""

from __future__ import annotations

from attrs import field, frozen, validators

from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease

__all__ = ["FhirOutput"]


@frozen(kw_only=True)
class FhirOutput:
    """How resources are written.

    Attributes:
        release: their shape; R4B's is R4's too.
        system: URI of this installation. Ids are made of it and of what a resource is about, so that the same thing has
            the same id whenever it is written, and two hospitals' things have two.
        is_transaction: whether a bundle asks a server to keep its resources, under their ids; else it is a collection.
        with_text: whether the texts of reports, and reasons in a reviewer's or a model's own words, go along.
    """

    release: FhirRelease = FhirRelease.R4B
    system: str = field(default="urn:overread", validator=validators.matches_re(r"(urn:|https?://)\S+"))
    is_transaction: bool = False
    with_text: bool = False

    @property
    def is_r5(self) -> bool:
        """Whether shapes are those of R5."""
        return self.release is FhirRelease.R5
