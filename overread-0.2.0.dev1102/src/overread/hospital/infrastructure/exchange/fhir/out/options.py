"""Settings for writing FHIR."""

from __future__ import annotations

from attrs import field, frozen, validators

from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease

__all__ = ["FhirOutput"]


@frozen(kw_only=True)
class FhirOutput:
    """Settings for writing resources.

    Attributes:
        release: whose shapes they have; R4B's are R4's too.
        system: URI of this installation. Ids are made of it and of what a resource is about, so that the same thing
            always has the same id, and those of two hospitals differ.
        is_transaction: whether a bundle asks a server to keep its resources, under their ids; else it is a collection.
        with_text: whether the texts of reports, and reasons in a reviewer's or a model's own words, are included.
    """

    release: FhirRelease = FhirRelease.R4B
    system: str = field(default="urn:overread", validator=validators.matches_re(r"(urn:|https?://)\S+"))
    is_transaction: bool = False
    with_text: bool = False

    @property
    def is_r5(self) -> bool:
        """True if shapes are those of R5."""
        return self.release is FhirRelease.R5
